"""Every way to draft, one suite: q is what the papers' formulas give, by tests/tiny_heads.py, which keeps no cache.

That tokens drawn so leave the target's distribution is shown by enumeration (../test_every_rule.py)."""

import json
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from specviz.config import DecodeConfig
from specviz.engine.backends.hub import HubModel
from specviz.engine.decode import decode
from specviz.engine.draft import choose
from specviz.engine.draft.base import NO_DRAFT, Block, DraftContext
from specviz.engine.draft.block import BlockHead
from specviz.engine.draft.choose import set_up, with_kind
from specviz.engine.draft.eagle import LAYER_IDS, Eagle
from specviz.engine.draft.model import EarlyExit, SmallModel
from specviz.engine.draft.mtp import MTP
from specviz.engine.draft.tables import Bigram, NGram, Random
from specviz.engine.models.llama import Llama
from specviz.engine.models.load import load_model
from specviz.engine.sampling import Sampler, draw
from specviz.trace import grammar
from tests import tiny, tiny_heads
from tests.fakes import FakeText, finished, rounds
from tests.tiny import CLOSE, some_ids
from tests.tiny_heads import LAYERS, block_config, block_logits, eagle, eagle_logits, exit_logits, model, mtp, plain_llama


@pytest.mark.parametrize("greedy", [False, True], ids=["sampled", "greedy"])
def test_random_tokens_end_a_block_where_a_drafter_must_be_surer_than_chance(greedy):
    start = DraftContext.of(DecodeConfig(temperature=0 if greedy else 1, confidence=0.4), 8, 64)
    u = None if greedy else torch.rand(4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    block = Random(8).begin(start).propose([1, 2, 3], 4, u)
    assert len(block.ids) == 1 and (block.q is None) == greedy


@dataclass(frozen=True)
class Real:
    """A drafter over a tiny transformers model, and its logits by the reference: logits(text, block) → a row for each token."""

    hf: object
    target: Llama
    drafter: object
    logits: object


def with_mtp(shape="llama", mimo=False):
    hf = model(shape)
    target, heads = tiny.own(hf), mtp(hf.config, mimo=mimo)
    return Real(hf, target, MTP(target, heads, "heads"), lambda text, block: tiny_heads.mtp_logits(hf, heads, text, block, mimo))


def with_eagle(shape="llama", ids=None, config=None, layers=1):
    hf = model(shape)
    target, head = tiny.own(hf), eagle(config or hf.config, ids=ids, layers=layers)
    return Real(hf, target, Eagle(target, head, "head", config), lambda text, block: eagle_logits(hf, head, text, block, config))


def with_named_layers(taps, **named):
    """An EAGLE head whose config names the layers that it takes features of."""
    hf, config = model(), plain_llama(model().config)
    for key, value in named.items():
        setattr(config, key, value)
    target, head = tiny.own(hf), eagle(hf.config, fused=len(taps))
    return Real(
        hf, target, Eagle(target, head, "head", config), lambda text, block: eagle_logits(hf, head, text, block, config, taps)
    )


def with_block(shape="llama", ids=None, rank=4, layers=1):
    hf = model(shape)
    head, config = tiny_heads.block(hf.config, ids=ids, rank=rank, layers=layers), block_config(hf.config)
    target = tiny.own(hf)
    return Real(hf, target, BlockHead(target, head, "head", config), lambda text, block: block_logits(hf, head, text, block))


def with_rows(make, kind):
    """A head over a few tokens that brings no rows for them: they are the target's own."""
    ids = sorted(SUBSET)
    one, head = make(ids=ids), (eagle if kind is Eagle else tiny_heads.block)(model().config, ids=ids)
    known = head | {"lm_head.weight": one.hf.lm_head.weight[ids]}
    logits = eagle_logits if kind is Eagle else block_logits
    config = {"config": block_config(one.hf.config)} if kind is BlockHead else {}
    drafter = kind(one.target, without(head, "lm_head.weight"), "head", **config)
    return replace(one, drafter=drafter, logits=lambda text, block: logits(one.hf, known, text, block))


def with_exit(layers, shape="llama"):
    """By all of its layers the target drafts for itself, in a pass of its own."""
    hf = model(shape)
    target = tiny.own(hf)
    drafter = SmallModel(tiny.own(hf)) if layers == LAYERS else EarlyExit(target, layers)
    return Real(hf, target, drafter, lambda text, block: exit_logits(hf, layers, text, block))


LETTERS = FakeText([chr(33 + i) for i in range(97)])


SUBSET = [90, 3, 4, 17, 40, 41, 55, 66, 78, 2, 11, 30]
OTHER = tiny.config("llama", num_attention_heads=3, num_key_value_heads=1, head_dim=20, intermediate_size=64, rms_norm_eps=0.1)
OTHER.rope_parameters = {"rope_type": "default", "rope_theta": 500.0}
REALS = {
    "mtp": with_mtp,
    "mtp, grouped queries": lambda: with_mtp("llama, grouped queries"),
    "mtp, MiMo's names and biases": lambda: with_mtp("qwen2", mimo=True),
    "mtp, norms of queries and keys": lambda: with_mtp("qwen3, grouped queries, tied head"),
    "eagle": with_eagle,
    "eagle, grouped queries": lambda: with_eagle("llama, grouped queries"),
    "eagle, target with biases": lambda: with_eagle("qwen2"),
    "eagle, a few tokens": lambda: with_eagle(ids=sorted(SUBSET)),
    "eagle, a few of the target's rows": lambda: with_rows(with_eagle, Eagle),
    "eagle, three layers": lambda: with_eagle("llama, grouped queries", layers=3),
    "eagle, heads of its own": lambda: with_eagle(config=OTHER, ids=sorted(SUBSET)),
    "eagle, four layers named by their inputs": lambda: with_named_layers((5, 0, 3, 1), **{LAYER_IDS: [5, 0, 3, 1]}),
    "eagle, two layers named by their outputs": lambda: with_named_layers((1, 4), eagle_config={LAYER_IDS: [0, 3]}),
    "block": with_block,
    "block, without a link": lambda: with_block(rank=0),
    "block, grouped queries": lambda: with_block("llama, grouped queries"),
    "block, target with biases": lambda: with_block("qwen2"),
    "block, four layers": lambda: with_block(layers=4),
    "block, two layers without a link": lambda: with_block("qwen2", rank=0, layers=2),
    "block, a few tokens": lambda: with_block(ids=sorted(SUBSET)),
    "block, a few of the target's rows": lambda: with_rows(with_block, BlockHead),
    "early exit, 1": lambda: with_exit(1),
    "early exit, 5": lambda: with_exit(5, "qwen3, grouped queries, tied head"),
    "oracle": lambda: with_exit(LAYERS),
}


@cache
def real(name) -> Real:
    return REALS[name]()


@dataclass(frozen=True)
class Proposal:
    """One call of propose, and what came of it."""

    text: list[int]
    k: int
    u: torch.Tensor | None
    block: Block


@torch.inference_mode()
def play(real: Real, prompt, plan, **settings) -> list[Proposal]:
    """Draft as decode() asks for it: blocks of k of which `accepted` tokens stay, (k, accepted) by the plan, whatever they are."""
    config, chance = DecodeConfig(**settings), torch.Generator().manual_seed(5)
    text, room = list(prompt), len(prompt) + sum(k + 1 for k, _ in plan)
    sequence = real.target.sequence(room)
    config = replace(config, K=max((k for k, _ in plan), default=1))
    start = DraftContext.of(config, real.target.vocabulary, room, sequence)
    drafting, proposals = real.drafter.begin(start), []
    if prompt[:-1]:
        sequence.append(prompt[:-1], keep=1)
    drafting.prefill(prompt[:-1])
    for k, accepted in plan:
        u = None if config.greedy else torch.rand(k, generator=chance, dtype=torch.float64)
        block = drafting.propose(text, k, u) if k else NO_DRAFT
        proposals.append(Proposal(list(text), k, u, block))
        assert sequence.length == len(text) - 1
        sequence.append([text[-1], *block.ids])
        text += [*block.ids[:accepted], int(torch.randint(real.target.vocabulary, (1,), generator=chance))]
        sequence.rollback(len(text) - 1)
        drafting.observe(text)
        assert drafting.length is None or drafting.length <= sequence.length
    return proposals


def assert_drafted_by_the_reference(real: Real, proposal: Proposal, **settings):
    config, block, k = DecodeConfig(**settings), proposal.block, proposal.k
    if len(proposal.text) == 1 and isinstance(real.drafter, MTP | Eagle):
        assert block == NO_DRAFT  # there is no feature yet
        return
    assert (len(block.ids) == k) or config.confidence
    if not block.ids:
        return
    logits = torch.stack(real.logits(proposal.text, block.ids)).float()
    chances = logits.softmax(-1)[range(len(block.ids)), block.ids]
    sure = (chances >= config.confidence).tolist()
    assert all(sure[:-1]) and (len(block.ids) == k or not sure[-1])
    if config.greedy:
        assert block.q is None
        assert (logits.max(-1).values - logits[range(len(block.ids)), block.ids]).max() <= CLOSE
    else:
        q = torch.as_tensor(block.q)
        assert (q - Sampler.of(config)(logits)).abs().max() <= CLOSE
        assert block.ids == draw(q, proposal.u[: len(block.ids)]).tolist()


def plan(rounds: int, seed: int = 0) -> list[tuple[int, int]]:
    """Blocks of 0 to 5; none, some, or all of each kept."""
    chance = torch.Generator().manual_seed(seed)
    ks = torch.randint(6, (rounds,), generator=chance).tolist()
    return [(k, int(torch.randint(k + 1, (1,), generator=chance))) for k in ks]


PLANS = {"rejected": [(4, 0)] * 4, "kept whole": [(3, 5)] * 4, "as it comes": [*plan(12), (0, 0), (5, 5)]}
WAYS = {"greedy": {"temperature": 0}, "sampled": {}, "unsure": {"confidence": 0.2}, "filtered": {"temperature": 0.7, "top_k": 9}}


@pytest.mark.parametrize(
    ("name", "way"),
    [  # of every one q is compared; what is not drawn, ends early or is filtered is asked of a third of them
        pytest.param(name, way, marks=[pytest.mark.full if i % 3 else pytest.mark.slow] * (way != "sampled"))
        for i, name in enumerate(REALS)
        for way in WAYS
    ],
)
def test_what_is_drafted_is_what_the_formulas_give_for_the_whole_text(name, way):
    for i, steps in enumerate(PLANS.values()):
        prompt = some_ids((9, 1, 2, 3)[(i + len(way)) % 4], seed=i)
        for proposal in play(real(name), prompt, steps, **WAYS[way]):
            assert_drafted_by_the_reference(real(name), proposal, **WAYS[way])


@pytest.mark.parametrize("name", ["mtp", "eagle", "block", "early exit, 1", "oracle"])
@pytest.mark.parametrize("length", [513, 700])
def test_a_prompt_longer_than_a_block_of_the_forward_pass_is_drafted_from_all_the_same(name, length):
    for proposal in play(real(name), some_ids(length), [(3, 1), (3, 3), (2, 0)]):
        assert_drafted_by_the_reference(real(name), proposal)


def block(drafter, text: list[int], k: int) -> list[int]:
    """What a drafter without a model of its own drafts when greedy."""
    return drafter.begin(DraftContext.of(DecodeConfig(temperature=0), 97, 64)).propose(text, k, None).ids


@pytest.mark.parametrize(
    ("text", "continuation"),
    [
        ([5], []),
        ([1, 2, 3], []),
        ([1, 2, 9, 1, 2, 8, 1, 2], [8, 1, 2, 8]),
        ([1, 2, 3, 7, 4, 2, 3, 8, 1, 2, 3], [7, 4, 2, 3]),
        ([0, 1, 2, 0, 1, 2], [0, 1, 2, 0]),
        ([6, 6], [6, 6, 6, 6]),
    ],
    ids=["one token", "no match", "the latest", "the longest", "a repetition goes on", "of one token too"],
)
def test_lookup_copies_what_followed_the_same_tokens_before(text, continuation):
    assert block(NGram(97), text, 4) == continuation


def test_a_bigram_table_drafts_a_chain_of_the_most_frequent_followers():
    follower = (torch.arange(97) * 5 + 1)[:, None] % 97
    table = Bigram(torch.cat([follower, follower - follower], 1), torch.tensor([[3.0, 1.0]] * 97))
    assert block(table, [9, 2], 4) == [11, 56, 87, 48]


PROMPTS = ([7], [5, 9, 5, 9, 5, 3], some_ids(20, seed=8))


def greedy(drafter, prompt, **settings):
    """The events of a greedy run on the target of six layers; they obey the rules that every run obeys."""
    text, settings = settings.pop("text", LETTERS), {"temperature": 0, "max_new_tokens": 24, **settings}
    config = DecodeConfig(**settings)
    events = list(decode(real("oracle").target, drafter, prompt, config, text))
    assert list(grammar.violations("speculative", events, config)) == []
    return events


ALL = {
    "lookup": lambda: NGram(97),
    "bigram": lambda: tiny_heads.followers(97),
    "random": lambda: Random(97),
    "small": lambda: SmallModel(tiny.own(tiny.hf("llama"))),
    "oracle": lambda: real("oracle").drafter,
    "mtp": lambda: real("mtp").drafter,
    "eagle": lambda: real("eagle").drafter,
    "eagle, a few tokens": lambda: real("eagle, a few tokens").drafter,
    "block": lambda: real("block").drafter,
    "block, without a link": lambda: real("block, without a link").drafter,
    "block, a few tokens": lambda: real("block, a few tokens").drafter,
    "early exit": lambda: real("early exit").drafter,
}
REALS["early exit"] = lambda: with_exit(5)
EVERY = pytest.mark.parametrize("name", ALL)


@EVERY
@pytest.mark.parametrize("temperature", [0, 1.0])
def test_the_context_ends_the_run_of_every_drafter(name, temperature):
    prompt = some_ids(tiny.CONTEXT - 7)
    events = greedy(ALL[name](), prompt, K=8, temperature=temperature)
    assert finished(events).reason == "context" and finished(events).tokens == 7


@EVERY
@pytest.mark.parametrize("temperature", [0, 1.0])
def test_a_run_that_is_stopped_and_a_run_beside_it_leave_a_drafter_as_it_was(name, temperature):
    def begin(i):
        config = DecodeConfig(K=3, temperature=temperature, max_new_tokens=24, seed=i)
        return decode(real("oracle").target, drafter, PROMPTS[i], config, LETTERS)

    def happened(events):
        return [(r.drafted, r.emitted) for r in rounds(events)]

    drafter = ALL[name]()
    one, other = happened(begin(1)), happened(begin(2))
    stopped = begin(0)
    next(stopped), next(stopped)
    a, b, events_of = begin(1), begin(2), ([], [])
    while len(events_of[0]) + len(events_of[1]) < len(one) + len(other) + 4:  # with a prefill and an end each
        for run, into in zip((a, b), events_of, strict=True):
            into.extend([event] if (event := next(run, None)) else [])
    assert (happened(events_of[0]), happened(events_of[1])) == (one, other)
    stopped.close()


def refused(kind, which="", target=None) -> str:
    """The one line that says why there is no such drafter."""
    return tiny.refusal(with_kind, target or real("oracle").target, kind, str(which))


def write(folder, tensors, config=None):
    """A checkpoint of `tensors`: model.safetensors and config.json."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file({key: tensor.contiguous() for key, tensor in tensors.items()}, folder / "model.safetensors", {"format": "pt"})
    (config or real("oracle").hf.config).save_pretrained(folder)
    return folder


@cache
def theirs() -> HubModel:
    """A target that runs in transformers' forward pass alone."""
    return tiny.hub(tiny.hf("gpt2"))


def test_a_target_that_transformers_runs_has_no_features_and_no_early_exit(tmp_path):
    config = tiny_heads.model().config
    for message in (
        refused("early-exit", 1, theirs()),
        refused("mtp", write(tmp_path / "m", mtp(config)), theirs()),
        refused("eagle", write(tmp_path / "e", eagle(config)), theirs()),
        refused("block", write(tmp_path / "b", tiny_heads.block(config), block_config(config)), theirs()),
    ):
        assert "our own forward pass" in message and "gpt2" in message


@pytest.mark.parametrize("layers", [0, LAYERS, LAYERS + 1, 999])
def test_an_early_exit_leaves_after_at_least_one_layer_and_before_the_last(layers):
    assert f"1 to {LAYERS - 1} layers, not {layers}" in refused("early-exit", layers)


def test_multi_token_heads_that_are_not_there_are_refused(tmp_path):
    folder = tiny.save(tmp_path / "plain", real("oracle").hf)
    assert "plain has no multi-token heads for" in refused("mtp", folder)
    assert "plain comes with no multi-token heads" in refused("mtp", target=load_model(str(folder)))


@pytest.mark.parametrize("layers", [1, 2, 5])
def test_an_eagle_head_is_refused_by_a_target_of_less_than_six_layers(tmp_path, layers):
    target = tiny.own(tiny.make(tiny.config("llama", num_hidden_layers=layers)))
    assert f"has {layers}" in refused("eagle", write(tmp_path, EAGLE), target)


def without(tensors, key):
    return {name: tensor for name, tensor in tensors.items() if name != key}


CONFIG = tiny_heads.model().config
HEADS, EAGLE, BLOCK = mtp(CONFIG), eagle(CONFIG), tiny_heads.block(CONFIG)
MODULE, WIDE = f"model.layers.{LAYERS + 1}.", eagle(tiny.config("llama", hidden_size=64))
NOT_OURS = {
    "activation gelu": {"hidden_act": "gelu"},
    "rotary positions of type foo": {"rope_parameters": {"rope_type": "foo", "rope_theta": 1.0}},
    "rotary positions of type dynamic": {"rope_parameters": {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 2.0}},
    "rotary positions of 0.5 of a head": {
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.5}
    },
    "model type gpt2": {"model_type": "gpt2"},
}
D2T = {
    "one short": torch.zeros(11, dtype=torch.long),
    "one long": torch.zeros(13, dtype=torch.long),
    "one for all": torch.zeros(1, dtype=torch.long),
    "past the end": torch.full((12,), 97),
    "before the start": torch.full((12,), -1),
    "a table": torch.zeros(12, 2, dtype=torch.long),
    "two to one": torch.tensor([0] * 6 + [-1] * 6),
    "out of order": torch.tensor([1, -1, *[0] * 10]),
}
IDS, COUNTS = torch.zeros(97, 4, dtype=torch.int32), torch.ones(97, 4)
TABLES = {
    "no counts": {"next": IDS},
    "no ids": {"count": COUNTS},
    "other counts": {"next": IDS, "count": COUNTS[:, :3]},
    "too few rows": {"next": IDS[:90], "count": COUNTS[:90]},
    "too many rows": {"next": IDS.repeat(2, 1), "count": COUNTS.repeat(2, 1)},
    "no columns": {"next": IDS[:, :0], "count": COUNTS[:, :0]},
    "one column flat": {"next": IDS[:, 0], "count": COUNTS[:, 0]},
    "an id too large": {"next": IDS + 97, "count": COUNTS},
    "an id below zero": {"next": IDS - 1, "count": COUNTS},
    "a count below zero": {"next": IDS, "count": -COUNTS},
}
GAP = {key.replace("layers.1.", "layers.2."): part for key, part in tiny_heads.block(CONFIG, layers=2).items()}
DFLASH = {"block_size": 8, "dflash_config": {"mask_token_id": 1, "target_layer_ids": [1, 2]}}  # a head of another form
REFUSED = [  # what it is read as, its weights, what its config says, why it is refused
    ("mtp", without(HEADS, MODULE + "mlp.up_proj.weight"), {}, f"lacks {MODULE}mlp.up_proj.weight"),
    ("mtp", HEADS | {MODULE + "eh_proj.weight": torch.zeros(48, 90)}, {}, "eh_proj"),
    ("mtp", HEADS | {MODULE + "embed_tokens.weight": torch.zeros(97, 48)}, {}, "embed_tokens"),
    *(
        ("eagle", EAGLE, change, f"its config says {key} {value}, which is not read")
        for key, value in (
            *((key, True) for key in ("norm_before_residual", "norm_before_fc", "norm_output", "fc_norm", "use_mtp_layernorm")),
            *((key, False) for key in ("use_aux_hidden_state", "use_input_layernorm_in_first_layer", "use_last_layernorm")),
        )
        for change in ({key: value}, {"eagle_config": {key: value}})
    ),
    (
        "eagle",
        eagle(CONFIG, fused=4),
        {},
        f"fuses 4 layers of 48 numbers (fc.weight), not 3: its config must name them ({LAYER_IDS})",
    ),
    ("eagle", EAGLE, {LAYER_IDS: [1, 2]}, "fuses 3 layers of 48 numbers (fc.weight), not 2"),
    *(
        ("eagle", EAGLE, change, f"; tiny has layers 0 to {LAYERS - 1}")
        for change in (
            *({LAYER_IDS: ids} for ids in ([0, 1, LAYERS], [-1, 0, 1], ["1", 2, 3], 9)),
            *({"eagle_config": {LAYER_IDS: ids}} for ids in ([1, 2, LAYERS - 1], [0, 1, "a"])),
        )
    ),
    (
        "eagle",
        EAGLE,
        {"speculators_model_type": "dflash"},
        "a head in the speculators format of the kind dflash; eagle3 and peagle are read",
    ),
    ("eagle", WIDE, {"hidden_size": 64}, "is 64 wide and tiny 48"),
    ("eagle", WIDE, {}, "fc.weight"),
    ("eagle", without(EAGLE, "fc.weight"), {}, "no EAGLE-3 head"),
    ("eagle", without(EAGLE, "midlayer.hidden_norm.weight"), {}, "lacks midlayer.hidden_norm.weight"),
    ("eagle", EAGLE | {"layers.1.weight": torch.zeros(2)}, {}, "holds layers.1.weight"),
    ("eagle", BLOCK, {}, "holds link_embed.weight"),
    *(("eagle", eagle(CONFIG, ids=sorted(SUBSET)) | {"d2t": d2t}, {}, "d2t does not map its 12 tokens") for d2t in D2T.values()),
    *(("eagle", EAGLE, change, f": our forward pass does not do {reason}") for reason, change in NOT_OURS.items()),
    *(("block", BLOCK, change, f": our forward pass does not do {reason}") for reason, change in NOT_OURS.items()),
    ("block", BLOCK | {"link_scale.weight": torch.zeros(3)}, {}, "holds link_scale.weight, which"),
    ("block", tiny_heads.block(CONFIG, rank=0) | {"link_scale.weight": torch.zeros(3)}, {}, "holds link_scale.weight, which"),
    ("block", without(BLOCK, "mask_hidden"), {}, "lacks mask_hidden"),
    ("block", BLOCK | {"mask_hidden": torch.zeros(1, 5)}, {}, "holds 5 numbers, not"),
    ("block", BLOCK, {"ptd_token_id": None}, "lacks ptd_token_id"),
    ("block", BLOCK, {"ptd_token_id": 97}, "the mask token is 97; "),
    ("block", BLOCK, {"norm_before_residual": True}, "its config says norm_before_residual True, which is not read"),
    (
        "block",
        without(BLOCK, "mask_hidden"),
        DFLASH | {"ptd_token_id": None},
        "is no block head of P-EAGLE's form: the checkpoint lacks",
    ),
    ("block", GAP, {}, "holds layers.2."),
    ("block", BLOCK | {"link_embed.weight": torch.zeros(5, 4)}, {}, "link_embed.weight"),
    ("block", without(BLOCK, "link_lm_head.weight"), {}, "link_lm_head.weight"),
    *(("bigram", table, {}, "bigram table") for table in TABLES.values()),
    *(
        ("bigram", {"next": IDS, "count": COUNTS * wrong}, {}, "weights count hold NaN or infinity")
        for wrong in (torch.nan, torch.inf)
    ),
]


