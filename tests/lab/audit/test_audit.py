"""An auditor is worth what it catches: every run of the engine is found right, trees of every kind among them, and every planted
falsification wrong.
"""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
import typer
from safetensors.torch import save_file

from specviz.commands import files as command
from specviz.engine.models import assistant
from specviz.engine.race import race
from specviz.lab.audit.audit import HALF_SLACK, audit
from specviz.lab.audit.audit import slack as slack_of
from specviz.lab.audit.checkpoint import AuditError, eagle3
from specviz.lab.audit.filters import Distribution, rejection_rest, uniforms
from specviz.rules import SAVED
from specviz.trace.events import Divergence, Logits, Round, Trace
from specviz.trace.file import dumps, loads, read

from ... import tiny, tiny_heads
from ...fakes import rounds
from ...page_fixtures import SAVED_RUNS
from ...products import every, some
from . import runs
from .runs import BRANCHING, DRAFTS, STATIC, TREES, WAYS, mixed_round_index, mixed_trace, path_of, run_trace, set_at, setup_of

ROOT = Path(__file__).parents[3]
RECORDED = sorted((ROOT / "assets/traces").glob("*.jsonl.gz"))
SERVED = ROOT / "assets/traces/vllm.jsonl.gz"  # by another engine
SYNTHETIC = ROOT / "assets/traces/gpu-synthetic.jsonl.gz"  # of weights that were made for it, and are gone


def audited(folder: Path, trace: Trace, draft: str = "near"):
    return audit(trace, str(folder / "target"), path_of(folder, draft))


RUNS = {name: ("near", how) for name, how in WAYS.items()}  # (what drafts, how)
SLOW = {name: (draft, {}) for name, draft in DRAFTS.items()} | {f"tree, {name}": ("near", how) for name, how in TREES.items()}
SLOW |= {f"tree, {draft}": (draft, STATIC) for draft in BRANCHING}
SLOW |= {f"greedy, {name}": (draft, {"temperature": 0}) for name, draft in DRAFTS.items()}


@pytest.mark.parametrize("run", [*RUNS, *(pytest.param(run, marks=pytest.mark.slow) for run in SLOW)])
def test_a_run_of_every_drafter_rule_and_tree_is_redone_and_nothing_is_wrong(folder, run):
    draft, how = (RUNS | SLOW)[run]
    ledger = audited(folder, run_trace(folder, draft, **how), draft)
    assert ledger.wrong == []
    assert not ledger.skipped or run == "tree, filtered dynamic"  # where rounding decides how many nodes were fed
    assert ledger.errors["p"] < 2e-5 and ledger.errors["q"] < 2e-5
    assert all(ledger.checked[what] for what in ("verdict", "draft drawn", "draft cache"))
    assert bool(ledger.checked["softmax"]) == (how.get("temperature") == 0)


@pytest.mark.parametrize("way", ["confidence", "survival"])
def test_a_block_that_ends_early_had_all_places_that_were_asked_for_in_its_cache(folder, way):
    trace = run_trace(folder, DRAFTS["a block head"], seed=11, **WAYS[way])
    assert any(r.fewer == way and r.drafted for r in rounds(trace.speculative))
    assert audited(folder, trace, DRAFTS["a block head"]).wrong == []


