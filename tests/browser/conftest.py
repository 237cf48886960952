"""A person's view of the page: Chromium on the app with a fake engine. Nothing may leave the app's own address, no script may fail."""

import os
import shutil
import threading
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Locator, Page, expect

from specviz.page.classroom.rooms import OPEN, RoomError
from specviz.site.build import HEADERS

from .person import leave, press

# by Playwright, of which a test here meets these, and the last one by us: naming one replaces its list
TURNED_OFF = """
    AvoidUnnecessaryBeforeUnloadCheckSync HttpsUpgrades HttpsFirstBalancedModeAutoEnable PaintHolding
    ThirdPartyStoragePartitioning OptimizationHints NetworkTimeServiceQuerying BackgroundResourceFetch
""".split()
RETURNING = """try {
  for (const name of ["story", "steps", "legend", "teach", "struck"]) localStorage[`specviz.${name}`] ??= "true";
  sessionStorage[`specviz.inspecting ${location.pathname}`] ??= "true";
} catch { /* a page of nobody's */ }"""
"""Whoever comes in most tests has been here: knows the story, unfolded all, wants struck guesses, chose a token. test_story.py is
of newcomers."""
LEAVING = "addEventListener('beforeunload', () => { console.error = () => {}; });"
"""A page that is left closes its streams, and gradio logs each one that was open as an error: nobody is there to be told."""
expect.set_options(timeout=20_000)  # ms: the first page loads slowly on a busy machine


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items):
    """What asks for a browser is marked so. A page that never answers holds its test in the driver's loop, where the exception of a signal
    is lost: there the process ends, says where it stood, and the next one goes on with the tests that are left."""
    for item in items:
        if "browser" in item.fixturenames:
            item.add_marker("browser")
            if not item.get_closest_marker("timeout"):
                item.add_marker(pytest.mark.timeout(120, method="thread"))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    own = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
    # Together an eighth less processor time for a page and a run. Where code stands in its source is kept when it is compiled: else it is
    # read again to find it. No page is open for long enough to gain by optimized code.
    args.append("--js-flags=--no-enable-lazy-source-positions --no-turbofan --no-maglev")
    args.append("--disable-features=" + ",".join(TURNED_OFF))
    return {**browser_type_launch_args, "args": args, **({"executable_path": own} if own else {})}


@pytest.fixture(scope="session")
def engine():
    """The engine behind the app: it knows what it was asked."""
    from .fake_engine import FakeEngine

    return FakeEngine()


class Files(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_) -> None:
        pass


class IsolatedFiles(Files):
    """With what lets threads share memory."""

    def end_headers(self) -> None:
        for header in HEADERS.items():
            self.send_header(*header)
        super().end_headers()


@contextmanager
def files_of(directory, handler=Files):
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=directory)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@contextmanager
def launched(engine=None, opening=None, elsewhere="", **settings):
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    # after each event gradio makes a table of all events with pandas, which warns of how gradio calls it
    os.environ["GRADIO_ANALYTICS_CACHE_FREQUENCY"] = "1000000"
    from specviz.page.build import build, launch_settings

    from .fake_engine import FakeEngine

    engine = engine or FakeEngine()
    blocks = build(engine, opening, site_address=elsewhere)
    how = launch_settings(blocks, engine, **settings)
    _, url, _ = blocks.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **how)
    yield url
    blocks.close(verbose=False)


@pytest.fixture(scope="session")
def app(engine):
    with launched(engine) as url:
        yield url.rstrip("/")


@pytest.fixture(scope="session")
def reachable_app(engine):
    """The app on a machine that has an address in a network."""
    with launched(engine, lan=lambda: "192.0.2.7") as url:
        yield url.rstrip("/")


@pytest.fixture(scope="session")
def opening():
    """The address of the app as it is served: with a recorded run on it."""
    from specviz.page.keep.recorded import load

    with launched(opening=load("opening")) as url:
        yield url


@pytest.fixture(scope="session")
def components(tmp_path_factory):
    from .components import write

    folder = tmp_path_factory.mktemp("components")
    write(folder)
    with files_of(folder) as address:
        yield address.rstrip("/")