@pytest.mark.parametrize(("kind", "weights", "change", "reason"), REFUSED)
def test_weights_that_are_no_drafter_for_a_target_are_refused_by_what_is_wrong(tmp_path, kind, weights, change, reason):
    assert reason in refused(kind, tiny.edit_config(write(tmp_path, weights, block_config(CONFIG)), **change))


def test_a_place_of_a_block_sees_none_that_comes_after_it():
    """So what is drafted there is the same whatever K is."""
    [short], [long] = (play(real("block"), some_ids(9), [(k, 0)]) for k in (3, 7))
    assert torch.equal(short.u, long.u[:3])
    assert short.block.ids == long.block.ids[:3] and np.array_equal(short.block.q, long.block.q[:3])


@pytest.mark.parametrize("how", [{"K": 5}, {"K": 5, "temperature": 0}, {"K": 5, "confidence": 0.3}])
def test_a_block_head_makes_one_pass_a_block(how):
    config = DecodeConfig(max_new_tokens=24, ignore_eos=True, seed=2, **how)
    events = list(decode(real("block").target, real("block").drafter, some_ids(9), config, LETTERS))
    assert finished(events).draft_forwards == sum(bool(r.drafted) for r in rounds(events)) > 3


@pytest.mark.parametrize("kind", ["oracle", "random", "lookup"])
def test_a_word_after_the_colon_that_would_mean_nothing_is_refused(kind):
    assert f"{kind}:3" in refused(kind, "3")


