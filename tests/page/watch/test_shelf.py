"""What a visitor typed is told from what a recorded run filled in."""

import pytest

from specviz.page.watch.shelf import has_changed

START, RUN = {"prompt": "Once", "K": 4, "drafter": "small"}, {"prompt": "def", "K": 3, "drafter": "lookup"}


def test_what_the_page_began_with_is_nobodys():
    assert not has_changed(dict(START), [START])
    assert has_changed({**START, "prompt": "My own"}, [START])


@pytest.mark.parametrize("name", START)
def test_a_field_that_a_run_has_not_reached_yet_is_not_taken_for_typed(name):
    assert not has_changed(dict(RUN), [START, RUN])
    assert not has_changed({**RUN, name: START[name]}, [START, RUN])


@pytest.mark.parametrize(("name", "value"), [("prompt", "My own"), ("K", 7), ("drafter", "eagle")])
def test_a_field_that_was_changed_after_a_run_filled_it_is(name, value):
    assert has_changed({**RUN, name: value}, [START, RUN])
