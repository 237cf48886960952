"""Lists that a panel sends are bounded before they are taken apart."""

from types import SimpleNamespace

import pytest

from specviz.page.lab.asked import LIST, reals, wholes
from specviz.page.lab.panel import PanelRequest
from specviz.page.lab.panels.sweep import runs

from ...browser.fake_engine import PUBLIC, FakeEngine


def test_a_list_is_read_up_to_its_bound_and_refused_past_it():
    assert wholes("K", "1, 2;3 4", 1, 16) == [1, 2, 3, 4] and reals("T", "0 0.5") == [0.0, 0.5]
    for read in (lambda text: wholes("K", text, 1, 16), lambda text: reals("T", text)):
        assert len(read("1 " * (LIST // 2))) == LIST // 2
        with pytest.raises(ValueError, match=f"at most {LIST} characters") as refused:
            read("1 " * 8_000_000)
        assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"drafters": " "}, "“Drafters” is empty; it must be a list of 1 to 16."),
        ({"Ks": ""}, "“K” is empty; it must be a list of 1 to 8."),
        ({"temperatures": ","}, "“Temperatures” is empty; it must be a list of 1 to 4."),
        ({"Ks": "2, 99"}, "“K” is 99; it must be a whole number from 1 to 16."),
        ({"Ks": "1 2 3 4 5 6 7 8 9"}, "“K” is a list of 9; it must be a list of 1 to 8."),
    ],
)
def test_the_sweep_refuses_a_list_by_the_label_of_its_field(sent, said):
    place = SimpleNamespace(engine=FakeEngine())
    with pytest.raises(ValueError) as refused:
        next(runs(place, PanelRequest(sent, (), lambda: False)))
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("ticked", "swept"),
    [("small,eagle,lookup,mtp", ["eagle", "lookup"]), ("small", ["small"]), ("eagle,pigeon", ["eagle", "pigeon"])],
)
def test_the_sweep_leaves_out_a_drafter_that_the_models_lack_and_lets_the_engine_refuse_what_is_none(ticked, swept):
    engine = FakeEngine()
    asked = []
    engine.sweep = lambda prompt, drafters, *_: asked.append(drafters) or iter(())
    list(runs(SimpleNamespace(engine=engine), PanelRequest({"drafters": ticked}, ("", PUBLIC), lambda: False)))
    assert asked == [swept]