@pytest.mark.full
@every(draft=DRAFTS, way=WAYS)  # the draft changes last: its checkpoint stays loaded
def test_a_run_of_every_drafter_by_every_rule_is_redone_and_nothing_is_wrong(folder, way, draft):
    assert audited(folder, run_trace(folder, DRAFTS[draft], seed=11, **WAYS[way]), DRAFTS[draft]).wrong == []


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    "path",
    # of one tree each path is read as a text of its own: half a minute for the widest
    some(
        (path for path in RECORDED if path not in (SERVED, SYNTHETIC)),
        *(path for path in RECORDED if path.name.startswith(("block", "code", "opening", "tree"))),
    ),
    ids=lambda path: path.name,
)
@pytest.mark.timeout(300)  # the assistant's tree takes 103 s on two cores of a Zen 4, alone
def test_the_recorded_runs_hold(path, monkeypatch, capsys):
    """By the command, which knows where the assistant is."""
    monkeypatch.delenv(assistant.SWITCH, raising=False)
    if read(path).header.target.name == assistant.NAME and not assistant.place():
        pytest.skip("the assistant is not on this machine: specviz fetch")
    with pytest.raises(typer.Exit) as end:
        command.audit(path, None, None, False)
    summary = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert end.value.exit_code == summary["wrong"] == 0 and summary["decisions"] > 100


def test_a_run_of_another_engine_or_drafter_or_of_weights_that_are_gone_is_not_redone_and_it_is_said_whose_it_is():
    with pytest.raises(AuditError, match="only runs of specviz can be redone; this one was decoded by vLLM"):
        audit(read(SERVED))
    with pytest.raises(AuditError, match="names 'Qwen3-8B, random weights', which is no model of those bundled"):
        audit(read(SYNTHETIC))
    trace = read(RECORDED[0])
    with pytest.raises(AuditError, match="cannot redo the drafter other"):
        audit(replace(trace, header=replace(trace.header, drafter="other")))


@pytest.mark.parametrize("name", SAVED)
def test_a_saved_run_by_a_rule_that_is_gone_is_not_redone_and_the_rule_is_named(name):
    with pytest.raises(AuditError, match=f"the rule “{name}” of this run is not redone: it is none of rejection,"):
        audit(read(SAVED_RUNS / f"{name}.jsonl"))


def test_a_saved_run_of_adaptive_K_is_not_redone_and_that_is_said(folder):
    trace = set_at(mixed_trace(folder), ["header", "config", "adaptive"], True)
    with pytest.raises(AuditError, match="adaptive K, by which this run chose K round by round, is not redone"):
        audited(folder, trace)


@pytest.mark.parametrize("name", SAVED)
def test_at_temperature_0_a_saved_run_is_redone_whatever_its_rule_was(folder, name):
    trace = run_trace(folder, "near", **TREES["greedy"])
    config = replace(trace.header.config, verifier=name)
    assert not audited(folder, replace(trace, header=replace(trace.header, config=config))).wrong


@pytest.mark.slow
@every(
    draft=["fable-small", "fable-large", "eagle", "block", "mtp", "early-exit:3", "bigram", "lookup", "oracle", "random"],
    way=["greedy", "filtered", "match"],
)
def test_the_bundled_family_holds(draft, way):
    settings = {"K": 4, "max_new_tokens": 20} | WAYS[way]
    *_, trace = race(setup_of("fable", draft), "Once upon a time, there was a little dog named", **settings)
    assert audit(loads(dumps(trace))).wrong == []


def in_round(*path, new):
    """A falsification inside the mixed round of the speculative lane."""
    return lambda trace: set_at(trace, ["speculative", mixed_round_index(trace.speculative), *path], new)


def flipped(trace):
    """The rejected token is said to have been accepted, and stands in the text, with all that follows from it told alike."""
    at = mixed_round_index(trace.speculative)
    i = runs.verdicts(trace.speculative[at]).index("rejected")
    trace = set_at(trace, ["speculative", at, "drafted", i, "verdict"], "accepted")
    return set_at(trace, ["speculative", at, "emitted", i], lambda e: replace(e, token=trace.speculative[at].drafted[i].token))


def other(token):
    return replace(token, id=token.id + 1 if token.id < 90 else 1)


def swapped(drafted):
    first, second, *rest = drafted
    return (replace(first, token=second.token), replace(second, token=first.token), *rest)


def plus(by):
    return lambda value: value + by


