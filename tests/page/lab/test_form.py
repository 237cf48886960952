"""Lists that a panel sends are bounded before they are taken apart."""

from types import SimpleNamespace

import pytest

from specviz.page.lab.form import LIST_CHARACTERS, whole_numbers
from specviz.page.lab.panel import PanelRequest
from specviz.page.lab.panels.sweep import runs

from ...browser.fake_engine import PUBLIC, FakeEngine


def test_a_list_is_read_up_to_its_bound_and_refused_past_it():
    assert whole_numbers("K", "1, 2;3 4", 1, 16) == [1, 2, 3, 4]
    assert len(whole_numbers("K", "1 " * (LIST_CHARACTERS // 2), 1, 16)) == LIST_CHARACTERS // 2
    with pytest.raises(ValueError, match=f"at most {LIST_CHARACTERS} characters") as refused:
        whole_numbers("K", "1 " * 8_000_000, 1, 16)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"drafters": " "}, "“Drafters” is empty; it must be a list of 1 to 16."),
        ({"Ks": ""}, "“K” is empty; it must be a list of 1 to 8."),
        ({"temperature": "warm"}, "“Temperature” is warm; it must be a number from 0.05 to 5.0 (0 for greedy)"),
        ({"Ks": "2, 99"}, "“K” is 99; it must be a whole number from 1 to 16."),
        ({"Ks": "1 2 3 4 5 6 7 8 9"}, "“K” is a list of 9; it must be a list of 1 to 8."),
    ],
)
def test_the_sweep_refuses_a_list_by_the_label_of_its_field(settings, sentence):
    engine = FakeEngine()
    with pytest.raises(ValueError) as refused:
        next(runs(SimpleNamespace(engine=engine), PanelRequest(settings, engine.models()[0], lambda: False)))
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("ticked", "swept"),
    [("small,eagle,lookup,mtp", ["eagle", "lookup"]), ("small", ["small"]), ("eagle,pigeon", ["eagle", "pigeon"])],
)
def test_the_sweep_leaves_out_a_drafter_that_the_models_lack_and_lets_the_engine_refuse_what_is_none(ticked, swept):
    engine = FakeEngine()
    sweeps = []
    engine.sweep = lambda prompt, drafters, *_: sweeps.append(drafters) or iter(())
    list(runs(SimpleNamespace(engine=engine), PanelRequest({"drafters": ticked}, PUBLIC, lambda: False)))
    assert sweeps == [swept]
