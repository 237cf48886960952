"""The Lab: what its tab needs, what its panels may be sent, and what Break it works out of each rule."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from statistics import median

import numpy as np
import pytest
import torch

from specviz.config import ASSETS
from specviz.page import look
from specviz.page.classroom import messages as room_messages
from specviz.page.classroom.rooms import Question, Rooms
from specviz.page.keep import recorded
from specviz.page.lab import tab
from specviz.page.lab.panel import LIST_CHARACTERS, Panel, PanelContext, PanelRequest, PanelStep, whole_numbers
from specviz.page.lab.panels import PANELS as LIST
from specviz.page.lab.panels.mistakes import PANEL
from specviz.page.lab.panels.sweep import runs
from specviz.page.learn.chapter import Exercise
from specviz.picture.sheets import LAB, PAGE, SHEETS
from specviz.rules import RULES
from specviz.rules.typical import Typical
from specviz.trace.events import Token
from specviz.words import classroom as words

from ..browser.fake_engine import PUBLIC, FakeEngine
from ..by_rule import verify_block
from ..fake_trace import fake_trace

PANELS = {panel.key: panel for panel in LIST}


def test_what_the_tab_needs_comes_when_it_is_opened_and_not_before():
    bundle = tab.contents()
    assert [panel["key"] for panel in bundle["panels"]] == list(PANELS) and LIST[0].key == "mistakes"
    assert "specvizLab" in bundle["script"] and "lab-panel" in bundle["style"]
    assert set(LAB).isdisjoint(PAGE) and SHEETS["lab"]
    assert ".lab-panel" not in look.head() and LIST[0].answers not in look.head()


def panel(*steps, error=None):
    def runs(context, request):
        yield from steps
        if error:
            raise error

    return Panel("fake", "Fake", "Fake", "Is it?", Exercise((), ()), runs=runs)


def messages(panel, stop=lambda: False):
    return [json.loads(text) for text in tab.run_messages(panel, None, PanelRequest({}, "", stop))]


def test_the_last_message_has_all_that_was_found_also_when_it_is_stopped_or_fails():
    lines = messages(panel(PanelStep(1, 2, {"a": 1}), PanelStep(2, 2, {"a": 2})))
    assert lines[0] == {"state": "running", "done": 0, "of": 1, "left": None, "found": None}
    assert lines[-1] == {"state": "done", "done": 2, "of": 2, "found": {"a": 2}}
    steps = [PanelStep(i, 9, {"rows": i}) for i in range(1, 10)]
    answers = iter([False, False, True, True])
    assert messages(panel(*steps), lambda: next(answers))[-1] == {"state": "stopped", "done": 3, "of": 9, "found": {"rows": 3}}
    failed = messages(panel(steps[0], error=ValueError("K is 99; it must be at most 16")))[-1]
    assert failed == {"state": "error", "message": "K is 99; it must be at most 16.", "found": {"rows": 1}}
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
        next(runs(PanelContext(engine, None, None, None), PanelRequest(settings, engine.models()[0], lambda: False)))
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("ticked", "swept"),
    [("small,eagle,lookup,mtp", ["eagle", "lookup"]), ("small", ["small"]), ("eagle,pigeon", ["eagle", "pigeon"])],
)
def test_the_sweep_leaves_out_a_drafter_that_the_models_lack_and_lets_the_engine_refuse_what_is_none(ticked, swept):
    engine = FakeEngine()
    sweeps = []
    engine.sweep = lambda prompt, drafters, *_: sweeps.append(drafters) or iter(())
    list(runs(PanelContext(engine, None, None, None), PanelRequest({"drafters": ticked}, PUBLIC, lambda: False)))
    assert sweeps == [swept]


node = pytest.mark.skipif(not shutil.which("node"), reason="what a script does is asked of node, which is not here")
P, Q = np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.7, 0.15, 0.1, 0.05])

# What one round of K = 1 gives, with the chance of each, where the second p is the first backwards;
# the first token alone; and, of the language, the tokens that a round gives.
ASK = """
import {{ enumerateOutcomes, RULES }} from "{folder}/mistakes/rules.js";
import {{ example, language }} from "{folder}/mistakes/trial.js";
import {{ P, Q, TOKENS }} from "{folder}/../shared/formulas.js";
import {{ ownRule, PRESETS }} from "{folder}/mistakes/own.js";
const [p, q] = [{p}, {q}];
const model = {{ p: (text) => (text.length % 2 ? p.toReversed() : p), q: () => q }};
const own = (formulas) => {{
  const rule = ownRule(formulas);
  const one = example("example");
  return {{ formulas, one: one.exact(rule), stays: one.roundMeans(rule).stays, everywhere: !rule.elsewhere }};
}};
const presets = Object.fromEntries(Object.entries(PRESETS).map(([key, formulas]) => [key, own(formulas)]));
const found = RULES.map((rule) => {{
  const round = enumerateOutcomes((chance) => rule.round([], 1, model, chance));
  return [rule.key, {{ round, one: example("example").exact(rule), tokens: language().roundMeans(rule).tokens }}];
}});
console.log(JSON.stringify({{ rules: Object.fromEntries(found), P, Q, TOKENS, presets }}));
"""


@pytest.fixture(scope="module")
def scripts():
    code = ASK.format(folder=(ASSETS / "lab").as_uri(), p=P.tolist(), q=Q.tolist())
    done = subprocess.run(["node", "--input-type=module", "-"], input=code, capture_output=True, encoding="utf-8", check=True)
    return json.loads(done.stdout)


KEPT, RESIDUAL = np.minimum(P, Q), np.maximum(P - Q, 0) / np.maximum(P - Q, 0).sum()


def corrected(stays: np.ndarray) -> np.ndarray:
    """`stays`: the chance of each token to be drafted and to stay; what is left goes to the residual."""
    return stays + (1 - stays.sum()) * RESIDUAL


def followed(first: np.ndarray) -> np.ndarray:
    """The law of two tokens, of which the target alone writes the second."""
    return np.outer(first, P[::-1])


SOFTENED = np.exp(np.maximum(P - Q, 0)) / np.exp(np.maximum(P - Q, 0)).sum()
LARGEST = P * (Q.max() == Q)  # what a draft that takes its largest keeps, and one that drops all others
LAWS = {
    "rejection": followed(P),
    "resample": followed(KEPT + (1 - KEPT.sum()) * P),
    "softened": followed(KEPT + (1 - KEPT.sum()) * SOFTENED),
    "mixed": followed(corrected(LARGEST / Q)),
    "doubtful": followed(LARGEST + (Q.max() - LARGEST.sum()) * RESIDUAL + (1 - Q.max()) * P),
    "early": np.outer(KEPT, P) + followed((1 - KEPT.sum()) * RESIDUAL),
}


@node
@pytest.mark.parametrize("key", LAWS)
def test_two_tokens_of_a_rule_have_the_law_that_a_formula_gives(scripts, key):
    law = np.zeros((4, 4))
    for way in scripts["rules"][key]["round"]:
        first, *second = way["result"]
        law[first] += way["chance"] * (np.eye(4)[second[0]] if second else P[::-1])  # the target alone follows a shorter round
    assert law.ravel().tolist() == pytest.approx(LAWS[key].ravel().tolist(), abs=1e-6)


@node
def test_the_first_token_of_the_other_mistakes_has_the_law_that_a_formula_gives(scripts):
    rules = scripts["rules"]
    filtered = np.where(np.sort(Q)[-2] <= Q, Q, 0)
    likely = float(Typical(0.09, 0.3).bound(torch.tensor(P))) < P
    assert rules["stuck"]["one"] == pytest.approx(corrected(np.where(P / Q > 0.4963, Q, 0)).tolist())
    assert rules["filtered"]["one"] == pytest.approx(corrected(filtered / filtered.sum() * np.minimum(P / Q, 1)).tolist())
    assert rules["most"]["one"] == pytest.approx(corrected(Q * np.minimum((np.floor(256 * P / Q) + 1) / 256, 1)).tolist())
    assert rules["typical"]["one"] == pytest.approx((Q * likely + (1 - (Q * likely).sum()) * P).tolist())


CHANCES = {"Σ min(p, q)": np.minimum(P, Q), "Σ p·q": P * Q, "Σ min(p/θ, q)": np.minimum(P / 0.5, Q)}


@node
def test_a_rule_in_use_is_as_formulas_what_its_record_and_the_document_of_rules_say(scripts):
    document = (Path(__file__).parents[2] / "docs" / "rules.md").read_text("utf-8")
    for name in RULES.keys() & scripts["presets"].keys():
        preset, chance = scripts["presets"][name], re.search(r"The chance is (Σ [^.,]+(?:, q\))?)", RULES[name].sentence)
        assert preset["everywhere"] == RULES[name].exact, name
        assert name == "typical" or preset["stays"] == pytest.approx(CHANCES[chance[1]].sum()), name
    rows = re.findall(r"^\| (\w+) \| `([^`]+)` \| `([^`]+)` \| (yes|\*\*no)", document, re.MULTILINE)
    for name, accept, replace, exact in rows:
        preset = scripts["presets"][name]
        assert preset["formulas"] == {"accept": accept, "replace": replace} and preset["everywhere"] == (exact == "yes"), name
    assert {name for name, *_ in rows} == scripts["presets"].keys()
    assert scripts["presets"]["ensemble"]["one"] == pytest.approx((0.5 * P + 0.5 * Q).tolist())  # assistant_ensemble_weight


@node
def test_a_round_of_block_verification_gives_as_many_tokens_as_the_engine_s(scripts):
    names = scripts["TOKENS"]

    def distributions(of: str, text: str) -> list[float]:
        return [scripts[of][text[-1:]][x] for x in names]

    mean = 0.0
    for a in names:
        for b in names:
            q = torch.tensor([distributions("Q", ""), distributions("Q", a)], dtype=torch.float64)
            p = torch.tensor([distributions("P", ""), distributions("P", a), distributions("P", b)], dtype=torch.float64)
            one, two = verify_block(torch.tensor([names.index(a), names.index(b)]), q, p, [0.5, 0.5]).chance
            drafted = distributions("Q", "")[names.index(a)] * distributions("Q", a)[names.index(b)]
            mean += drafted * (1 + 2 * two + (1 - two) * one)
    assert scripts["rules"]["block"]["tokens"] == pytest.approx(mean)


def test_every_rule_and_every_source_has_its_words(scripts):
    assert {f"rule_{key}" for key in [*scripts["rules"], "own"]} == {key for key in PANEL.words if key.startswith("rule_")}
    for kind in ("preset_", "source_"):
        assert {f"{kind}{key}" for key in scripts["presets"]} == {key for key in PANEL.words if key.startswith(kind)} - {
            "preset_typed"
        }


def test_a_recorded_run_is_given_by_its_name_and_nothing_by_any_other():
    [recorded_run] = PANEL.serves(PanelContext(None, None, None, lambda name: fake_trace()))
    assert json.loads(recorded_run(recorded.names()[0]))["shapes"]
    for other in ("", "../opening", "example", None, 3, {"a": 1}, ["opening"]):
        assert recorded_run(other) == ""


def test_a_class_is_asked_about_a_rule_and_told_the_answer_that_the_page_calculates():
    rooms = Rooms()
    room = rooms.begin("Once", [Token(7, "Once")])
    ask, reveal = room_messages.poll_functions(rooms, PANEL.asks)
    message = {"code": room.code, "key": room.key, "about": "min(1, p / q)\np"}
    assert json.loads(ask(message)) == {}
    seat = room.join()
    poll = room.phone_view(seat)["poll"]
    assert "“min(1, p / q)”" in poll["ask"] and "weight “p”" in poll["ask"] and poll["choices"] == ("Exact", "Biased")
    room.vote(seat, message["about"], 0)
    assert json.loads(reveal(message | {"right": 1})) == {}
    assert (room.phone_view(seat)["poll"]["own"], room.phone_view(seat)["poll"]["right"]) == (0, 1)
    assert json.loads(ask(message | {"about": None})) == {} and room.phone_view(seat)["poll"] is None


def test_phones_are_told_on_which_machine_an_answer_was_measured():
    rooms = Rooms()
    room = rooms.begin("Once", [Token(7, "Once")])
    ask, reveal = room_messages.poll_functions(rooms, lambda _: Question("How long?", ("1", "2"), None, "It depends."))
    seat, message = room.join(), {"code": room.code, "key": room.key, "about": "alone", "right": 1}
    for measured, sentence in (
        ({"times": 1.777, "recorded": False}, f"{words.MEASURED['here'].format(times='1.78')} It depends."),
        ({"times": 1.03, "recorded": True}, f"{words.MEASURED['recorded'].format(times='1.03')} It depends."),
        ({"times": float("nan")}, "It depends."),
        ({"times": "<b>"}, "It depends."),
        ({}, "It depends."),
    ):
        ask(message)
        reveal(message | measured)
        assert room.phone_view(seat)["poll"]["why"] == sentence


@pytest.mark.parametrize("about", ["", "p", "p\n", "p\nq\nq", f"p\n{'q' * 121}", "p\n\u202eq", "p\n   "])
def test_what_is_no_rule_is_not_asked(about):
    with pytest.raises(ValueError, match="two formulas in one line each, with at most 120 characters"):
        PANEL.asks(about)