FALSE = {  # what is changed: (how, what the auditor must name among what is wrong); test_forged.py has each field of an event
    "a verdict": (flipped, "verdict"),
    "two ids changed for each other": (in_round("drafted", new=swapped), "p"),
    "a drafted token": (in_round("drafted", 0, "token", new=other), "draft drawn"),
    "a token of the vanilla lane": (lambda t: set_at(t, ["vanilla", 3, "emitted", 0, "token"], other), "last token"),
    "u of the vanilla lane": (lambda t: set_at(t, ["vanilla", 3, "emitted", 0, "u"], lambda u: 0.999 * u), "u"),
    "the prompt": (lambda t: set_at(t, ["header", "prompt"], plus("!")), "prompt"),
    "where greedy lanes part": (lambda t: set_at(t, ["header", "divergence"], parting(t)), "parting"),
}


def parting(trace):
    token = trace.vanilla[1].emitted[0].token
    return Divergence(0, token, token, Logits(1.0, 1.0), Logits(1.0, 1.0))


@pytest.mark.parametrize("what", FALSE)
def test_a_planted_falsification_is_caught(folder, what):
    change, expected = FALSE[what]
    trace = change(mixed_trace(folder))
    assert trace != mixed_trace(folder)
    assert expected in {wrong.what for wrong in audited(folder, trace).wrong}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "change", "expected"),
    [
        ("block", in_round("residual", "mass", new=plus(0.01)), "residual"),
        ("block", lambda t: set_at(t, ["header", "config", "verifier"], "rejection"), "joint"),
        ("argmax", in_round("drafted", 0, "position", "best", new=plus(0.01)), "p(argmax s)"),
        ("typical", lambda t: set_at(t, ["header", "config", "delta"], 0.0), "verdict"),
        ("threshold", lambda t: set_at(t, ["header", "config", "theta"], 1.0), "verdict"),
        ("threshold", in_round("residual", new=None), "position"),
        ("survival", lambda t: set_at(t, ["header", "config", "survival"], 0.2), "confidence"),
    ],
)
def test_what_a_rule_decided_is_redone_by_the_settings_of_the_run(folder, way, change, expected):
    assert expected in {wrong.what for wrong in audited(folder, change(mixed_trace(folder, way))).wrong}


def test_another_draft_than_the_trace_says_and_an_end_of_sequence_token_that_ended_nothing_are_caught(folder):
    assert {"weights", "q"} <= {wrong.what for wrong in audited(folder, mixed_trace(folder), "draft").wrong}
    trace = set_at(mixed_trace(folder), ["header", "config", "ignore_eos"], False)
    assert audited(folder, trace).wrong == [] or not set(trace.header.eos).isdisjoint(ids(trace))
    planted = set_at(trace, ["header", "eos"], (trace.speculative[1].emitted[0].token.id,))
    assert "ending" in {wrong.what for wrong in audited(folder, planted).wrong}


def ids(trace):
    return [e.token.id for lane in (trace.vanilla, trace.speculative) for r in lane for e in getattr(r, "emitted", ())]


def older(trace: Trace) -> Trace:
    """As it would have been written before there were these fields."""
    header = replace(trace.header, drafter=None, eos=None, chat=None, exact=None)
    header = replace(header, target=bare(header.target), draft=bare(header.draft))
    lanes = (tuple(replace(e, asked=None, fewer=None) if hasattr(e, "asked") else e for e in lane) for lane in lanes_of(trace))
    return Trace(header, *lanes)


def test_what_an_older_trace_does_not_say_is_counted_and_is_wrong_in_a_newer_one(folder):
    trace = mixed_trace(folder)
    ledger = audited(folder, older(trace))
    assert ledger.wrong == [] and ledger.errors["q"] < 2e-5
    unsaid = {"exact", "eos", "chat", "drafter", "target, weights", "draft, weights", "target, context", "draft, context"}
    assert {f"{name}: an older trace does not say it" for name in unsaid} <= set(ledger.skipped)
    assert ledger.skipped["how many tokens were asked for: the trace does not say"] == 0  # K and the length give it
    newer = set_at(older(trace), ["header", "exact"], True)
    places = {wrong.where for wrong in audited(folder, newer).wrong}
    assert unsaid - {"exact", "draft, context"} <= places


