"""transformers' generation is watched and not changed: the same tokens as without, and p, q and verdicts that a plain pass gives too."""

import copy

import pytest
import torch
from transformers import LogitsProcessor, LogitsProcessorList

from specviz.engine.generate.call import WatchError
from specviz.engine.generate.watching import watching
from specviz.trace.disturbed import divergence_note
from specviz.trace.file import dumps, loads

from ... import tiny
from ...fakes import rounds, tokens

TOKENIZER = tiny.byte_level(merges=40)
OTHER = tiny.byte_level(merges=8, extra=("<|only here|>",))
PROMPT = "the cat sat on the mat, the cat sat"
NEW = 20


def model(tokenizer, seed: int = 0, noise: float = 0.0):
    """A tiny target; with `noise` one that is near it, so that some of its tokens stay and some go."""
    target = tiny.make(tiny.config("llama", vocab_size=len(tokenizer), eos_token_id=None, bos_token_id=None), seed)
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for weight in target.parameters():
            weight.mul_(1 + noise * torch.randn(weight.shape, generator=generator))
    target.generation_config.assistant_confidence_threshold = 0.0
    target.generation_config.num_assistant_tokens = 4
    target.generation_config.num_assistant_tokens_schedule = "constant"
    return target


@pytest.fixture(scope="module")
def target():
    return model(TOKENIZER)


@pytest.fixture(scope="module")
def near():
    return model(TOKENIZER, noise=0.25)


@pytest.fixture(scope="module")
def foreign():
    return model(OTHER, seed=3)


def inputs(prompt: str = PROMPT):
    return TOKENIZER(prompt, return_tensors="pt", add_special_tokens=False)


def generate(model, seed: int = 5, prompt: str = PROMPT, **how) -> list[int]:
    torch.manual_seed(seed)
    ids = inputs(prompt)
    out = model.generate(**ids, **{"max_new_tokens": NEW, "top_k": len(TOKENIZER), "pad_token_id": 0, **how})
    return out[0, ids["input_ids"].shape[1] :].tolist()


WAYS = {
    "an assistant": lambda near, foreign: {"assistant_model": near},
    "prompt lookup": lambda near, foreign: {"prompt_lookup_num_tokens": 3},
    "early exit": lambda near, foreign: {"assistant_early_exit": 1},
    "another tokenizer": lambda near, foreign: {
        "assistant_model": copy.deepcopy(foreign),  # transformers prunes its head
        "tokenizer": TOKENIZER,
        "assistant_tokenizer": OTHER,
    },
}


@pytest.mark.parametrize("sampled", [False, True], ids=["greedy", "sampled"])
@pytest.mark.parametrize("way", WAYS)
def test_whatever_drafts_the_tokens_are_those_without_watching_and_the_trace_holds_them(target, near, foreign, way, sampled):
    how = WAYS[way](near, foreign)
    generate(target, do_sample=sampled, **how)  # a first call may change an assistant: with another tokenizer it prunes its head
    plain = generate(target, do_sample=sampled, **how)
    with watching(target, TOKENIZER) as runs:
        alone = generate(target, do_sample=sampled)
        watched = generate(target, do_sample=sampled, **how)
    trace = runs.trace
    assert watched == tokens(trace.speculative) and tokens(trace.vanilla) == alone
    assert plain == watched
    assert loads(dumps(trace)) == trace  # which holds every rule of a trace
    assert (trace.header.engine, trace.header.prompt) == ("transformers", PROMPT)
    assert sampled or alone == watched
    assert any(r.drafted for r in rounds(trace.speculative)) and all(not r.drafted for r in rounds(trace.vanilla))
    assert all(r.times.timed > 0 and r.times.verify > 0 for lane in (trace.vanilla, trace.speculative) for r in rounds(lane))
    from tests.view import view

    picture = view(trace)
    assert "cache" in picture["header"]["left_out"] and picture["comparison"]
    assert not {"generate", "_get_candidate_generator", "_get_logits_processor"} & set(vars(target))
    assert not target._forward_hooks and not target._forward_pre_hooks