@pytest.fixture(scope="session")
def window(browser):
    """The window that all visits are made in. What it has read of gradio it keeps: that is most of what a page costs. What
    the app keeps in a browser is forgotten after each visit."""
    window = browser.new_context()
    window.add_init_script(LEAVING)
    window.add_init_script(RETURNING)
    window.new_page()
    yield window
    window.close()


@pytest.fixture
def context(window):
    yield window
    for other in window.pages[1:]:
        other.close()
    window.clear_permissions()
    window.set_offline(False)


@pytest.fixture
def page(context):
    """A tab as it is when a visitor opens it, whatever the visitor before looked at."""
    page = context.pages[0]
    page.add_init_script = None  # it would run on the pages of all tests after this one
    page.set_viewport_size({"width": 1280, "height": 720})
    page.emulate_media(media="null", color_scheme="null", reduced_motion="null", forced_colors="null", contrast="null")
    yield page
    leave(page)


@contextmanager
def listening(page: Page, **handlers):
    for event, handler in handlers.items():
        page.on(event, handler)
    yield
    for event, handler in handlers.items():
        page.remove_listener(event, handler)


@contextmanager
def faultless(page: Page, own=("http://127.0.0.1:", "data:", "blob:"), console=True):
    """Meanwhile no script of a page fails, no dialog opens, nothing is an error on its console, no request goes to another address."""
    wrong = []
    handlers = {
        "pageerror": lambda error: wrong.append(f"script failed: {error}"),
        "dialog": lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()),
        "request": lambda request: request.url.startswith(own) or wrong.append(f"left for {request.url}"),
        "console": lambda message: console and message.type == "error" and wrong.append(f"console: {message.text}"),
    }
    with listening(page, **handlers):
        yield page
    assert not wrong


@pytest.fixture
def watched(page: Page):
    with faultless(page):
        yield page


@pytest.fixture
def reading(context, tmp_path):
    """Open a hand-out, of a trace or from a path, where nothing can be reached and nothing goes wrong."""
    with ExitStack() as pages:

        def open_(trace=None, path=None, width=1280, height=844, **media):
            from specviz.picture.replay import handout

            if path is None:
                path = tmp_path / "handout.html"
                path.write_text(handout(trace), "utf-8")
            context.set_offline(True)
            page = pages.enter_context(faultless(context.new_page(), (path.as_uri(),)))
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(**{"reduced_motion": "reduce", **media})
            page.goto(path.as_uri())
            return page

        yield open_


@pytest.fixture
def room_of():
    """The code of the room to which a link of a page leads. The room is over after the test."""
    codes = []

    def code(link: Locator) -> str:
        expect(link).to_contain_text("/room/")
        codes.append(link.inner_text().split("/room/")[1])
        return codes[-1]

    yield code
    for code in codes:
        with suppress(RoomError):  # it was ended
            OPEN.close(OPEN.find(code))


@pytest.fixture
def phone(browser, app):
    """Join a room by its code on a phone of its own, on which nothing goes wrong."""
    with ExitStack() as phones:

        def join(code: str, name: str = "", console: bool = True) -> Page:
            own = browser.new_context()
            own.add_init_script(LEAVING)
            phones.callback(own.close)
            page = phones.enter_context(faultless(own.new_page(), console=console))
            page.set_viewport_size({"width": 390, "height": 844})
            page.goto(f"{app}/room/{code}")
            page.get_by_label("Your name, if you like").fill(name)
            press(page, "Join")
            return page

        yield join


@pytest.fixture
def quiet(watched):
    """For a visitor who wants no motion: a finished race stands at its end at once."""
    watched.emulate_media(reduced_motion="reduce")
    return watched


@pytest.fixture
def still(quiet, app):
    return opened(quiet, app)


@pytest.fixture
def moving(watched, app):
    return opened(watched, app)


def opened(page: Page, address: str) -> Page:
    page.goto(address)
    expect(page.locator(".sv-invitation")).to_be_visible()
    return page
