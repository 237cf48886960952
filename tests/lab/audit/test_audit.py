"""An auditor is worth what it catches: every run of the engine is found right, and every planted falsification wrong."""

import re
import shutil
import subprocess
import sys
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from safetensors.torch import save_file

from specviz.engine.race import race
from specviz.lab.audit.audit import HALF, audit
from specviz.lab.audit.audit import slack as slack_of
from specviz.lab.audit.checkpoint import AuditError, checkpoint
from specviz.lab.audit.heads import eagle3
from specviz.lab.audit.uniforms import uniforms
from specviz.trace.events import Divergence, Logits, Round
from specviz.trace.file import dumps, loads, read
from specviz.trace.header import Trace

from ... import tiny, tiny_heads
from ...fakes import rounds
from ...products import every, some
from .runs import DRAFTS, WAYS, honest, mixed, placed, put, ran, ready, verdicts

ROOT = Path(__file__).parents[3]
RECORDED = sorted((ROOT / "assets/traces").glob("*.jsonl.gz"))
SERVED = ROOT / "assets/traces/vllm.jsonl.gz"  # by another engine
SYNTHETIC = ROOT / "assets/traces/gpu-synthetic.jsonl.gz"  # of weights that were made for it, and are gone


def redone(folder: Path, trace: Trace, draft: str = "near"):
    return audit(trace, str(folder / "target"), placed(folder, draft) if (folder / draft.rpartition(":")[2]).is_dir() else None)


@pytest.mark.slow
@pytest.mark.parametrize("draft", DRAFTS)
def test_a_run_of_every_drafter_is_redone_and_nothing_is_wrong(folder, draft):
    ledger = redone(folder, ran(folder, DRAFTS[draft]), DRAFTS[draft])
    assert ledger.wrong == []
    assert ledger.errors["p"] < 2e-5 and ledger.errors["q"] < 2e-5
    assert not ledger.skipped
    assert ledger.checked["verdict"] and ledger.checked["draft drawn"] and ledger.checked["draft cache"]


@pytest.mark.parametrize("way", WAYS)
def test_a_run_by_every_rule_is_redone_and_nothing_is_wrong(folder, way):
    ledger = redone(folder, ran(folder, "near", **WAYS[way]))
    assert ledger.wrong == []
    assert not ledger.skipped


@pytest.mark.parametrize("way", ["confidence", "survival"])
def test_a_block_that_ends_early_had_all_places_that_were_asked_for_in_its_cache(folder, way):
    trace = ran(folder, DRAFTS["a block head"], seed=11, **WAYS[way])
    assert any(r.fewer == way and r.drafted for r in rounds(trace.speculative))
    assert redone(folder, trace, DRAFTS["a block head"]).wrong == []


@pytest.mark.full
@every(draft=DRAFTS, way=WAYS)  # the draft changes last: its checkpoint stays loaded
def test_a_run_of_every_drafter_by_every_rule_is_redone_and_nothing_is_wrong(folder, way, draft):
    assert redone(folder, ran(folder, DRAFTS[draft], seed=11, **WAYS[way]), DRAFTS[draft]).wrong == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    # of one tree each path is read as a text of its own: half a minute for the widest
    some(
        (path for path in RECORDED if path not in (SERVED, SYNTHETIC)),
        *(path for path in RECORDED if path.name.startswith(("block", "code", "opening", "tree"))),
    ),
    ids=lambda path: path.name,
)
def test_the_recorded_runs_hold(path):
    ledger = audit(read(path))
    assert ledger.wrong == [] and ledger.summary()["decisions"] > 100


def test_a_run_of_another_engine_is_not_redone_and_it_is_said_whose_it_is():
    with pytest.raises(AuditError, match="only runs of specviz can be redone; this one was decoded by vLLM"):
        audit(read(SERVED))


def test_a_run_of_a_drafter_that_the_audit_does_not_know_is_not_redone():
    trace = read(RECORDED[0])
    with pytest.raises(AuditError, match="cannot redo the drafter other"):
        audit(replace(trace, header=replace(trace.header, drafter="other")))