@torch.inference_mode()
def law(model, ids: list[int]) -> torch.Tensor:
    """softmax after each of the ids, by one plain pass."""
    return model(torch.tensor([ids])).logits[0].float().softmax(-1)


def test_p_and_q_are_those_of_a_plain_pass_and_every_verdict_agrees_with_them():
    target, near = model(TOKENIZER), model(TOKENIZER, noise=0.25)
    with watching(target, TOKENIZER) as runs:
        for seed in range(6):
            generate(target, seed, do_sample=True, assistant_model=near)
    verdicts = []  # q is asked of the first round: later transformers' draft does not always give what a plain pass gives
    for trace in runs.traces:
        text = [t.id for t in trace.speculative[0].prompt]
        for r in rounds(trace.speculative):
            block = [d.token.id for d in r.drafted]
            p, q = (law(model, [*text, *block])[len(text) - 1 :] for model in (target, near))
            for i, d in enumerate(r.drafted):
                assert d.p == pytest.approx(float(p[i, d.token.id]), abs=1e-5)
                assert r.index or d.q == pytest.approx(float(q[i, d.token.id]), abs=1e-5)
                assert d.ratio == pytest.approx(d.p / d.q) and d.u is None
                assert d.verdict != "rejected" or d.ratio < 1
                verdicts.append(d.verdict)
                if d.position and not r.index:
                    assert d.position.beta == pytest.approx(float(torch.minimum(p[i], q[i]).sum()), abs=1e-5)
            if r.residual and not r.index:
                i = len(r.emitted) - 1
                left = (p[i] - q[i]).clamp(min=0)
                assert r.residual.mass == pytest.approx(float(left.sum()), abs=1e-5)
                chances, last = {e.token.id: e.probability for e in r.residual.entries}, r.emitted[-1].token.id
                assert chances[last] == pytest.approx(float(left[last] / left.sum()), abs=1e-4)
            text += [e.token.id for e in r.emitted]
    assert {"accepted", "rejected", "unexamined"} == set(verdicts)


def test_where_the_draft_gives_no_probabilities_q_is_none_and_the_targets_own_draw_decides(target):
    with watching(target, TOKENIZER) as runs:
        generate(target, do_sample=True, prompt_lookup_num_tokens=3)
    trace = runs.trace
    assert trace.header.config.verifier == "match" and trace.header.drafter == "lookup"
    drafted = [d for r in rounds(trace.speculative) for d in r.drafted]
    assert drafted and all(d.q is None and d.ratio is None and 0 <= d.p <= 1 for d in drafted)
    from tests.view import view

    assert all(r.residual is None for r in rounds(trace.speculative)) and "q" in view(trace)["header"]["left_out"]
    assert trace.vanilla == ()  # nothing was generated to compare it with


def test_the_target_alone_is_told_by_its_own_draws(target):
    with watching(target, TOKENIZER) as runs:
        generate(target, do_sample=True, temperature=0.7)
    trace = runs.trace
    text = [t.id for t in trace.vanilla[0].prompt]
    for r in rounds(trace.vanilla):
        [emitted] = r.emitted
        with torch.inference_mode():
            p = (target(torch.tensor([text])).logits[0, -1].float() / 0.7).softmax(-1)
        [entry] = [e for e in emitted.position.entries if e.token == emitted.token]
        assert entry.p == pytest.approx(float(p[emitted.token.id]), abs=1e-5) and emitted.role == "plain"
        text.append(emitted.token.id)
    assert (trace.speculative, trace.header.draft, trace.header.config.K, trace.header.config.temperature) == ((), None, 0, 0.7)


def test_a_run_alone_is_put_beside_one_with_drafts_only_if_both_were_asked_for_the_same(target, near):
    with watching(target, TOKENIZER) as runs:
        generate(target, prompt="another text")
        generate(target, do_sample=True)
        generate(target, max_new_tokens=NEW - 1)
        generate(target, assistant_model=near)
    assert runs.trace.vanilla == () and len(runs.traces) == 4


