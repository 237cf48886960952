"""What a visitor typed is told from what a recorded run filled in."""

import pytest

from specviz.page.watch.shelf import typed

START, RUN = {"prompt": "Once", "K": 4, "drafter": "small"}, {"prompt": "def", "K": 3, "drafter": "lookup"}


def test_what_the_page_began_with_is_nobodys():
    assert not typed(dict(START), [START])
    assert typed({**START, "prompt": "My own"}, [START])


@pytest.mark.parametrize("name", START)
def test_a_field_that_a_run_has_not_reached_yet_is_not_taken_for_typed(name):
    assert not typed(dict(RUN), [START, RUN])
    assert not typed({**RUN, name: START[name]}, [START, RUN])


@pytest.mark.parametrize(("name", "value"), [("prompt", "My own"), ("K", 7), ("drafter", "eagle")])
def test_a_field_that_was_changed_after_a_run_filled_it_is(name, value):
    assert typed({**RUN, name: value}, [START, RUN])
