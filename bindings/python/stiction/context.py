# SPDX-License-Identifier: Apache-2.0
"""Memory, log, seed, threads and an ear for Ctrl-C that a world, a scene or a solve is given."""

from __future__ import annotations

import logging
from typing import Any

from ._convert import integer
from ._handle import Handle
from ._native import ffi, lib
from .errors import check, text_of

log = logging.getLogger("stiction")
_LEVELS = {lib.STIC_LOG_DEBUG: logging.DEBUG, lib.STIC_LOG_INFO: logging.INFO, lib.STIC_LOG_WARNING: logging.WARNING}


@ffi.def_extern()
def stic_python_log(_self: Any, level: int, text: Any) -> None:
    log.log(_LEVELS.get(level, logging.INFO), "%s", text_of(text))


class Context:
    """A SticContext with its pool; log lines go to the logger "stiction"."""

    def __init__(self, threads: int = 1, seed: int = 1) -> None:
        self.pointer = ffi.new("SticContext*", lib.stic_context_default())
        self.pointer.seed = integer(seed, "seed", 0, 2**64 - 1)
        self.pointer.log.write = lib.stic_python_log
        self.pointer.interrupt.asked = ffi.addressof(lib, "stic_python_ear")
        self.handles: tuple[Handle, ...] = ()
        self.threads = integer(threads, "threads", 1, 4096)
        if self.threads > 1:
            pool = ffi.new("SticPool**")
            check(lib.stic_pool_create(self.pointer, self.threads, pool))
            self.pointer.pool = pool[0]
            # the pool keeps what it was made with
            self.handles = (Handle("pool", pool[0], lib.stic_pool_destroy),)


def arena(context: Context) -> Handle:
    """Memory for results of one call."""
    made = ffi.new("SticArena**")
    check(lib.stic_arena_create(context.pointer, 0, made))
    return Handle("arena", made[0], lib.stic_arena_destroy)
