"""An auditor is worth what it catches: every run of the engine is found right, and every planted falsification wrong."""

import copy
import re
import subprocess
import sys
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from specviz.engine.draft.choose import Setup, drafter_for
from specviz.engine.models.pair import load_pair
from specviz.engine.race import race
from specviz.lab.audit.audit import audit, opened
from specviz.lab.audit.checkpoint import AuditError
from specviz.trace.events import Divergence, Logits, Round
from specviz.trace.file import dumps, loads
from specviz.trace.header import Trace

from ... import tiny, tiny_heads
from ...products import every

ROOT = Path(__file__).parents[3]
RECORDED = sorted((ROOT / "assets/traces").glob("*.jsonl.gz"))
SERVED = ROOT / "assets/traces/vllm.jsonl.gz"  # by another engine
SYNTHETIC = ROOT / "assets/traces/gpu-synthetic.jsonl.gz"  # of weights that were made for it, and are gone
quiet = pytest.fixture(autouse=True, scope="module")(tiny.one_thread)
PROMPT = "Once upon a time there was"
WAYS = {
    "greedy": {"temperature": 0},
    "sampled": {"temperature": 1.2},
    "filtered": {"temperature": 0.8, "top_k": 20, "top_p": 0.9},
    "match": {"verifier": "match", "top_p": 0.95},
    "confidence": {"confidence": 0.1, "K": 6},
    "survival": {"survival": 0.02, "K": 6},
    "adaptive": {"adaptive": True},
    "one at a time": {"K": 1, "temperature": 0.7},
    "argmax": {"drafting": "argmax", "top_p": 0.98},
    "argmax, as a block": {"drafting": "argmax", "verifier": "block"},
    "block": {"verifier": "block", "K": 5},
    "threshold": {"verifier": "threshold", "theta": 0.4},
    "typical": {"verifier": "typical", "epsilon": 0.05},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A target of six layers with a drafter of each kind that has weights, and drafts of other shapes; all random and tiny."""
    base, tokenizer = tmp_path_factory.mktemp("models"), tiny.byte_level()
    size = {"vocab_size": len(tokenizer)}
    model = tiny_heads.model("llama", **size)
    tiny.save(base / "target", model, tokenizer)
    tiny.save(base / "near", noisy(model), tokenizer)
    tiny.save(base / "draft", tiny.make(tiny.config("qwen3", **size), 1), tokenizer)
    tiny.save(base / "short", tiny.make(tiny.config("llama", max_position_embeddings=40, **size), 2), tokenizer)
    tiny.save(base / "padded", tiny.make(tiny.config("llama", vocab_size=len(tokenizer) + 9), 3), tokenizer)
    tiny.save(base / "cut", tiny.make(tiny.config("gpt2", vocab_size=len(tokenizer) - 5), 4), tokenizer)
    heads = {
        "heads": tiny_heads.mtp(model.config, modules=2),
        "mimo": tiny_heads.mtp(model.config, mimo=True),
        "eagle": tiny_heads.eagle(model.config),
        "shifted": tiny_heads.eagle(model.config, ids=list(range(0, size["vocab_size"], 2))),
    }
    for name, weights in heads.items():
        (base / name).mkdir()
        save_file(weights, base / name / "model.safetensors")
        (base / name / "config.json").write_bytes((base / "target" / "config.json").read_bytes())
    generator = torch.Generator().manual_seed(0)
    table = torch.stack([torch.randperm(size["vocab_size"], generator=generator)[:8] for _ in range(size["vocab_size"])])
    (base / "bigram").mkdir()
    counts = torch.randint(1, 99, table.shape, generator=generator).bfloat16()
    save_file({"next": table.short(), "count": counts}, base / "bigram" / "model.safetensors")
    (base / "bigram" / "config.json").write_text("{}")
    return base


def noisy(model):
    """The target with some noise in its weights: now and then accepted, now and then not."""
    near, generator = copy.deepcopy(model), torch.Generator().manual_seed(5)
    for weight in near.parameters():
        weight.data += 0.1 * weight.std() * torch.randn(weight.shape, generator=generator)
    return near


DRAFTS = {
    "a model that is near the target": "near",
    "a model": "draft",
    "a model of a short context": "short",
    "a model of a padded vocabulary": "padded",
    "a model that lacks some ids": "cut",
    "DeepSeek's heads": "mtp:heads",
    "MiMo's heads": "mtp:mimo",
    "an EAGLE head": "eagle:eagle",
    "an EAGLE head of its own vocabulary": "eagle:shifted",
    "a table": "bigram:bigram",
    "first layers": "early-exit:2",
    "copies": "lookup",
    "the target": "oracle",
    "anything": "random",
}


def placed(folder: Path, draft: str) -> str:
    kind, colon, name = draft.rpartition(":")
    return f"{kind}{colon}{folder / name}" if (folder / name).is_dir() else draft


loaded = cache(load_pair)


@cache
def ready(target: str, draft: str) -> Setup:
    """A target with what drafts for it, each loaded once for all of its runs."""
    pair = loaded(target, None)
    return Setup(pair.target, drafter_for(pair, draft), pair.text)


@cache
def ran(folder: Path, draft: str, **how) -> Trace:
    """A whole race, written and read again; the same one is run once."""
    setup = ready(str(folder / "target"), placed(folder, draft))
    *_, trace = race(setup, PROMPT, **({"K": 4, "max_new_tokens": 28, "ignore_eos": True, "seed": 7} | how))
    return loads(dumps(trace))


def redone(folder: Path, trace: Trace, draft: str = "near"):
    return audit(trace, str(folder / "target"), placed(folder, draft) if (folder / draft.rpartition(":")[2]).is_dir() else None)


@pytest.mark.parametrize("draft", DRAFTS)
def test_a_run_of_every_drafter_is_redone_and_nothing_is_wrong(folder, draft):
    ledger = redone(folder, ran(folder, DRAFTS[draft]), DRAFTS[draft])
    assert ledger.wrong == []
    assert ledger.errors["p"] < 2e-5 and ledger.errors["q"] < 2e-5
    assert list(ledger.skipped) == ["times: they belong to the machine"]
    assert ledger.checked["verdict"] and ledger.checked["draft drawn"] and ledger.checked["draft cache"]


@pytest.mark.parametrize("way", WAYS)
def test_a_run_by_every_rule_is_redone_and_nothing_is_wrong(folder, way):
    ledger = redone(folder, ran(folder, "near", **WAYS[way]))
    assert ledger.wrong == []
    more = ["why adaptive K asked for what it asked: it follows the clock"] if way == "adaptive" else []
    assert list(ledger.skipped) == ["times: they belong to the machine", *more]


@pytest.mark.slow
@every(draft=DRAFTS, way=WAYS)  # the draft changes last: its checkpoint stays loaded
def test_a_run_of_every_drafter_by_every_rule_is_redone_and_nothing_is_wrong(folder, way, draft):
    assert redone(folder, ran(folder, DRAFTS[draft], seed=11, **WAYS[way]), DRAFTS[draft]).wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path in RECORDED if path not in (SERVED, SYNTHETIC)], ids=lambda path: path.name)
def test_the_recorded_runs_hold(path):
    ledger = audit(opened(path))
    assert ledger.wrong == [] and ledger.summary()["decisions"] > 100


def test_a_run_of_another_engine_is_not_redone_and_it_is_said_whose_it_is():
    with pytest.raises(AuditError, match="only runs of specviz itself are redone, and this one was decoded by vLLM"):
        audit(opened(SERVED))


def test_a_run_whose_weights_are_gone_is_not_redone_and_it_is_said_whose_they_were():
    with pytest.raises(AuditError, match="no model 'Qwen3-8B, random weights'"):
        audit(opened(SYNTHETIC))


@pytest.mark.slow
@every(
    draft=["fable-small", "fable-large", "eagle", "mtp", "early-exit:3", "bigram", "lookup", "oracle", "random"],
    way=["greedy", "filtered", "match"],
)
def test_the_bundled_family_holds(draft, way):
    *_, trace = race(
        ready("fable", draft), "Once upon a time, there was a little dog named", **({"K": 4, "max_new_tokens": 32} | WAYS[way])
    )
    assert audit(loads(dumps(trace))).wrong == []


# ---------------------------------------------------------------- falsifications


def mixed(lane) -> int:
    """Where in a lane a round stands in which one token was accepted, one rejected, and one left unexamined."""
    return next(
        i for i, r in enumerate(lane) if verdicts(r)[:1] == ["accepted"] and verdicts(r)[-2:] == ["rejected", "unexamined"]
    )


def verdicts(event) -> list[str]:
    return [d.verdict for d in event.drafted] if isinstance(event, Round) else []


@cache
def honest(folder: Path, way: str = "sampled") -> Trace:
    """A run with such a round; one that a test may change."""
    for seed in range(40):
        trace = ran(folder, "near", seed=seed, **WAYS[way])
        try:
            mixed(trace.speculative)
            return trace
        except StopIteration:
            continue
    raise AssertionError("no seed gives such a run")


def put(value, path, new):
    """`value` with what stands at `path`, names and indices, replaced by `new`, or by what `new` makes of it."""
    if not path:
        return new(value) if callable(new) else new
    first, *rest = path
    if isinstance(first, int):
        at = range(len(value))[first]
        return (*value[:at], put(value[at], rest, new), *value[at + 1 :])
    return replace(value, **{first: put(getattr(value, first), rest, new)})


def in_round(*path, new):
    """A falsification inside the mixed round of the speculative lane."""
    return lambda trace: put(trace, ["speculative", mixed(trace.speculative), *path], new)


def rejected_at(trace) -> int:
    return verdicts(trace.speculative[mixed(trace.speculative)]).index("rejected")


def flipped(trace):
    """The rejected token is said to have been accepted, and stands in the text, with all that follows from it told alike."""
    at, i = mixed(trace.speculative), rejected_at(trace)
    trace = put(trace, ["speculative", at, "drafted", i, "verdict"], "accepted")
    return put(trace, ["speculative", at, "emitted", i], lambda e: replace(e, token=trace.speculative[at].drafted[i].token))


def other(token):
    return replace(token, id=token.id + 1 if token.id < 90 else 1)


def swapped(drafted):
    first, second, *rest = drafted
    return (replace(first, token=second.token), replace(second, token=first.token), *rest)


def plus(by):
    return lambda value: value + by


FALSE = {  # what is changed: (how, what the auditor must name among what is wrong)
    "p of a drafted token": (in_round("drafted", 0, "p", new=lambda p: 0.9 * p), "p"),
    "q of a drafted token": (in_round("drafted", 0, "q", new=lambda q: 0.9 * q), "q"),
    "p of an entry": (in_round("drafted", 0, "position", "entries", 1, "p", new=plus(0.01)), "p"),
    "q of an entry": (in_round("drafted", 0, "position", "entries", 1, "q", new=plus(0.01)), "q"),
    "an entry left out": (in_round("drafted", 0, "position", "entries", new=lambda some: some[1:]), "largest"),
    "the mass left out": (in_round("drafted", 0, "position", "p_rest", new=plus(0.01)), "rest"),
    "β": (in_round("drafted", 0, "position", "beta", new=plus(-0.01)), "β"),
    "the entropy of p": (in_round("drafted", 0, "position", "p_entropy", new=plus(0.05)), "entropy"),
    "the entropy of q": (in_round("drafted", 0, "position", "q_entropy", new=plus(0.05)), "entropy"),
    "p/q": (in_round("drafted", 0, "ratio", new=plus(1e-9)), "ratio"),
    "u of an accepted token": (in_round("drafted", 0, "u", new=lambda u: 0.999 * u), "u"),
    "u of the last token": (in_round("emitted", -1, "u", new=lambda u: 0.999 * u), "u"),
    "a u where none was asked": (in_round("drafted", -1, "u", new=0.5), "u"),
    "a verdict": (flipped, "verdict"),
    "the id of a drafted token": (in_round("drafted", -1, "token", new=other), "draft drawn"),
    "two ids changed for each other": (in_round("drafted", new=swapped), "p"),
    "the token that follows": (in_round("emitted", -1, "token", new=other), "last token"),
    "the text of a token": (in_round("emitted", -1, "token", "text", new=plus("x")), "name"),
    "a piece of text": (in_round("emitted", -1, "piece", new=plus("x")), "piece"),
    "p of a token that was never examined": (in_round("drafted", -1, "p", new=lambda p: 0.5 * p + 0.2), "p"),
    "the residual's mass": (in_round("residual", "mass", new=plus(0.01)), "residual"),
    "an entry of the residual": (in_round("residual", "entries", 0, "probability", new=plus(0.02)), "residual"),
    "the target's cache": (in_round("target_cache", "after", new=plus(1)), "target cache"),
    "the target's cache at its fullest": (in_round("target_cache", "peak", new=plus(1)), "target cache"),
    "the draft's cache": (in_round("draft_cache", "after", new=plus(-1)), "draft cache"),
    "the draft's passes": (in_round("draft_forwards", new=plus(1)), "passes"),
    "what was asked for": (in_round("asked", new=plus(-1)), "asked"),
    "why fewer were drafted": (in_round("fewer", new="context"), "fewer"),
    "positions of the prefill": (lambda t: put(t, ["speculative", 0, "draft_positions"], plus(-1)), "draft cache"),
    "p of the vanilla lane": (lambda t: put(t, ["vanilla", 3, "emitted", 0, "position", "entries", 0, "p"], plus(0.01)), "p"),
    "a token of the vanilla lane": (lambda t: put(t, ["vanilla", 3, "emitted", 0, "token"], other), "last token"),
    "u of the vanilla lane": (lambda t: put(t, ["vanilla", 3, "emitted", 0, "u"], lambda u: 0.999 * u), "u"),
    "a token of the prompt": (lambda t: put(t, ["vanilla", 0, "prompt", 2], other), "prompt"),
    "the prompt": (lambda t: put(t, ["header", "prompt"], plus("!")), "prompt"),
    "the temperature": (lambda t: put(t, ["header", "config", "temperature"], 1.1), "q"),
    "top-k": (lambda t: put(t, ["header", "config", "top_k"], 10), "p"),
    "the seed": (lambda t: put(t, ["header", "config", "seed"], plus(1)), "u"),
    "the verifier": (lambda t: put(t, ["header", "config", "verifier"], "match"), "verdict"),
    "K": (lambda t: put(t, ["header", "config", "K"], 5), "asked"),
    "the weights of the target": (lambda t: put(t, ["header", "target", "weights", 0, "sha256"], "ab" * 32), "weights"),
    "the weights of the draft": (lambda t: put(t, ["header", "draft", "weights", 0, "name"], "other.safetensors"), "weights"),
    "the kind of drafter": (lambda t: put(t, ["header", "drafter"], "oracle"), "q"),
    "a chat template": (lambda t: put(t, ["header", "chat"], True), "prompt"),
    "how it ended": (lambda t: put(t, ["speculative", -1, "reason"], "context"), "ending"),
    "a sum": (lambda t: put(t, ["speculative", -1, "accepted"], plus(1)), "sums"),
    "where greedy lanes part": (lambda t: put(t, ["header", "divergence"], parting(t)), "parting"),
}


def parting(trace):
    token = trace.vanilla[1].emitted[0].token
    return Divergence(0, token, token, Logits(1.0, 1.0), Logits(1.0, 1.0))


QUICK = (
    "p of a drafted token",
    "u of an accepted token",
    "a verdict",
    "the token that follows",
    "the draft's cache",
    "the temperature",
)


@pytest.mark.parametrize("what", [what if what in QUICK else pytest.param(what, marks=pytest.mark.slow) for what in FALSE])
def test_a_planted_falsification_is_caught(folder, what):
    change, named = FALSE[what]
    trace = change(honest(folder))
    assert trace != honest(folder)
    assert named in {wrong.what for wrong in redone(folder, trace).wrong}


@pytest.mark.slow
def test_what_was_falsified_held_before(folder):
    for way in ("sampled", "match", "greedy", "block", "argmax", "threshold", "typical"):
        assert redone(folder, honest(folder, way)).wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("way", ["match", "greedy", "block", "argmax", "threshold", "typical"])
@pytest.mark.parametrize(
    ("change", "named"),
    [
        (flipped, "verdict"),
        (in_round("emitted", -1, "token", new=other), "last token"),
        (in_round("drafted", 0, "token", new=other), "draft drawn"),
        (in_round("drafted", -1, "u", new=0.5), "u"),
        (in_round("emitted", 0, "u", new=0.5), "u"),
    ],
    ids=["a verdict", "the token that follows", "a drafted token", "u of a verdict", "u of a draw"],
)
def test_a_planted_falsification_under_other_rules_is_caught_too(folder, way, change, named):
    assert named in {wrong.what for wrong in redone(folder, change(honest(folder, way))).wrong}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "change", "named"),
    [
        ("block", in_round("drafted", 0, "joint", new=lambda p: 0.9 * p), "joint"),
        ("block", in_round("drafted", 0, "chance", new=lambda h: 0.5 * h), "chance"),
        ("block", in_round("residual", "mass", new=plus(0.01)), "residual"),
        ("block", lambda t: put(t, ["header", "config", "verifier"], "rejection"), "joint"),
        ("argmax", in_round("drafted", 0, "position", "own", "beta", new=plus(0.01)), "β"),
        ("argmax", in_round("drafted", 0, "position", "own", "entries", 0, new=plus(0.01)), "s"),
        ("argmax", in_round("drafted", 0, "position", "best", new=plus(0.01)), "p(argmax s)"),
        ("argmax", in_round("drafted", 0, "position", "own", new=None), "s"),
        ("sampled", in_round("drafted", 0, "position", "product", new=plus(0.01)), "Σ p·s"),
        ("typical", lambda t: put(t, ["header", "config", "delta"], 0.0), "verdict"),
        ("threshold", lambda t: put(t, ["header", "config", "theta"], 1.0), "verdict"),
        ("threshold", in_round("residual", new=None), "residual"),
        ("adaptive", lambda t: put(t, ["speculative", -2, "choice", "speedup"], plus(0.01)), "choice"),
        ("adaptive", lambda t: put(t, ["speculative", 1, "choice"], None), "choice"),
        ("survival", lambda t: put(t, ["header", "config", "survival"], 0.2), "confidence"),
    ],
)
def test_what_only_one_rule_says_is_redone_too(folder, way, change, named):
    assert named in {wrong.what for wrong in redone(folder, change(honest(folder, way))).wrong}


def test_another_draft_than_the_trace_says_is_caught(folder):
    assert {"weights", "q"} <= {wrong.what for wrong in redone(folder, honest(folder), "draft").wrong}


def test_an_end_of_sequence_token_that_ended_nothing_is_caught(folder):
    trace = put(honest(folder), ["header", "config", "ignore_eos"], False)
    assert redone(folder, trace).wrong == [] or not set(trace.header.eos).isdisjoint(ids(trace))
    planted = put(trace, ["header", "eos"], (trace.speculative[1].emitted[0].token.id,))
    assert "ending" in {wrong.what for wrong in redone(folder, planted).wrong}


def ids(trace):
    return [e.token.id for lane in (trace.vanilla, trace.speculative) for r in lane for e in getattr(r, "emitted", ())]


# ---------------------------------------------------------------- what is not there, and who is asked


def test_what_cannot_be_redone_is_said(folder):
    trace = honest(folder)
    old = replace(
        trace.header, drafter=None, eos=None, chat=None, target=bare(trace.header.target), draft=bare(trace.header.draft)
    )
    lanes = [tuple(replace(e, asked=None, fewer=None) if hasattr(e, "asked") else e for e in lane) for lane in lanes_of(trace)]
    ledger = redone(folder, Trace(old, *lanes))
    assert ledger.wrong == [] and ledger.errors["q"] < 2e-5
    said = " ".join(ledger.skipped)
    assert all(part in said for part in ("weights of the run", "kind of drafter", "end-of-sequence", "times"))
    elsewhere = put(trace, ["header", "machine", "device"], "NVIDIA H100")
    ledger = redone(folder, elsewhere)
    assert ledger.wrong == [] and "uniforms from the seed" in " ".join(ledger.skipped)


def bare(info):
    return replace(info, weights=(), context=None)


def lanes_of(trace):
    return trace.vanilla, trace.speculative


def test_a_run_that_was_not_observed_is_redone_as_far_as_it_goes(folder):
    def unseen(value):
        if isinstance(value, tuple):
            return tuple(map(unseen, value))
        if not is_dataclass(value):
            return value
        names = {f.name for f in fields(value)}
        return replace(
            value,
            **{name: unseen(getattr(value, name)) for name in names & {"drafted", "emitted"}},
            **({"position": None} if "position" in names else {}),
            **({"residual": None} if "residual" in names else {}),
        )

    trace = honest(folder)
    ledger = redone(folder, Trace(trace.header, unseen(trace.vanilla), unseen(trace.speculative)))
    assert ledger.wrong == [] and ledger.checked["verdict"] and not ledger.checked["β"]


def test_what_is_not_there_is_one_sentence(folder):
    with pytest.raises(AuditError, match="no model 'nobody': name its folder or hub id"):
        audit(honest(folder), "nobody")
    with pytest.raises(AuditError, match="hold no head that fuses features"):
        audit(ran(folder, "eagle:eagle"), str(folder / "target"), str(folder / "heads"))
    with pytest.raises(AuditError, match="hold no multi-token heads"):
        audit(ran(folder, "mtp:heads"), str(folder / "target"), str(folder / "eagle"))
    with pytest.raises(AuditError, match="holds no bigram table"):
        audit(ran(folder, "bigram:bigram"), str(folder / "target"), str(folder / "eagle"))


@pytest.mark.slow
def test_nothing_of_the_engine_is_loaded_by_the_auditor():
    code = "import sys, specviz.lab.audit.audit; print([name for name in sys.modules if name.startswith('specviz.')])"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    loaded = set(eval(run.stdout)) - {"specviz.lab", "specviz.trace"}
    assert loaded and not [name for name in loaded if name.startswith("specviz.engine")]
    # settings are read by the names of the rules, and with these come the rules: the auditor's own files ask none of them
    sources = [path.read_text("utf-8") for path in (ROOT / "specviz" / "lab" / "audit").glob("*.py")]
    assert sources and not [
        source for source in sources if re.search(r"import.*\b(rules|acceptance|rule_of)\b|from .*\b(rules|acceptance)\b", source)
    ]