@pytest.mark.parametrize("draft", ["lookup", "bigram:bigram"])
def test_an_older_trace_that_names_no_drafter_is_redone_by_what_describes_it(folder, draft):
    assert audited(folder, older(run_trace(folder, draft)), draft).wrong == []


def test_how_much_of_what_was_counted_was_not_redone_is_said(folder):
    """Of random tokens all are equally likely, so every border of a filter parts equals."""
    ledger = audited(folder, run_trace(folder, "random", **WAYS["filtered"]), "random")
    [line] = [line for line in ledger.not_redone() if "filter's border" in line]
    n, total = map(int, re.search(r"\((\d+) of (\d+)\)", line).groups())
    assert 0 < n < total and list(ledger.summary()["not_redone_of"].values()) == [total]


def test_no_copy_of_a_state_takes_longer_than_its_round(folder):
    forged = set_at(mixed_trace(folder), ["speculative", 1, "times", "replay"], 1e5)
    assert "clocks" in {wrong.what for wrong in audited(folder, forged).wrong}


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
    trace = set_at(mixed_trace(folder), ["header", "machine", "device"], "NVIDIA H200")
    end, passes = trace.vanilla[-1], sum(r.times.verify for r in rounds(trace.vanilla))
    device_ms = passes + share * (end.decode_ms - passes)
    late = replace(trace, vanilla=(*trace.vanilla[:-1], replace(end, device_ms=device_ms)))
    assert [wrong.what for wrong in audited(folder, late).wrong if wrong.where == "vanilla, end"] == ([] if right else ["clocks"])


def test_no_device_that_is_only_named_hides_a_uniform(folder):
    trace = set_at(mixed_trace(folder), ["header", "machine", "device"], "NVIDIA H100 80GB HBM3")
    halved = in_round("drafted", 0, "u", new=lambda u: u / 2)(trace)
    wrong = [wrong for wrong in audited(folder, halved).wrong if wrong.what == "u"]
    assert any("draft token 1" in each.where for each in wrong)


@pytest.mark.parametrize(
    ("device", "dtype", "slack"),
    [("CPU, any", "bfloat16", 1), ("NVIDIA H100", "float32", 1), ("NVIDIA H100", "float16", HALF_SLACK)],
)
def test_slack_follows_from_device_and_dtype_alone(folder, device, dtype, slack):
    trace = set_at(mixed_trace(folder), ["header", "machine", "device"], device)
    trace = set_at(trace, ["header", "target", "dtype"], dtype)
    for why in "", "x":
        header = set_at(trace, ["header", "target", "why"], why).header
        assert slack_of(header, header.target) == slack


@pytest.mark.parametrize("factor", [0.01, 100])
def test_the_run_that_is_told_is_the_middle_one_of_its_repeats(folder, factor):
    """Of three; where both others were faster, or both slower, another one would have been told."""
    trace = mixed_trace(folder)
    end = trace.speculative[-1]
    assert len(trace.header.repeats) == 3 and audited(folder, trace).wrong == []
    others = [
        r if r.speculative.decode_ms == end.decode_ms else set_at(r, ["speculative", "decode_ms"], end.decode_ms * factor)
        for r in trace.header.repeats
    ]
    wrong = audited(folder, set_at(trace, ["header", "repeats"], tuple(others))).wrong
    assert [each.what for each in wrong] == ["repeats"]


