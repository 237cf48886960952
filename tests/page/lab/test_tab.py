"""The Lab's table of contents: every panel has its script, its stylesheet and its words, and none of them is sent before the tab is opened."""

import json
from statistics import median

import pytest

from specviz.page import look
from specviz.page.exercise import Exercise
from specviz.page.lab import tab
from specviz.page.lab.panel import Panel, PanelContext, PanelRequest, PanelStep
from specviz.page.lab.panels import PANELS as LIST
from specviz.picture.sheets import LAB, PAGE, SHEETS

PANELS = {panel.key: panel for panel in LIST}


def test_what_the_tab_needs_comes_when_it_is_opened_and_not_before():
    bundle = json.loads(tab.lab_bundle())
    assert [panel["key"] for panel in bundle["panels"]] == list(PANELS) and LIST[0].key == "mistakes"
    assert "specvizLab" in bundle["script"] and "lab-panel" in bundle["style"]
    assert set(LAB).isdisjoint(PAGE) and SHEETS["lab"]
    assert ".lab-panel" not in look.head() and LIST[0].answers not in look.head()


def panel(*steps, error=None):
    def runs(context, request):
        yield from steps
        if error:
            raise error

    return Panel("fake", 10, "Fake", "Fake", "Is it?", Exercise((), ()), runs=runs)


def messages(panel, stop=lambda: False):
    return [json.loads(text) for text in tab.run_messages(panel, None, PanelRequest({}, "", stop))]


def test_the_last_message_has_all_that_was_found():
    lines = messages(panel(PanelStep(1, 2, {"a": 1}), PanelStep(2, 2, {"a": 2})))
    assert lines[0] == {"state": "running", "done": 0, "of": 1, "left": None, "found": None}
    assert lines[-1] == {"state": "done", "done": 2, "of": 2, "found": {"a": 2}}


def test_what_was_found_is_kept_when_it_is_stopped_or_fails():
    steps = [PanelStep(i, 9, {"rows": i}) for i in range(1, 10)]
    answers = iter([False, False, True, True])
    assert messages(panel(*steps), lambda: next(answers))[-1] == {"state": "stopped", "done": 3, "of": 9, "found": {"rows": 3}}
    failed = messages(panel(steps[0], error=ValueError("K is 99; it must be at most 16")))[-1]
    assert failed == {"state": "error", "message": "K is 99; it must be at most 16", "found": {"rows": 1}}
    assert "RuntimeError: device is gone" in messages(panel(error=RuntimeError("device is gone")))[-1]["message"]


@pytest.mark.parametrize("key", ["luck", "sweep"])
def test_a_panel_opens_with_a_result_of_the_family_that_names_its_machine(key):
    [recorded] = PANELS[key].serves(PanelContext(None, None, None, None))
    result = json.loads(recorded(""))
    assert recorded.__name__ == f"recorded_{key}" and len(recorded("")) < 16_000
    assert result["target"] == "fable" and result["device"] and result["date"] and result["prompt"]
    assert "Measure here" in (PANELS[key].words["run"], PANELS[key].words["empty"])


def test_the_recorded_seeds_differ_by_a_tenth_or_more_in_tokens_alone():
    """As chapter 9 says of a short run: a quarter of the seeds lies a tenth above or below the median, whatever the clock did."""
    [recorded] = PANELS["luck"].serves(PanelContext(None, None, None, None))
    dots = [dot["tokens_a_round"] for dot in json.loads(recorded(""))["found"]["dots"] if not dot["again"]]
    apart = [abs(tokens / median(dots) - 1) for tokens in dots]
    assert sum(each >= 0.1 for each in apart) >= len(dots) / 4
