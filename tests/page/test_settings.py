"""What stands in the controls becomes the settings of a run."""

import pytest

from specviz.config import ConfigError, DecodeConfig
from specviz.page.settings import DEFAULT, NAMES, OF_RULE, SAME, first, read
from tests.browser.fake_engine import FakeEngine


def chosen(**changed) -> DecodeConfig:
    standing = first(FakeEngine()) | changed
    return read(*(standing[name] for name in NAMES[3:]))


def test_what_stands_there_first_is_the_default_of_the_page():
    assert chosen() == DEFAULT


def test_every_control_has_its_place():
    for name, value in {"epsilon": 0.2, "delta": 0.5, "theta": 0.8, "survival": 0.3, "confidence": 0.4, "adaptive": True}.items():
        assert getattr(chosen(**{name: value, "verifier": OF_RULE.get(name, "block")}), name) == value
    assert set(SAME) <= set(DecodeConfig.__dataclass_fields__)


@pytest.mark.parametrize(("name", "rule"), OF_RULE.items())
def test_what_is_of_another_rule_is_out_of_sight_and_changes_and_refuses_nothing(name, rule):
    assert getattr(chosen(**{name: 7}), name) == getattr(DEFAULT, name)
    with pytest.raises(ConfigError, match=name):
        chosen(**{name: 7, "verifier": rule})
