"""What stands in the controls, or in a link, becomes the settings of a run; what does not pass is named, and nothing else happens."""

import json
from itertools import combinations
from types import SimpleNamespace

import gradio as gr
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specviz.config import ASSETS, CONFLICTING, SETTINGS, ConfigError, DecodeConfig, SettingInfo
from specviz.page.keep.recorded import header, load, names
from specviz.page.settings import DEFAULT, NAMES, NO_SETTING, default_values, read_link, settings_of, tab_of_address, values_of
from specviz.page.watch.run import read_settings
from specviz.page.watch.setting import exclusions, slider_update
from specviz.request import PROMPT_LIMIT
from specviz.rules import SAVED
from specviz.site.data import SETTINGS_HERE
from specviz.trace.file import read

from ..browser.fake_engine import PUBLIC, FakeEngine
from ..page_fixtures import SAVED_RUNS

OF_RULE = {name: setting.rule for name, setting in SETTINGS.items() if setting.rule}
OF_KEY = {SETTINGS[name].key: rule for name, rule in OF_RULE.items()}


def config_of(**changed) -> DecodeConfig:
    return read_settings(default_values(FakeEngine()) | changed)


def test_what_stands_there_first_is_the_default_of_the_page_and_so_is_what_is_not_among_the_values():
    assert config_of() == DEFAULT and tuple(default_values(FakeEngine())) == NAMES
    assert read_settings({"K": 5}) == DecodeConfig(K=5, temperature=DEFAULT.temperature, max_new_tokens=DEFAULT.max_new_tokens)


def another(setting: SettingInfo):
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


@pytest.mark.parametrize("value", [None, "", "4"])
def test_what_a_field_without_a_number_held_can_be_put_back(value):
    assert slider_update(SETTINGS["K"], value) == {"value": value, "maximum": 16}


def test_a_field_hands_over_a_whole_number_with_a_point_and_half_a_token_is_refused():
    assert config_of(K=4.0, length=40.0) == DecodeConfig(K=4, max_new_tokens=40, temperature=DEFAULT.temperature)
    with pytest.raises(ConfigError, match=r"K is 4\.5"):
        config_of(K=4.5)


@pytest.mark.parametrize(
    ("on", "shut"),
    [
        ({"verifier": "block"}, "tree"),
        ({"tree": "static"}, "survival"),
        ({"grammar": "a"}, "ignore_eos"),
        ({"ignore_eos": True}, "grammar"),
    ],
)
def test_what_leaves_a_setting_no_choice_shuts_it_and_says_why_and_both_that_are_on_can_be_taken_back(on, shut):
    plain = {name: SETTINGS[name].default for name in CONFLICTING}
    assert all(look["interactive"] for look in exclusions(plain).values())
    assert (
        not exclusions(plain | on)[shut]["interactive"]
        and exclusions(plain | on)[shut]["info"] != exclusions(plain)[shut]["info"]
    )
    both = exclusions(plain | on | {shut: another(SETTINGS[shut])})
    assert all(both[name]["interactive"] and both[name]["info"] for name in (*on, shut))


def test_no_two_settings_of_the_site_are_in_conflict():
    values = [{name: value} for name, one in SETTINGS_HERE.items() if name != "stop" for value in one.samples]
    for one, other in combinations(values, 2):
        DecodeConfig(**one | other)


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda each: st.lists(each) | st.dictionaries(st.text(), each),
)


@settings(max_examples=60)
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


ENGINE = FakeEngine()


def link(**params):
    return read_link(params, ENGINE)


def test_settings_are_read_into_the_values_of_their_controls_from_an_address_and_from_a_script():
    read = link(prompt="Once", models="story", drafter="lookup", K="5", stop="The end\n\nend", ignore_eos="1")
    assert read.problems == () and read.sentence == ""
    own = {"prompt": "Once", "models": "story", "drafter": "lookup", "K": 5, "stop": "The end\nend", "ignore_eos": True}
    assert read.settings == own and read.filled == "both"
    assert link(K=4, temperature=0, ignore_eos=True).settings == {"K": 4, "temperature": 0.0, "ignore_eos": True}
    assert (link(prompt="Once").filled, link(K="5").filled) == ("prompt", "settings")  # only what it filled in is named