def test_a_run_whose_weights_are_gone_is_not_redone_and_it_is_said_whose_they_were():
    with pytest.raises(AuditError, match="names 'Qwen3-8B, random weights', which is no model of those bundled"):
        audit(read(SYNTHETIC))


@pytest.mark.slow
@every(
    draft=["fable-small", "fable-large", "eagle", "block", "mtp", "early-exit:3", "bigram", "lookup", "oracle", "random"],
    way=["greedy", "filtered", "match"],
)
def test_the_bundled_family_holds(draft, way):
    *_, trace = race(
        ready("fable", draft), "Once upon a time, there was a little dog named", **({"K": 4, "max_new_tokens": 32} | WAYS[way])
    )
    assert audit(loads(dumps(trace))).wrong == []


# ---------------------------------------------------------------- falsifications


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


FALSE = {  # what is changed: (how, what the auditor must name among what is wrong); test_forged.py has each field of an event
    "a u where none was asked": (in_round("drafted", -1, "u", new=0.5), "u"),
    "a verdict": (flipped, "verdict"),
    "two ids changed for each other": (in_round("drafted", new=swapped), "p"),
    "a drafted token": (in_round("drafted", 0, "token", new=other), "draft drawn"),
    "p of the vanilla lane": (lambda t: put(t, ["vanilla", 3, "emitted", 0, "position", "entries", 0, "p"], plus(0.01)), "p"),
    "a token of the vanilla lane": (lambda t: put(t, ["vanilla", 3, "emitted", 0, "token"], other), "last token"),
    "u of the vanilla lane": (lambda t: put(t, ["vanilla", 3, "emitted", 0, "u"], lambda u: 0.999 * u), "u"),
    "a token of the prompt": (lambda t: put(t, ["vanilla", 0, "prompt", 2], other), "prompt"),
    "the prompt": (lambda t: put(t, ["header", "prompt"], plus("!")), "prompt"),
    "where greedy lanes part": (lambda t: put(t, ["header", "divergence"], parting(t)), "parting"),
}


def parting(trace):
    token = trace.vanilla[1].emitted[0].token
    return Divergence(0, token, token, Logits(1.0, 1.0), Logits(1.0, 1.0))


QUICK = ("a verdict", "two ids changed for each other", "a drafted token", "the prompt")


@pytest.mark.parametrize("what", [what if what in QUICK else pytest.param(what, marks=pytest.mark.slow) for what in FALSE])
def test_a_planted_falsification_is_caught(folder, what):
    change, named = FALSE[what]
    trace = change(honest(folder))
    assert trace != honest(folder)
    assert named in {wrong.what for wrong in redone(folder, trace).wrong}


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
        ("threshold", in_round("residual", new=None), "position"),
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


def older(trace: Trace) -> Trace:
    """As it would have been written before there were these fields."""
    header = replace(trace.header, drafter=None, eos=None, chat=None, exact=None)
    header = replace(header, target=bare(header.target), draft=bare(header.draft))
    lanes = (tuple(replace(e, asked=None, fewer=None) if hasattr(e, "asked") else e for e in lane) for lane in lanes_of(trace))
    return Trace(header, *lanes)


def test_what_an_older_trace_does_not_say_is_counted_and_is_wrong_in_a_newer_one(folder):
    trace = honest(folder)
    ledger = redone(folder, older(trace))
    assert ledger.wrong == [] and ledger.errors["q"] < 2e-5
    for part in "exact eos chat drafter", "target, weights draft, weights", "target, context draft, context":
        names = part.split() if "," not in part else [f"{word}, {part.split()[1]}" for word in ("target", "draft")]
        assert {f"{name}: an older trace does not say it" for name in names} <= set(ledger.skipped)
    assert ledger.skipped["how many tokens were asked for: the trace does not say"] == 0  # K and the length give it
    said = put(older(trace), ["header", "exact"], True)
    named = {wrong.where for wrong in redone(folder, said).wrong}
    assert {"eos", "chat", "drafter", "target, weights", "draft, weights", "target, context"} <= named


