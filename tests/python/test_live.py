# SPDX-License-Identifier: Apache-2.0
"""Pages of runs under way, and pages inside of notebooks: asked for as a browser does, and by a browser where there is one."""

import functools
import http.client
import http.server
import logging
import os
import re
import shutil
import subprocess
import sys
import threading
import time

import pytest

import stiction


def has_viewer():
    try:
        stiction.files.page_texts()
    except stiction.Unsupported:
        return False
    return True


@pytest.fixture(autouse=True)
def page(monkeypatch):
    """A build without the viewer has a server all the same; its page is empty then."""
    if not has_viewer():
        empty = stiction._native.ffi.new("char[]", b"<!doctype html>")
        monkeypatch.setattr(stiction.live, "page_texts", lambda: (empty, empty))


def falling(threads=1):
    w = stiction.World(threads=threads)
    w.body(shape=stiction.half_space(), kind="fixed", name="floor")
    ball = w.body(shape=stiction.sphere(0.1), position=(0, 0, 1), name="ball")
    return w.run(), ball


class Browser:
    """What a page asks, one connection each."""

    def __init__(self, live):
        _, self.host, self.token = re.fullmatch(r"(http)://([^/]+)/([0-9a-f]{32})/", live.address).groups()

    def ask(self, method, path, **headers):
        connection = http.client.HTTPConnection(self.host, timeout=20)
        connection.request(method, f"/{self.token}/{path}", headers=headers)
        return connection.getresponse()

    def status(self, method, path, **headers):
        return self.ask(method, path, **headers).status