@pytest.mark.parametrize("name", SETTINGS)
def test_a_link_may_carry_every_setting_and_every_choice_of_it(name):
    setting = SETTINGS[name]
    for value in setting.choices or [values_of(DecodeConfig(**{name: another(setting)}))[setting.key]]:
        read = link(**{setting.key: str(value)})
        assert read.problems == () and read.settings == {setting.key: value}


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("K", "33", "“Drafted tokens, K” is 33; it must be a whole number from 0 to 32"),
        ("K", "4.5", "“Drafted tokens, K” is 4.5"),
        ("K", "", "“Drafted tokens, K” is empty"),
        ("K", "٤", "is ٤"),
        ("temperature", "nan", "“Temperature” is nan"),
        ("temperature", "0.01", "from 0.05 to 5.0 (0 for greedy)"),
        ("seed", str(2**32), "from 0 to 4294967295"),
        ("children", "3·2", "1 to 16 numbers from 1 to 99, such as 3-2-1-1"),
        ("verifier", "trust", f"it must be {SETTINGS['verifier'].bound}"),
        ("verifier", "siblings", f"it must be {SETTINGS['verifier'].bound}"),  # of saved runs alone, as is adaptive
        ("ignore_eos", "maybe", "true or false"),
        ("adaptive", "true", "there is no setting “adaptive”"),
        ("stop", "\n".join("abcdefghi"), "at most 8 strings"),
        ("drafter", "telepathy", "“How to draft” is telepathy; it must be one of small, "),
        ("recorded", "../opening", "“Recorded runs” is ../opening"),
        ("prompt", "   ", "“Prompt” is    ; it must be a text of at most"),
        ("prompt", "x" * (PROMPT_LIMIT + 1), "xxx…"),
        ("speed", "9", "there is no setting “speed”"),
        ("__proto", "9", None),
        ("utm_source", "mail", None),
    ],
)
def test_a_value_that_does_not_pass_is_named_and_the_rest_is_used(name, value, says):
    read = link(**{name: value, "seed" if name != "seed" else "K": "3"})
    assert read.settings == ({"seed": 3} if name != "seed" else {"K": 3}) and read.recorded is None
    assert len(read.problems) == (says is not None)
    assert says is None or says in read.sentence
    assert len(read.sentence) < 400


def test_the_scripts_of_the_page_and_of_the_site_know_the_same_names_that_set_nothing():
    assert f"NO_SETTING = /^({NO_SETTING.pattern})$/;" in (ASSETS / "player" / "page.js").read_text("utf-8")


def test_a_drafter_is_one_of_the_models_that_the_link_names():
    assert link(models=PUBLIC, drafter="eagle").settings == {"models": PUBLIC, "drafter": "eagle"}
    assert link(drafter="bigram").settings == {"models": "story", "drafter": "bigram"}
    assert link(models=PUBLIC, drafter="bigram").settings == {"models": PUBLIC}


def test_a_hundred_wrong_parameters_make_one_short_sentence():
    read = link(**{f"x{i}" * 30: "1" for i in range(100)})
    assert read.settings == {} and len(read.problems) == 100
    assert len(read.sentence) < 400 and "and 96 more" in read.sentence


@pytest.mark.parametrize("name", SAVED)
def test_a_saved_run_by_a_rule_that_is_gone_leaves_the_rule_of_the_controls_as_it_is(name):
    settings = settings_of(read(SAVED_RUNS / f"{name}.jsonl").header, ENGINE)
    assert settings.keys() == set(NAMES) - {"verifier"}


@pytest.mark.parametrize("name", names())
def test_the_settings_of_a_recorded_run_are_such_as_a_link_can_carry(name):
    settings = settings_of(header(name), ENGINE)
    assert set(settings) == set(NAMES)
    carried = {key: str(value) for key, value in settings.items() if value != ""}
    read = link(**carried, recorded=name)
    assert read.problems == () and read.recorded == name and name in names()
    assert {**settings, **read.settings} == settings
    assert read.settings["K"] == load(name).header.config.K and isinstance(load(name).header.config, DecodeConfig)


@pytest.mark.parametrize("value", ["5", "99", "<b>"])
def test_an_address_selects_a_tab_by_what_it_has_and_any_other_value_is_refused_with_its_bound(value):
    select_tab = tab_of_address("learn", "chapter", {"5"}, "a number from 1 to 12")
    assert select_tab(SimpleNamespace(query_params={})) == (gr.skip(), gr.skip())
    tabs, status = select_tab(SimpleNamespace(query_params={"chapter": value}))
    if value == "5":
        assert tabs.selected == "learn" and status == gr.skip()
    else:
        assert tabs == gr.skip() and json.loads(status)["state"] == "refused"
        assert f"“chapter” is {value}; it must be a number from 1 to 12." in json.loads(status)["message"]