def drafts_as(drafter, one: Real):
    """A loaded drafter drafts what the reference of `one` says."""
    for proposal in play(replace(one, drafter=drafter), some_ids(6), plan(8)):
        assert_drafted_by_the_reference(one, proposal)


@pytest.mark.parametrize("shape", ["llama", "llama, tied head"])
@pytest.mark.parametrize("mimo", [False, True], ids=["DeepSeek's names", "MiMo's names"])
def test_multi_token_heads_are_read_from_a_folder(tmp_path, mimo, shape):
    one = with_mtp(shape, mimo)
    drafter = with_kind(one.target, "mtp", str(write(tmp_path, mtp(one.hf.config, mimo=mimo))))
    assert (drafter.info.layers, drafter.info.name) == (3, tmp_path.name)
    drafts_as(drafter, one)


@pytest.mark.parametrize("shape", ["llama", "llama, tied head"])
def test_copies_of_the_targets_embedding_and_head_in_a_module_are_no_obstacle(tmp_path, shape):
    """DeepSeek stores both again in every module."""
    one = with_mtp(shape)
    heads, own = mtp(one.hf.config), one.hf.state_dict()
    for j in range(3):
        heads[f"model.layers.{LAYERS + j}.embed_tokens.weight"] = own["model.embed_tokens.weight"].clone()
        heads[f"model.layers.{LAYERS + j}.shared_head.head.weight"] = own["lm_head.weight"].clone()
    drafts_as(with_kind(one.target, "mtp", str(write(tmp_path, heads))), one)