def test_a_run_on_a_gpu_has_its_uniforms_redone_by_the_generator_of_that():
    """Numbers that an H100 drew (assets/traces/gpu-creative.jsonl.gz): seed 0, the first three rounds of K = 4."""
    draw = uniforms(0, cpu=False)
    first, second, third = (draw(9)[-5:] for _ in range(3))
    assert first == [0.5589937619188003, 0.6647488190106983, 0.577808309567378, 0.5873434429257676, 0.892372429622535]
    assert second[:3] == [0.30883899447834234, 0.10688812488362204, 0.47172897929311447]
    assert third[0] == 0.48205228944238415


@pytest.mark.parametrize(("share", "right"), [(0.9, True), (1.1, False)])
def test_a_busy_device_may_pass_a_mark_late_but_is_at_a_run_no_longer_than_it_took(folder, share, right):
    """As an H200 that another program used, too: marks behind 128 decisions came 1.1 ms late each."""
    trace = put(honest(folder), ["header", "machine", "device"], "NVIDIA H200")
    end = trace.vanilla[-1]
    late = replace(trace, vanilla=(*trace.vanilla[:-1], replace(end, device_ms=share * end.decode_ms)))
    assert [wrong.what for wrong in redone(folder, late).wrong if wrong.where == "vanilla, end"] == ([] if right else ["clocks"])


def test_no_device_that_is_only_named_hides_a_uniform(folder):
    trace = put(honest(folder), ["header", "machine", "device"], "NVIDIA H100 80GB HBM3")
    halved = in_round("drafted", 0, "u", new=lambda u: u / 2)(trace)
    wrong = [wrong for wrong in redone(folder, halved).wrong if wrong.what == "u"]
    assert any("draft token 1" in each.where for each in wrong)


@pytest.mark.parametrize(
    ("device", "dtype", "slack"), [("CPU, any", "bfloat16", 1), ("NVIDIA H100", "float32", 1), ("NVIDIA H100", "float16", HALF)]
)
def test_slack_follows_from_device_and_dtype_alone(folder, device, dtype, slack):
    trace = put(honest(folder), ["header", "machine", "device"], device)
    trace = put(trace, ["header", "target", "dtype"], dtype)
    for why in "", "x":
        header = put(trace, ["header", "target", "why"], why).header
        assert slack_of(header, header.target) == slack


@pytest.mark.parametrize("factor", [0.01, 100])
def test_the_run_that_is_told_is_the_middle_one_of_its_repeats(folder, factor):
    """Of three; where both others were faster, or both slower, another one would have been told."""
    trace = honest(folder)
    end = trace.speculative[-1]
    assert len(trace.header.repeats) == 3 and redone(folder, trace).wrong == []
    others = [
        r if r.speculative.decode_ms == end.decode_ms else put(r, ["speculative", "decode_ms"], end.decode_ms * factor)
        for r in trace.header.repeats
    ]
    wrong = redone(folder, put(trace, ["header", "repeats"], tuple(others))).wrong
    assert [each.what for each in wrong] == ["repeats"]


@pytest.mark.parametrize("share", [0.002, -0.002])
def test_a_probability_that_is_off_by_a_five_hundredth_of_itself_is_wrong(folder, share):
    """Also a small one: a share of 0.2 is not to be had for q = .0005."""

    def smallest(entries):
        at = min((i for i, e in enumerate(entries) if e.q > 0.003), key=lambda i: entries[i].q)
        return put(entries, [at, "q"], lambda q: q * (1 + share))

    trace = in_round("drafted", 0, "position", "entries", new=smallest)(honest(folder))
    assert "q" in {wrong.what for wrong in redone(folder, trace).wrong}


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
    shown = [
        each
        for lane in lanes_of(trace)
        for r in lane
        if isinstance(r, Round)
        for each in (r.residual, *(x.position for x in (*r.drafted, *r.emitted)))
        if each
    ]
    assert ledger.skipped == {"distributions of a position: none was recorded": len(shown)}
    assert ledger.summary()["not_redone"] == ledger.skipped


