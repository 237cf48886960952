"""Break it works out in the browser what the engine's own code does: each rule of the page is held to the engine's, mistakes planted."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
import torch

from specviz.config import ASSETS
from specviz.page.keep import recorded
from specviz.page.lab.panel import PanelContext
from specviz.page.lab.panels.mistakes import PANEL, WORDS
from specviz.rules import RULES, BlockInputs, Rule
from specviz.rules.rejection import Rejection
from specviz.rules.threshold import Threshold
from specviz.rules.typical import Typical
from tests.by_rule import verify_block
from tests.engine import test_mistakes as engine
from tests.fake_trace import fake_trace

node = pytest.mark.skipif(not shutil.which("node"), reason="what a script does is asked of node, which is not here")
P, Q = np.array(engine.P), np.array(engine.Q)

# What one round of K = 1 gives, with the chance of each, where the second p is the first backwards, as in tests/engine/test_mistakes.py;
# texts of two tokens by such rounds; the first token alone; and, of the language, the tokens that a round gives.
ASK = """
import {{ RULES }} from "{folder}/mistakes/table.js";
import {{ example, language }} from "{folder}/mistakes/sources.js";
import {{ texts }} from "{folder}/mistakes/cases.js";
import {{ enumerateOutcomes }} from "{folder}/mistakes/chance.js";
import {{ P, Q, TOKENS }} from "{folder}/../shared/language.js";
import {{ ownRule, PRESETS }} from "{folder}/mistakes/own.js";
const [p, q] = [{p}, {q}];
const model = {{ p: (text) => (text.length % 2 ? p.toReversed() : p), q: () => q }};
const two = texts([..."abcd"], model, 2, 1);
const own = (formulas) => {{
  const rule = ownRule(formulas);
  const one = example("example");
  return {{ formulas, two: texts([..."abcd"], model, 2, 2).exact(rule), one: one.exact(rule), stays: one.kept(rule).stays, everywhere: !rule.elsewhere }};
}};
const presets = Object.fromEntries(Object.entries(PRESETS).map(([key, formulas]) => [key, own(formulas)]));
const found = RULES.map((rule) => {{
  return [rule.key, {{ round: enumerateOutcomes((chance) => rule.round([], 1, model, chance)), two: two.exact(rule), one: example("example").exact(rule), tokens: language().kept(rule).tokens, right: rule.right }}];
}});
console.log(JSON.stringify({{ rules: Object.fromEntries(found), P, Q, TOKENS, presets, own: {formulas}.map(own) }}));
"""


class Formula(NamedTuple):
    """A formula as a reader types it, and by numpy: (p, q, i, K) → a value for each token."""

    text: str
    value: Callable[..., np.ndarray]


def joined(text: str, act: Callable, *parts: Formula) -> Formula:
    """`text` has a place for each part."""
    return Formula(text.format(*(part.text for part in parts)), lambda *at: act(*(part.value(*at) for part in parts)))


LEAVES = [
    Formula("p", lambda p, q, i, K: p),
    Formula("q", lambda p, q, i, K: q),
    Formula("i / K", lambda p, q, i, K: np.full(4, i / K)),
    Formula("H", lambda p, q, i, K: np.full(4, -(p * np.log(p)).sum())),
    Formula("0.3", lambda p, q, i, K: np.full(4, 0.3)),
]
ONE = {"-{}": np.negative, "exp(min({}, 2))": lambda a: np.exp(np.minimum(a, 2)), "({} + 1)^2": lambda a: (a + 1) ** 2}
TWO = {
    "({} + {})": np.add,
    "({} - {})": np.subtract,
    "{} * {}": np.multiply,
    "{} / (0.1 + ({})^2)": lambda a, b: a / (0.1 + b**2),
    "min({}, {})": np.minimum,
    "max({}, {})": np.maximum,
    "({} < {})": lambda a, b: (a < b).astype(float),
    "({} > {})": lambda a, b: (a > b).astype(float),
}


def random_formula(random: Random, depth: int, summed: bool = False) -> Formula:
    kind = random.random()
    if not depth or kind < 0.2:
        return random.choice(LEAVES)
    if kind < 0.35 and not summed:
        return joined("sum({})", lambda a: np.full(4, a.sum()), random_formula(random, depth - 1, True))
    acts = ONE if kind < 0.5 else TWO
    text = random.choice([*acts])
    return joined(text, acts[text], *(random_formula(random, depth - 1, summed) for _ in range(1 if acts is ONE else 2)))


def random_rule(random: Random) -> tuple[Formula, Formula]:
    """A chance and a weight, both within their bounds."""
    chance, weight = (random_formula(random, 2) for _ in range(2))
    return joined("max(0, min(1, {}))", lambda a: np.clip(a, 0, 1), chance), joined(
        "max({}, 0.01)", lambda a: np.maximum(a, 0.01), weight
    )


OWN = [random_rule(Random(seed)) for seed in range(100)]


@pytest.fixture(scope="module")
def scripts():
    """What the page's own scripts say."""
    formulas = [{"accept": accept.text, "replace": replace.text} for accept, replace in OWN]
    code = ASK.format(
        folder=(ASSETS / "lab").as_uri(), p=json.dumps(engine.P), q=json.dumps(engine.Q), formulas=json.dumps(formulas)
    )
    done = subprocess.run(["node", "--input-type=module", "-"], input=code, capture_output=True, encoding="utf-8", check=True)
    return json.loads(done.stdout)


