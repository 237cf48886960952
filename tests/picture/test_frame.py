"""A run for a cell of a notebook: its hand-out in a frame, kept as a file where it is asked for."""

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from specviz.config import ConfigError
from specviz.picture.frame import show
from specviz.picture.replay import handout
from tests.fake_trace import HOSTILE, fake_trace


class Elements(HTMLParser):
    """Every element that a reader of HTML finds, and every text outside of them."""

    def __init__(self, html: str):
        super().__init__()
        self.elements, self.text = [], ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def test_a_trace_is_shown_as_its_hand_out_in_a_sandbox_without_an_origin():
    trace = fake_trace(seed=3)
    (around, _), (tag, frame) = Elements(show(trace)._repr_html_()).elements
    assert (around, tag) == ("div", "iframe") and frame["sandbox"] == "allow-scripts"
    assert frame["srcdoc"] == handout(trace) and "src" not in frame


@pytest.mark.parametrize(
    "text", [*HOSTILE, "' onload='alert(1)", '" onload="alert(1)', "&#39; &quot; &amp;lt;", "'></iframe><b>"]
)
def test_no_text_ends_the_attribute_that_it_stands_in(text):
    trace = fake_trace(text, hostile=True)
    header = replace(trace.header, target=replace(trace.header.target, name=text))
    trace = replace(trace, header=header)
    html = Elements(show(trace)._repr_html_())
    assert [tag for tag, _ in html.elements] == ["div", "iframe"]
    assert set(html.elements[1][1]) == {"title", "sandbox", "referrerpolicy", "style", "srcdoc"}
    assert html.elements[1][1]["srcdoc"] == handout(trace) and not html.text.strip()


def test_a_run_that_is_still_to_be_made_is_run_to_its_end():
    steps = iter(["a step", "another", fake_trace(seed=3)])
    assert show(steps) == show(fake_trace(seed=3)) and next(steps, None) is None


def test_a_terminal_is_told_how_far_the_run_is_and_then_cleared(monkeypatch, capsys):
    from specviz.engine.race import Progress

    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    show(iter([Progress("vanilla", 1, 9), Progress("speculative", 9, 9), fake_trace()]))
    lines = capsys.readouterr().out.split("\r")
    assert lines[:2] == ["vanilla: 1 of 9 tokens", "speculative: 9 of 9 tokens"]
    assert lines[2].isspace() and len(lines[2]) == len(lines[1])


@pytest.mark.parametrize("run", [[], ["a step"], "run.jsonl", None, 3])
def test_what_ends_in_no_trace_is_refused(run):
    with pytest.raises(TypeError):
        show(run)


def test_a_race_that_was_shown_already_is_refused_with_what_to_keep():
    steps = iter([fake_trace()])
    show(steps)
    with pytest.raises(TypeError, match=r"has run already and yields no more: keep its Trace"):
        show(steps, "round", 4)


def test_it_says_in_a_line_what_was_run_and_is_saved_as_one_file_whose_path_is_given_back(tmp_path):
    line = "<specviz: story-target, drafted by story-draft, K = 3, “Once upon a time”>"
    assert repr(show(fake_trace("Once upon a time"))) == line
    label = repr(show(fake_trace("x\x1b[2J\n\u202ey " * 50)))
    assert label.isprintable() and len(label) < 120
    frame = show(fake_trace("Zoë's café"))
    for path in (tmp_path / "run.html", str(tmp_path / "again.html")):
        saved = frame.save(path)
        assert saved == Path(path) and saved.read_bytes() == frame.page.encode()


@pytest.mark.parametrize("path", ["nowhere/run.html", "here", ""])
def test_a_path_that_no_file_can_be_at_is_refused_by_name(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    with pytest.raises(ConfigError, match="a file in a folder that exists"):
        show(fake_trace()).save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["here"]


@pytest.mark.parametrize("figure", ["race", "round", "inspector"])
def test_one_figure_of_a_run_is_shown_alone_and_the_cell_hears_its_height(figure):
    trace = fake_trace(seed=3)
    frame_of_run = show(trace, figure, 2, 1)
    (_, _), (_, frame), (script, _) = Elements(frame_of_run._repr_html_()).elements
    assert frame["srcdoc"] == handout(trace, figure={"figure": figure, "round": 2, "token": 1}) and script == "script"
    assert frame["srcdoc"] != show(trace).page


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (("race!",), "figure is 'race!'; it must be one of race, round, inspector"),
        (("round", 0), "round is 0; it must be a round of the run, 1 to"),
        (("round", 999), "round is 999; it must be a round of the run, 1 to"),
        (("inspector", 1, 99), "token is 99; it must be a token of round 1, 1 to"),
    ],
)
def test_a_figure_a_round_or_a_token_that_a_run_does_not_have_is_named_with_its_bound(place, message):
    with pytest.raises(ConfigError, match=message):
        show(fake_trace(seed=3), *place)


@pytest.mark.parametrize(
    ("settings", "marked"),
    [
        ({"verifier": "rejection"}, False),
        ({"verifier": "block"}, False),
        ({"verifier": "typical"}, True),
        ({"verifier": "threshold"}, True),
        ({"verifier": "typical", "temperature": 0}, False),
        ({"verifier": "typical", "K": 0}, False),
    ],
    ids=str,
)
def test_a_run_by_a_rule_that_is_not_exact_says_so_under_the_heading_where_it_bends_anything(settings, marked):
    assert ("the text does not follow" in handout(fake_trace(**settings)).split("</header>")[0]) is marked