@pytest.mark.parametrize("mimo", [False, True], ids=["DeepSeek's names", "MiMo's names"])
def test_a_target_that_carries_its_heads_runs_in_our_forward_pass_and_mtp_finds_them(tmp_path, mimo):
    one = with_mtp(mimo=mimo)
    whole = tiny.weights(one.hf) | mtp(one.hf.config, mimo=mimo)
    tiny.byte_level().save_pretrained(tmp_path)
    write(tmp_path, whole, tiny.config("llama", num_hidden_layers=LAYERS, num_nextn_predict_layers=3))
    setup = set_up(str(tmp_path), "mtp")
    assert setup.target.info.forward == "own" and setup.target.info.parameters == one.target.info.parameters
    heads = mtp(one.hf.config, mimo=mimo)
    assert len(setup.drafter.modules) == 3 and setup.drafter.info.parameters == sum(w.numel() for w in heads.values())
    drafts_as(setup.drafter, replace(one, target=setup.target))


@pytest.mark.parametrize("name", ["eagle", "eagle, a few tokens", "eagle, heads of its own"])
def test_eagle_heads_are_read_from_a_folder(tmp_path, name):
    one = real(name)
    config = OTHER if name == "eagle, heads of its own" else one.hf.config
    head = eagle(config, ids=None if name == "eagle" else sorted(SUBSET))
    drafter = with_kind(one.target, "eagle", str(write(tmp_path, head, config)))
    drafts_as(drafter, one)
    if name != "eagle":
        drafted = {id for proposal in play(replace(one, drafter=drafter), [1, 2], plan(20)) for id in proposal.block.ids}
        assert len(drafted) > 3 and drafted <= set(SUBSET)