PLANTED = {
    "rejection": lambda patch: None,
    "resample": engine.resample_from_p,
    "softened": engine.softmax_over_the_residual,
    "mixed": engine.draft_by_argmax_but_test_with_softmax,
    "doubtful": engine.drop_a_draft_token_of_low_q,
    "early": engine.take_the_bonus_from_one_position_earlier,
}


@node
@pytest.mark.parametrize("key", PLANTED)
def test_a_rule_has_the_distribution_of_the_engine_with_the_mistake_planted(scripts, key, monkeypatch):
    PLANTED[key](monkeypatch)
    found = np.zeros((4, 4))
    for way in scripts["rules"][key]["round"]:
        first, *second = way["result"]
        found[first] += way["chance"] * (
            np.eye(4)[second[0]] if second else P[::-1]
        )  # a shorter round is followed by the target alone
    assert found.ravel().tolist() == pytest.approx(engine.law_of_block(1).ravel().tolist(), abs=1e-6)


@node
@pytest.mark.parametrize("mistake", [m for m in engine.MISTAKES if m.first], ids=str)
def test_the_first_token_comes_as_often_as_is_known_of_the_mistake(scripts, mistake):
    [key] = [key for key, plant in PLANTED.items() if plant is mistake.plant]
    assert round(scripts["rules"][key]["one"][0], 2) == mistake.first


@node
def test_every_right_rule_follows_the_target(scripts):
    for key, rule in scripts["rules"].items():
        if rule["right"]:
            assert np.abs(np.array(rule["two"]).reshape(4, 4) - np.outer(P, P[::-1])).max() < 1e-12, key


def corrected(kept: np.ndarray) -> list[float]:
    """`kept`: the chance of each token to be drafted and to stay; what is left goes to the residual."""
    excess = np.maximum(P - Q, 0)
    return (kept + (1 - kept.sum()) * excess / excess.sum()).tolist()


@node
def test_the_mistakes_that_the_engine_has_no_plant_for_have_the_law_that_a_formula_gives(scripts):
    rules = scripts["rules"]
    filtered = np.where(np.sort(Q)[-2] <= Q, Q, 0)
    likely = float(Typical(0.09, 0.3).bound(torch.tensor(P))) < P
    assert rules["stuck"]["one"] == pytest.approx(corrected(np.where(P / Q > 0.4963, Q, 0)))
    assert rules["filtered"]["one"] == pytest.approx(corrected(filtered / filtered.sum() * np.minimum(P / Q, 1)))
    assert rules["most"]["one"] == pytest.approx(corrected(Q * np.minimum((np.floor(256 * P / Q) + 1) / 256, 1)))
    assert rules["typical"]["one"] == pytest.approx((Q * likely + (1 - (Q * likely).sum()) * P).tolist())


def own_distribution(rule: tuple[Formula, Formula], p: np.ndarray, i: int) -> tuple[np.ndarray, np.ndarray]:
    """At place i of 2, for each token the chance that it is drafted and accepted, and that it replaces a rejected token."""
    chance, weight = (formula.value(p, Q, i, 2) for formula in rule)
    accepted = Q * chance
    return accepted, (1 - accepted.sum()) * weight / weight.sum()