@pytest.mark.parametrize("share", [0.002, -0.002])
def test_a_probability_that_is_off_by_a_five_hundredth_of_itself_is_wrong(folder, share):
    """Also a small one: a share of 0.2 is not to be had for q = .0005."""

    def smallest(entries):
        at = min((i for i, e in enumerate(entries) if e.q > 0.003), key=lambda i: entries[i].q)
        return set_at(entries, [at, "q"], lambda q: q * (1 + share))

    trace = in_round("drafted", 0, "position", "entries", new=smallest)(mixed_trace(folder))
    assert "q" in {wrong.what for wrong in audited(folder, trace).wrong}


def bare(info):
    return replace(info, weights=(), context=None)


def lanes_of(trace):
    return trace.vanilla, trace.speculative


def test_a_run_that_was_not_observed_is_redone_as_far_as_it_goes(folder):
    def bare(tokens):
        return tuple(replace(each, position=None) for each in tokens)

    def unseen(lane):
        seen = {r.index: replace(r, drafted=bare(r.drafted), emitted=bare(r.emitted), residual=None) for r in rounds(lane)}
        return tuple(seen[e.index] if isinstance(e, Round) else e for e in lane)

    trace = mixed_trace(folder)
    ledger = audited(folder, Trace(trace.header, unseen(trace.vanilla), unseen(trace.speculative)))
    assert ledger.wrong == [] and ledger.checked["verdict"] and not ledger.checked["β"]
    recorded = [r for lane in lanes_of(trace) for r in rounds(lane)]
    distributions = [each for r in recorded for each in (r.residual, *(x.position for x in (*r.drafted, *r.emitted))) if each]
    assert ledger.skipped == {"distributions of a position: none was recorded": len(distributions)}
    assert ledger.summary()["not_redone"] == ledger.skipped


def test_what_is_not_there_is_one_sentence(folder):
    with pytest.raises(AuditError, match="no model 'nobody': give its folder or hub id"):
        audit(mixed_trace(folder), "nobody")
    with pytest.raises(AuditError, match="have no head over the target's features"):
        audit(run_trace(folder, "eagle:eagle"), str(folder / "target"), str(folder / "heads"))
    with pytest.raises(AuditError, match="have no multi-token heads"):
        audit(run_trace(folder, "mtp:heads"), str(folder / "target"), str(folder / "eagle"))
    with pytest.raises(AuditError, match="has no bigram table"):
        audit(run_trace(folder, "bigram:bigram"), str(folder / "target"), str(folder / "eagle"))


