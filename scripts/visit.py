"""The site as somebody meets it who has only the address: when its first run moves, and how many bytes come before a run is chosen."""

import statistics as st
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser

from specviz.site.build import build

MOVES = """const look = () => {
  const hand = document.querySelector(".sv-bar input[type=range]");
  if (hand && Number(hand.value) > 0) window.moved ??= performance.now();
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);"""


class Quiet(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    sent = 0  # bytes of bodies, to all visitors

    def log_message(self, *_) -> None:
        pass

    def copyfile(self, source, outputfile) -> None:
        body = source.read()
        Quiet.sent += len(body)
        outputfile.write(body)


def first_visit(browser: Browser) -> dict:
    """The site as somebody meets it who has only the address."""
    with TemporaryDirectory() as folder:
        build(Path(folder, "site"))
        with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=Path(folder, "site"))) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            moments, sent = [], []
            for _ in range(5):
                with browser.new_context() as context:
                    page, Quiet.sent = context.new_page(), 0
                    page.add_init_script(MOVES)
                    page.goto(f"http://127.0.0.1:{server.server_port}/")
                    page.wait_for_function("() => window.moved")
                    moments.append(page.evaluate("window.moved"))
                    page.evaluate("navigator.serviceWorker.ready")
                    page.wait_for_load_state("networkidle")
                    sent.append(Quiet.sent)
            server.shutdown()
    return {"first_motion_s": st.median(moments[1:]) / 1e3, "site_mb_before_run": max(sent) / 1e6}