@node
def test_a_hundred_random_rules_have_the_distribution_that_numpy_gives(scripts):
    """Texts of two tokens: after an accepted token the second stands at place 2 of the block, after a replaced one at place 1."""
    for rule, found in zip(OWN, scripts["own"], strict=True):
        accepted, replaced = own_distribution(rule, P, 1)
        first, second = (sum(own_distribution(rule, P[::-1], i)) for i in (1, 2))
        due = np.outer(accepted, second) + np.outer(replaced, first)
        assert found["two"] == pytest.approx(due.ravel().tolist(), abs=1e-9), rule
        one = Q * rule[0].value(P, Q, 1, 1)
        assert found["stays"] == pytest.approx(one.sum(), abs=1e-9), rule


def engine_distribution(rule: Rule) -> np.ndarray:
    """Of one position, by the engine's own rule: every drafted token, and u in the middle of each of 70 cells, of which p/q is a border."""
    found = np.zeros(4)
    for x in range(4):
        for u in (np.arange(70) + 0.5) / 70:
            kept = rule.verify(BlockInputs([x], [P[x]], [Q[x]], np.array([P, P]), Q[None], [u]))
            found += Q[x] / 70 * (np.eye(4)[x] if kept.accepted else kept.then)
    return found


@node
@pytest.mark.parametrize("rule", [Rejection(), Threshold(0.5), Typical(0.09, 0.3)], ids=lambda rule: rule.name)
def test_a_rule_in_use_is_as_formulas_what_the_engine_decides(scripts, rule):
    assert scripts["presets"][rule.name]["one"] == pytest.approx(engine_distribution(rule).tolist())


CHANCES = {"Σ min(p, q)": np.minimum(P, Q), "Σ p·q": P * Q, "Σ min(p/θ, q)": np.minimum(P / 0.5, Q)}


@node
def test_a_rule_in_use_is_as_formulas_what_the_document_of_rules_says(scripts):
    document = (Path(__file__).parents[3] / "docs" / "rules.md").read_text("utf-8")
    for name in RULES.keys() - {"block"}:
        chance, exact = re.search(rf"^\| [^|]+ \| `{name}` \| [^|]+ \| ([^|]+) \| (yes|\*\*no)", document, re.MULTILINE).groups()
        found = scripts["presets"][name]
        assert found["everywhere"] == (exact == "yes"), name
        assert name == "typical" or found["stays"] == pytest.approx(CHANCES[chance].sum()), name
    rows = re.findall(r"^\| (\w+) \| `([^`]+)` \| `([^`]+)` \| (yes|\*\*no)", document, re.MULTILINE)
    for name, accept, replace, exact in rows:
        found = scripts["presets"][name]
        assert found["formulas"] == {"accept": accept, "replace": replace} and found["everywhere"] == (exact == "yes"), name
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


# ---- what the server gives ----


def test_a_recorded_run_is_given_by_its_name_and_nothing_by_any_other():
    [recorded_run] = PANEL.serves(PanelContext(None, None, None, lambda name: fake_trace()))
    assert json.loads(recorded_run(recorded.names()[0]))["shapes"]
    for other in ("", "../opening", "example", None, 3, {"a": 1}, ["opening"]):
        assert recorded_run(other) == ""


@node
def test_every_rule_and_every_source_has_its_words(scripts):
    assert {f"rule_{key}" for key in [*scripts["rules"], "own"]} == {key for key in WORDS if key.startswith("rule_")}
    for kind in ("preset_", "source_"):
        assert {f"{kind}{key}" for key in scripts["presets"]} == {key for key in WORDS if key.startswith(kind)} - {"preset_typed"}
    said = "\n".join(path.read_text("utf-8") for path in (ASSETS / "lab" / "mistakes").glob("*.js"))
    for key in WORDS:
        kept = key.startswith(("rule_", "from_", "unseen_", "note_", "preset_", "source_")) or key in ("hand_p", "hand_q")
        assert key in said or kept or f'"{key.rpartition("_")[2]}"' in said, key
    assert {f"wrong_{key}" for key in re.findall(r'FormulaError\("(\w+)"', said)} <= WORDS.keys()