BROKEN = {
    "weights cut short": ("eagle:eagle", lambda file: cut(file), "eagle/model.safetensors cannot be read (SafetensorError: "),
    "a table cut short": ("bigram:bigram", lambda file: cut(file), "bigram/model.safetensors cannot be read (SafetensorError: "),
    "a config cut short": ("eagle:eagle", lambda file: cut(beside(file)), "eagle/config.json cannot be read (JSONDecodeError: "),
    "an index cut short": ("eagle:eagle", lambda file: indexed(file, "{"), "index.json cannot be read (JSONDecodeError: "),
    "an index of nothing": (
        "eagle:eagle",
        lambda file: indexed(file, "{}"),
        "index.json cannot be read (KeyError: 'weight_map')",
    ),
    "no last norm": ("eagle:eagle", lambda file: lacks(file, "norm.weight"), "these weights lack norm.weight"),
    "half a link": ("block:block", lambda file: lacks(file, "link_lm_head.weight"), "these weights lack link_lm_head.weight"),
    "half a module": ("mtp:heads", lambda file: lacks(file, "model.layers.7.hnorm.weight"), "lack model.layers.7.hnorm.weight"),
    "another width": (
        "eagle:eagle",
        lambda file: save_file(tiny_heads.eagle(tiny.config("llama", hidden_size=64)), file),
        "do not fit the target (RuntimeError: ",
    ),
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


@pytest.mark.parametrize("broken", BROKEN)
def test_a_head_that_is_broken_is_one_sentence(folder, tmp_path, broken):
    draft, spoil, sentence = BROKEN[broken]
    kind, _, name = draft.partition(":")
    place = shutil.copytree(folder / name, tmp_path / name)
    spoil(place / "model.safetensors")
    with pytest.raises(AuditError, match=re.escape(sentence)) as error:
        audit(run_trace(folder, draft), str(folder / "target"), f"{kind}:{place}")
    assert "\n" not in str(error.value)


def test_a_block_whose_config_names_no_mask_token_is_refused_and_not_redone_with_a_guess():
    target = SimpleNamespace(config=SimpleNamespace(num_hidden_layers=4), model=None)
    with pytest.raises(AuditError, match="names no mask token: ptd_token_id is missing"):
        eagle3(target, {"fc.weight": None, "mask_hidden": None}, SimpleNamespace())


CUT = {  # by the draft's own context, in a round or in all of a level; by the target's context, that of a tree as deep too
    "a static tree": ("near", "short", {"tree": "static", "children": "2-2-1", "K": 6}),
    "a dynamic tree": (
        "near",
        "short",
        {"tree": "dynamic", "K": 5, "nodes": 12, "drafting": "argmax", "top_k": 5, "top_p": 0.95},
    ),
    "a greedy dynamic tree": ("near", "short", {"tree": "dynamic", "K": 7, "nodes": 16, "temperature": 0}),
    "a deep tree at the end of the target's context": (
        "short",
        "near",
        {"tree": "dynamic", "K": 8, "nodes": 7, "drafting": "argmax", "max_new_tokens": 60},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("cut", CUT)
def test_a_tree_that_a_context_or_the_end_cuts_short_is_redone(folder, cut):
    target, draft, how = CUT[cut]
    settings = {"ignore_eos": True, "seed": 7, "max_new_tokens": 28} | how
    *_, trace = race(setup_of(str(folder / target), str(folder / draft)), runs.PROMPT, **settings)
    ledger = audit(loads(dumps(trace)), str(folder / target), str(folder / draft))
    assert not ledger.wrong, ledger.wrong[:3]
    lane = rounds(trace.speculative)
    assert {r.fewer for r in lane} & {"context", "length"} and any(r.drafted for r in lane)


@pytest.mark.slow
@pytest.mark.parametrize("draft", some(BRANCHING, "bigram:bigram"))
def test_the_nodes_of_a_dynamic_tree_are_redone_whatever_drafts(folder, draft):
    ledger = audited(folder, run_trace(folder, draft, **TREES["dynamic"]), draft)
    assert not ledger.wrong and not ledger.skipped, (ledger.wrong[:3], ledger.skipped)
    assert not audited(folder, run_trace(folder, draft, **TREES["filtered dynamic"]), draft).wrong


def test_a_node_that_is_not_among_the_likeliest_is_found(folder):
    trace = run_trace(folder, "near", **TREES["dynamic"])
    forged = set_at(trace, ["speculative", 1, "drafted", -1, "token"], lambda token: replace(token, id=(token.id + 7) % 200))
    wrong = audited(folder, forged, "near").wrong
    assert any(each.where.endswith("tree") and "without" in str(each.redone) for each in wrong)


def test_what_a_rejection_leaves_of_p_is_known_as_well_in_a_large_vocabulary_as_in_a_small_one():
    """Else β and entropy of a later sibling may be anything."""
    share = 4e-4
    for V in (50, 4096):
        p, q = torch.randn(2, V, generator=torch.Generator().manual_seed(V), dtype=torch.float64).softmax(-1)
        rest = rejection_rest(Distribution.of(p, share), Distribution.of(q, share))
        assert float(rest.distribution.error.sum()) <= 4.5 * share / rest.mass, V


def test_a_tree_says_which_round_is_redone_next(folder):
    trace, messages = run_trace(folder, "near", **STATIC), []
    assert audit(trace, str(folder / "target"), path_of(folder, "near"), progress=messages.append).wrong == []
    assert messages[:2] == ["vanilla", "speculative"] and len(messages) == 2 + len(rounds(trace.speculative))