def in_the_speculators_format(folder, **more):
    """The same head as the library speculators writes it."""
    path = folder / "config.json"
    layer = json.loads(path.read_text()) | {"vocab_size": 97}
    written = {"architectures": ["Eagle3Speculator"], "speculators_model_type": "eagle3", "transformer_layer_config": layer}
    written |= {"speculators_config": {"algorithm": "eagle3"}, "norm_before_residual": False, "target_hidden_size": None}
    path.write_text(json.dumps(written | more))
    return folder


@pytest.mark.parametrize("name", ["eagle", "block"])
def test_heads_in_the_speculators_format_draft_as_those_that_are_not(tmp_path, name):
    one = real(name)
    head = eagle(CONFIG) if name == "eagle" else BLOCK
    more = {"speculators_model_type": "peagle", "mask_token_id": tiny_heads.MASK} if name == "block" else {LAYER_IDS: [2, 3, 3]}
    folder = in_the_speculators_format(write(tmp_path, head, plain_llama(CONFIG)), **more)
    drafter = with_kind(one.target, name, str(folder))
    assert drafter.info.note == ""
    drafts_as(drafter, one)
    assert f"name it after a colon, as in eagle:{tmp_path}" in tiny.refusal(set_up, "fable", str(folder))


def test_what_a_heads_config_names_and_is_not_read_is_told(tmp_path):
    change = {"eagle_config": {"next_layer_regular": True}, "mup_scale": 2.0}
    folder = tiny.edit_config(write(tmp_path, EAGLE, plain_llama(CONFIG)), **change)
    note = with_kind(real("eagle").target, "eagle", str(folder)).info.note
    assert note == "its config names what is not read: mup_scale, next_layer_regular"
    assert with_kind(load_model("fable"), "eagle").info.note == ""


def test_an_eagle_head_may_bring_the_embedding_and_leave_out_the_map(tmp_path):
    one = real("eagle")
    ids = list(range(97))
    head = eagle(one.hf.config, ids=ids)
    known = {"embed_tokens.weight": one.hf.state_dict()["model.embed_tokens.weight"].clone()}
    drafter = with_kind(one.target, "eagle", str(write(tmp_path, without(without(head, "d2t"), "t2d") | known)))
    drafts_as(drafter, with_eagle(ids=ids))


def test_a_head_is_bundled_when_it_lies_beside_its_target_under_its_name(tmp_path, monkeypatch):
    one = real("mtp")
    config = one.hf.config
    write(tmp_path / "tale-7m", {}), write(tmp_path / "tale-mtp", mtp(config)), write(tmp_path / "tale-eagle", eagle(config))
    write(tmp_path / "tale-bigram", {"next": IDS, "count": COUNTS})
    monkeypatch.setattr(choose, "BUNDLED", tmp_path)
    target = Llama(config, tiny.weights(one.hf), "tale-7m")
    for kind in ("mtp", "eagle", "bigram"):
        assert with_kind(target, kind).info.name == f"tale-{kind}"
    assert len(with_kind(target, "mtp").modules) == 3
