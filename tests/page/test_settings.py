"""What stands in the controls becomes the settings of a run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specviz.config import SETTINGS, ConfigError, DecodeConfig, SettingInfo
from specviz.page.settings import DEFAULT, NAMES, default_values, read_settings, values_of
from specviz.page.watch.setting import slider_update
from tests.browser.fake_engine import FakeEngine

OF_RULE = {name: setting.rule for name, setting in SETTINGS.items() if setting.rule}
OF_KEY = {SETTINGS[name].key: rule for name, rule in OF_RULE.items()}


def config_of(**changed) -> DecodeConfig:
    return read_settings(default_values(FakeEngine()) | changed)


def test_what_stands_there_first_is_the_default_of_the_page():
    assert config_of() == DEFAULT and tuple(default_values(FakeEngine())) == NAMES


def another(setting: SettingInfo):
    """A value that is not the page's own."""
    match setting.kind.__name__:
        case "bool":
            return True
        case "str":
            return list(setting.choices)[1] if setting.choices else "2-1"
        case "tuple":
            return "a", "b c"
    return setting.kind(setting.low + (setting.high - setting.low) * 0.75)


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_travels_by_its_name_to_the_controls_and_back(name):
    setting = SETTINGS[name]
    config = DecodeConfig(**{"verifier": setting.rule or DEFAULT.verifier, name: another(setting)})
    assert read_settings(values_of(config)) == config and getattr(config, name) != getattr(DEFAULT, name)


def test_what_is_not_among_the_values_is_the_page_s_own():
    assert read_settings({"K": 5}) == DecodeConfig(K=5, temperature=DEFAULT.temperature, max_new_tokens=DEFAULT.max_new_tokens)


@pytest.mark.parametrize("value", [None, "", "4"])
def test_what_a_field_without_a_number_held_can_be_put_back(value):
    assert slider_update(SETTINGS["K"], value) == {"value": value, "maximum": 16}


def test_a_field_hands_over_a_whole_number_with_a_point_and_half_a_token_is_refused():
    assert config_of(K=4.0, length=40.0) == DecodeConfig(K=4, max_new_tokens=40, temperature=DEFAULT.temperature)
    with pytest.raises(ConfigError, match=r"K is 4\.5"):
        config_of(K=4.5)


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda each: st.lists(each) | st.dictionaries(st.text(), each),
)


@given(st.sampled_from([setting.key for setting in SETTINGS.values()]), ANY)
def test_any_value_of_a_setting_is_taken_or_refused_by_its_name(key, value):
    try:
        read_settings({"verifier": OF_KEY.get(key), key: value} if key in OF_KEY else {key: value})
    except ConfigError as error:
        assert error.field in SETTINGS and SETTINGS[error.field].key == key


@pytest.mark.parametrize("text", ["x\n" * 1_000_000, "x" * 1_000_000])
def test_a_long_text_of_strings_is_refused_before_it_is_cut_into_lines(text):
    with pytest.raises(ConfigError) as refused:
        read_settings({"stop": text})
    assert refused.value.value is text


@pytest.mark.parametrize(("name", "rule"), OF_RULE.items())
def test_what_is_of_another_rule_is_out_of_sight_and_changes_and_refuses_nothing(name, rule):
    assert getattr(config_of(**{name: 7}), name) == getattr(DEFAULT, name)
    with pytest.raises(ConfigError, match=name):
        config_of(**{name: 7, "verifier": rule})