@pytest.mark.parametrize("sampled", [False, True], ids=["greedy", "sampled"])
def test_a_text_that_ends_inside_a_block_ends_on_an_accepted_token(target, sampled):
    with watching(target, TOKENIZER) as runs:
        ids = generate(target, do_sample=sampled, assistant_model=target)
        end = next(i for i in range(1, 4) if ids[i] not in ids[:i])  # inside the first block of four
        generate(target, do_sample=sampled, assistant_model=target, eos_token_id=ids[end])
    trace = runs.trace
    assert trace.speculative[-1].reason == "eos" and tokens(trace.speculative) == ids[: end + 1]
    assert rounds(trace.speculative)[-1].emitted[-1].role == "accepted" and loads(dumps(trace)) == trace
    assert trace.header.drafter == "oracle" and trace.header.eos == (ids[end],)


class Reader:
    """A way to draft that transformers does not have: it needs the target's outputs, as multi-token heads do."""

    requires_model_outputs = True

    def __init__(self):
        self.calls, self.model_kwargs_overrides = [], {"output_hidden_states": True}

    def get_candidates(self, input_ids, model_kwargs, model_outputs, is_first_iteration, n_last_matches):
        if is_first_iteration:
            return input_ids, None
        self.calls.append((len(model_outputs.hidden_states), n_last_matches))
        return torch.cat([input_ids, model_outputs.logits[:, -1:].argmax(-1)], 1), None

    def update_candidate_strategy(self, input_ids, scores, num_matches):
        self.calls.append(num_matches)


def test_a_drafter_that_this_does_not_know_is_watched_too_and_what_was_in_its_place_is_put_back(target):
    own, reader = copy.deepcopy(target), Reader()
    own._get_candidate_generator = make = lambda **_: reader
    with watching(own, TOKENIZER) as runs:
        ids = generate(own, assistant_model=target)
    assert vars(own)["_get_candidate_generator"] is make
    trace = runs.trace
    assert tokens(trace.speculative) == ids == generate(target) and reader.calls
    assert [len(r.drafted) for r in rounds(trace.speculative)][:2] == [0, 1] and loads(dumps(trace)) == trace


def test_a_call_that_fails_fails_as_it_would_and_what_was_written_is_there(target, near):
    class Tired:
        calls = 0

        def __call__(self, input_ids, scores):
            Tired.calls += 1
            if Tired.calls > 9:
                raise RuntimeError("tired")
            return scores

    with watching(target, TOKENIZER) as runs, pytest.raises(RuntimeError, match="tired"):
        generate(target, logits_processor=LogitsProcessorList([Tired()]))
    end = runs.trace.vanilla[-1]
    assert (end.reason, end.detail, end.tokens) == ("error", "RuntimeError", 8)
    assert "generate" not in vars(target) and len(generate(target, assistant_model=near)) == NEW


def two_texts(target, near):
    ids = inputs()["input_ids"].repeat(2, 1)
    target.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=3, pad_token_id=0)


REFUSED = {
    "2 texts were generated at once": two_texts,
    "num_beams is 2": lambda target, near: generate(target, num_beams=2, max_new_tokens=3),
    "assistant_ensemble_weight at temperature 0 is a rule": lambda target, near: generate(
        target, assistant_model=near, assistant_ensemble_weight=0.5, max_new_tokens=6
    ),
    "temperature is 0.01": lambda target, near: generate(target, do_sample=True, temperature=0.01, max_new_tokens=3),
    "nothing was generated while": lambda target, near: None,
}


@pytest.mark.parametrize("says", REFUSED)
def test_what_cannot_be_drawn_is_generated_all_the_same_and_refused_in_a_sentence(target, near, says):
    with watching(target, TOKENIZER) as runs:
        REFUSED[says](target, near)
    with pytest.raises(WatchError, match=says):
        _ = runs.trace


def test_what_is_no_model_of_transformers_or_has_no_tokenizer_is_refused_at_once(target):
    with pytest.raises(WatchError, match="Linear has no generate"), watching(torch.nn.Linear(1, 1)):
        pass
    with pytest.raises(WatchError, match="no tokenizer was found"), watching(target):
        pass