def test_what_is_not_there_is_one_sentence(folder):
    with pytest.raises(AuditError, match="no model 'nobody': give its folder or hub id"):
        audit(honest(folder), "nobody")
    with pytest.raises(AuditError, match="have no head over the target's features"):
        audit(ran(folder, "eagle:eagle"), str(folder / "target"), str(folder / "heads"))
    with pytest.raises(AuditError, match="have no multi-token heads"):
        audit(ran(folder, "mtp:heads"), str(folder / "target"), str(folder / "eagle"))
    with pytest.raises(AuditError, match="has no bigram table"):
        audit(ran(folder, "bigram:bigram"), str(folder / "target"), str(folder / "eagle"))
    with pytest.raises(AuditError, match="are a DFlash head, whose drafts are not redone"):
        eagle3(checkpoint("target", str(folder / "target")), {"hidden_norm.weight": None}, None)


BROKEN = {
    "weights cut short": ("eagle:eagle", lambda file: cut(file), "eagle/model.safetensors cannot be read (SafetensorError: "),
    "a table cut short": ("bigram:bigram", lambda file: cut(file), "bigram/model.safetensors cannot be read (SafetensorError: "),
    "a config cut short": ("eagle:eagle", lambda file: cut(beside(file)), "eagle/config.json cannot be read (OSError: "),
    "an index cut short": ("eagle:eagle", lambda file: indexed(file, "{"), "index.json cannot be read (JSONDecodeError: "),
    "an index of nothing": (
        "eagle:eagle",
        lambda file: indexed(file, "{}"),
        "index.json cannot be read (KeyError: 'weight_map')",
    ),
    "no last norm": ("eagle:eagle", lambda file: lacks(file, "norm.weight"), "these weights lack norm.weight"),
    "half a link": ("block:block", lambda file: lacks(file, "link_lm_head.weight"), "these weights lack link_lm_head.weight"),
    "half a module": ("mtp:heads", lambda file: lacks(file, "model.layers.7.hnorm.weight"), "lack model.layers.7.hnorm.weight"),
    "another width": ("eagle:eagle", lambda file: of_width(file, 64), "do not fit the target (RuntimeError: "),
    "another family": (
        "eagle:eagle",
        lambda file: beside(file).write_text('{"model_type": "gpt2"}'),
        "do not fit the target (AttributeError: 'GPT2Config' object has no attribute 'rms_norm_eps')",
    ),
}


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:100])


def beside(weights: Path) -> Path:
    return weights.with_name("config.json")


def indexed(file: Path, index: str) -> None:
    file.rename(file.with_name("model-1.safetensors"))
    file.with_name("model.safetensors.index.json").write_text(index)


def lacks(file: Path, key: str) -> None:
    tiny.edit_weights(file.parent, lambda all: {name: tensor for name, tensor in all.items() if name != key})


def of_width(file: Path, width: int) -> None:
    save_file(tiny_heads.eagle(tiny.config("llama", hidden_size=width)), file)


@pytest.mark.parametrize("broken", BROKEN)
def test_a_head_that_is_broken_is_one_sentence(folder, tmp_path, broken):
    draft, spoil, said = BROKEN[broken]
    kind, _, name = draft.partition(":")
    place = shutil.copytree(folder / name, tmp_path / name)
    spoil(place / "model.safetensors")
    with pytest.raises(AuditError, match=re.escape(said)) as error:
        audit(ran(folder, draft), str(folder / "target"), f"{kind}:{place}")
    assert "\n" not in str(error.value)


def test_a_block_whose_config_names_no_mask_token_is_refused_and_not_redone_with_a_guess():
    target = SimpleNamespace(config=SimpleNamespace(num_hidden_layers=4), model=None)
    with pytest.raises(AuditError, match="names no mask token: ptd_token_id is missing"):
        eagle3(target, {"fc.weight": None, "mask_hidden": None}, SimpleNamespace())


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
