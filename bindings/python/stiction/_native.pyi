from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

class _Ffi:
    def def_extern(self, error: Any = ..., onerror: Callable[..., Any] = ...) -> Callable[[_Function], _Function]: ...
    def __getattr__(self, name: str) -> Any: ...

ffi: _Ffi
lib: Any