class Likeliest:
    """A drafter that takes its most likely token and gives its logits as q, as transformers' assistant of Gemma 4 does."""

    requires_model_outputs = False

    def __init__(self, model, sampled: bool = False):
        self.model, self.sampled = model, sampled

    @torch.inference_mode()
    def get_candidates(self, input_ids):
        logits = []
        for _ in range(4):
            logits.append(self.model(input_ids).logits[:, -1:].float())
            q = logits[-1][:, 0].softmax(-1)
            input_ids = torch.cat([input_ids, torch.multinomial(q, 1) if self.sampled else q.argmax(-1, keepdim=True)], 1)
        return input_ids, torch.cat(logits, 1)

    def update_candidate_strategy(self, *_):
        pass


@pytest.mark.parametrize("sampled", [False, True], ids=["argmax", "sampled"])
def test_a_drafter_that_takes_the_argmax_and_gives_its_softmax_as_q_is_not_called_exact(target, near, sampled):
    own = copy.deepcopy(target)
    own._get_candidate_generator = lambda **_: Likeliest(near, sampled)
    with watching(own, TOKENIZER) as runs:
        generate(own, do_sample=True, assistant_model=near)
    header = loads(dumps(runs.trace)).header
    assert header.exact is sampled and header.config.exact
    assert header.departures == (
        () if sampled else ("not exact: the drafter takes its most likely token, and its softmax is tested as q",)
    )
    from tests.view import view

    assert view(runs.trace)["header"]["config"]["exact"] is sampled
    with watching(own, TOKENIZER) as runs:
        generate(own, assistant_model=near)
    assert runs.trace.header.exact and runs.trace.header.departures == ()  # greedy text is the target's own


def test_a_sampled_ensemble_is_drawn_and_not_called_exact(target, near):
    with watching(target, TOKENIZER) as runs:
        generate(target, do_sample=True, assistant_model=near, assistant_ensemble_weight=0.5)
    trace = loads(dumps(runs.trace))
    assert trace.header.exact is False and "assistant_ensemble_weight = 0.5" in trace.header.departures[0]
    from tests.view import view

    assert view(trace)["header"]["departures"] == list(trace.header.departures)


def test_what_else_p_passes_is_in_the_trace(target, near):
    class Mine(LogitsProcessor):
        def __call__(self, input_ids, scores):
            return scores

    how = {"do_sample": True, "min_p": 0.05, "repetition_penalty": 1.2, "logits_processor": LogitsProcessorList([Mine()])}
    with watching(target, TOKENIZER) as runs:
        generate(target, **how)
        generate(target, assistant_model=near, **how)
        generate(target, do_sample=True, assistant_model=near)
    shaped, plain = runs.traces[1], runs.traces[2]
    passed = "min_p = 0.05", "repetition_penalty = 1.2", "a processor of your own, Mine"
    assert set(shaped.header.departures) == {f"p passes {what}" for what in passed}
    assert shaped.header.exact and shaped.vanilla and plain.header.departures == () and plain.vanilla == ()


def test_a_stop_string_that_ends_inside_a_block_is_said_to_be_missed(target):
    own = copy.deepcopy(target)
    own._get_candidate_generator = lambda **_: Likeliest(target)  # all four are accepted, and a bonus follows
    ids = generate(target)
    texts = [TOKENIZER.decode([id]) for id in ids]
    places = [i for i in range(NEW - 5) if i % 5 < 4 and texts[i].isascii() and texts[i].strip()]
    inside = next(i for i in places if texts[i] not in "".join(texts[:i]))
    stops = {"stop_strings": [texts[inside]], "tokenizer": TOKENIZER}
    with watching(own, TOKENIZER) as runs:
        generate(own, **stops)
        generate(own, assistant_model=target, **stops)
    trace = loads(dumps(runs.trace))
    assert len(tokens(trace.vanilla)) == inside + 1 < len(tokens(trace.speculative))
    assert "ended inside a block" in trace.header.departures[0] and trace.header.exact is False
    assert "misses one that ends inside" in divergence_note(trace)