def wait_for(true, seconds=20.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


def test_the_page_follows_the_run():
    run, ball = falling()
    with run.view(every=10) as live:
        browser = Browser(live)
        # nobody makes steps: the page is answered all the same
        answer = browser.ask("GET", "")
        page = answer.read().decode()
        assert answer.status == 200 and page.lstrip().lower().startswith("<!doctype html")
        assert not live.seen
        stream = browser.ask("GET", "events?from=1")
        wait_for(lambda: live.seen)
        assert stream.readline() == b": welcome\n" and stream.readline() == b"\n"
        run.step(100)
        assert live.output.frames == 11
        assert stream.readline().startswith(b"data: ")
        assert browser.status("GET", "run.h5") == 404
        assert browser.status("PUT", "stop") == 405
        assert browser.status("POST", "stop", Origin="http://elsewhere.example") == 403
        browser.token = browser.token[::-1]
        assert browser.status("GET", "") == 403
    assert stream.read().endswith(b"event: end\ndata: 1\n\n")
    run.step()
    assert live.closed and repr(live).endswith("closed>") and run._live is None


def test_pause_and_stop():
    run, ball = falling()
    live = run.view()
    browser = Browser(live)
    assert browser.status("POST", "pause") == 200
    wait_for(lambda: live.paused)
    thread = threading.Thread(target=run.step, args=(5,))
    thread.start()
    time.sleep(0.4)
    assert thread.is_alive() and stiction._native.lib.stic_run_time(run._run) == 0.0
    assert browser.status("POST", "go") == 200
    thread.join(20)
    assert run.time == pytest.approx(0.005)
    assert browser.status("POST", "stop") == 200
    with pytest.raises(stiction.Interrupted, match="asked to stop"):
        run.until(100.0)
    assert run.time == pytest.approx(0.005, abs=0.2)
    # obeyed once: whoever goes on means it
    run.step()


def test_wait_for_the_page():
    run, ball = falling()
    live = run.view(wait=True)
    thread = threading.Thread(target=run.step)
    thread.start()
    time.sleep(0.3)
    assert thread.is_alive()
    stream = Browser(live).ask("GET", "events?from=0")
    thread.join(20)
    assert not thread.is_alive() and run.time == pytest.approx(1e-3)
    stream.close()


def test_ctrl_c_while_the_page_holds_the_run():
    import _thread
    run, ball = falling()
    run.view(wait=True)
    threading.Timer(0.3, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        run.until(1.0)
    assert run.time == 0.0
    run.close()


def test_the_file_that_is_recorded_is_shown(tmp_path):
    run, ball = falling()
    with run.record(tmp_path / "a.h5", every=1):
        with pytest.raises(stiction.BadArgument, match="settings of its own"):
            run.view(every=3)
        live = run.view()
        with pytest.raises(stiction.BadArgument, match="already"):
            run.view()
        run.step(3)
    assert live.closed, "a page ends with its file"
    assert len(stiction.Result(tmp_path / "a.h5")) == 4
    other = run.view(tmp_path / "b.h5", every=1)
    run.step(2)
    run.close()
    assert other.closed and len(stiction.Result(tmp_path / "b.h5")) == 3


def test_temporary_files_go(tmp_path):
    run, ball = falling()
    live = run.view()
    folder = live.output.path.parent
    run.step(3)
    assert folder.is_dir()
    live.close()
    live.close()
    assert not folder.exists()
    with pytest.raises(stiction.Closed):
        live._turn()


@pytest.mark.skipif(not has_viewer(), reason="no viewer")
def test_a_lost_run_and_the_end_of_the_program():
    """Neither a run that is lost nor an interpreter that ends with an open page hangs, crashes or leaves files."""
    done = subprocess.run([sys.executable, "-B", "-c", """
import gc, stiction
def make():
    w = stiction.World()
    w.body(shape=stiction.sphere(0.1))
    return w.run()
run = make(); live = run.view(); run.step(); print(live.output.path.parent); del run, live; gc.collect()
run = make(); live = run.view(); run.step(); print(live.output.path.parent)
"""], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 0 and not done.stderr, done.stderr
    folders = done.stdout.split()
    assert len(folders) == 2 and not any(os.path.exists(folder) for folder in folders)


def test_a_page_that_cannot_be_made_is_said(tmp_path, caplog):
    run, ball = falling()
    folder = tmp_path / "gone"
    folder.mkdir()
    live = run.view(folder / "a.h5")
    run.step()
    shutil.rmtree(folder)
    with caplog.at_level(logging.WARNING, logger="stiction"):
        assert Browser(live).status("GET", "") == 500
        wait_for(lambda: "cannot be made" in caplog.text)


# ---- a browser

class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


def look(folder, name, budget):
    """A page of a server on this machine, as a notebook is one, after a while in Debian's browser."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        done = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu-sandbox", "--use-gl=swiftshader",
                               f"--user-data-dir={folder / 'profile'}", f"--virtual-time-budget={budget}", "--dump-dom",
                               f"http://127.0.0.1:{server.server_port}/{name}"],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    finally:
        server.shutdown()
    return done.stdout


@pytest.mark.skipif(not has_viewer(), reason="no viewer")
def test_result_in_a_notebook(tmp_path):
    """result.view() inside of another page: the viewer runs, and has the frames."""
    run, ball = falling()
    with run.record(tmp_path / "a.h5", every=10):
        run.step(100)
    shown = stiction.Result(tmp_path / "a.h5").view(height=400)._repr_html_()
    (tmp_path / "notebook.html").write_text(f"""<!doctype html><body>{shown}<p id="said">nothing</p><script>
setInterval(() => {{
  const inner = document.querySelector("iframe").contentWindow;
  if (inner.document.documentElement.dataset.ready === "yes")
    document.getElementById("said").textContent = `ready with ${{inner.stiction.result.frames}} frames`;
}}, 50);
</script></body>""")
    dom = look(tmp_path, "notebook.html", 20000)
    assert "ready with 11 frames" in dom, dom[-300:]


@pytest.mark.skipif(not has_viewer(), reason="no viewer")
def test_live_page_in_a_notebook(tmp_path):
    """run.view() inside of another page of this machine: it is let in, and its script asks for news."""
    run, ball = falling()
    live = run.view(every=10)
    (tmp_path / "notebook.html").write_text(f"<!doctype html><body>{live._repr_html_()}</body>")
    thread = threading.Thread(target=look, args=(tmp_path, "notebook.html", 8000))
    if shutil.which("chromium") is None:
        pytest.skip("no chromium")
    thread.start()
    end = time.monotonic() + 60
    while not live.seen and time.monotonic() < end:
        run.step()
        time.sleep(0.01)
    assert live.seen, "no page asked for news"
    run.close()
    thread.join()
