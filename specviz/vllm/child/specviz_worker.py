"""Mixed into each of vLLM's workers (`worker_extension_cls`): keeps what a verification round was decided from, and describes it when
asked. Runs in vLLM's environment; tensors in, plain values out.

    engine.collective_rpc("specviz_watch")                    # once
    engine.collective_rpc("specviz_lane", args=(True, 4))     # draft, at most 4 tokens; False: the drafter sits still
    engine.step(); engine.collective_rpc("specviz_take")      # of each rank what that step did, or None

What is kept during a step are references and two small copies. Sums over the vocabulary wait for `specviz_take`, outside the time of
the step.
"""

import time

import torch
import vllm.v1.sample.rejection_sampler as sampler
from specviz_mend import missing_in, repeat_for_tokens
from vllm.v1.sample.ops.topk_topp_sampler import apply_top_k_top_p

TOP = 8  # entries of p and of q that are described, beside the token in question
WATCHED = None  # the observer of this process, whose step is running


class Observer:
    """Its methods are called on every rank."""

    def specviz_watch(self) -> dict:
        """Hooks in. `missing`: a name that this model runner lacks, or ''."""
        global WATCHED
        runner = self.model_runner
        if missing := missing_in(runner):
            return {"missing": f"{type(runner).__module__}.{type(runner).__qualname__}.{missing}"}
        self._cuda = runner.device.type == "cuda"
        self._drafts, self._K, self._step = True, 0, None
        runner.execute_model = self._timed("verify", runner.execute_model, before=self._begin)
        runner._sample = self._timed_sampling(runner._sample)
        runner.propose_draft_token_ids = self._timed("draft", self._unless_vanilla(runner.propose_draft_token_ids))
        drafter = getattr(runner, "drafter", None)
        if isinstance(getattr(drafter, "model", None), torch.nn.Module):
            drafter.model.register_forward_hook(self._count_pass)
        if WATCHED is None:
            if runner.device.type == "cpu":
                sampler.expand_batch_to_tokens = repeat_for_tokens
            sampler.rejection_sample = _noting(sampler.rejection_sample, _note_block)
            sampler.generate_uniform_probs = _noting(sampler.generate_uniform_probs, _note_uniforms)
        WATCHED = self
        return {"missing": "", "device": runner.device.type, "name": _device(runner.device), "threads": torch.get_num_threads()}

    def specviz_lane(self, drafts: bool, K: int) -> None:
        """Whether the drafter drafts, and how many tokens a round at most."""
        self._drafts, self._K = drafts, K

    @torch.inference_mode()
    def specviz_take(self) -> dict | None:
        """What the last step did; None where it sampled nothing."""
        step, self._step = self._step, None
        return describe(step) if step and "sampled" in step else None

    def _begin(self, scheduled, *_):
        self._step = {"ms": {"draft": 0.0, "verify": 0.0, "decide": 0.0, "observe": 0.0, "first": 0.0, "had": 0.0}, "passes": 0}
        if self._drafts and 0 < self._K < scheduled.num_spec_tokens_to_schedule:
            scheduled.num_spec_tokens_to_schedule = self._K

    def _clock(self) -> float:
        if self._cuda:
            torch.cuda.synchronize()
        return 1e3 * time.perf_counter()

    def _timed(self, part: str, function, before=None):
        def call(*args, **kwargs):
            if before:
                before(*args)
            self._since, self._had = start, had = self._clock(), time.thread_time()
            result = function(*args, **kwargs)
            if self._step:
                self._step["ms"][part] += self._clock() - start
                # since the last block's first pass, or since it began: what a prefill drafted beyond its prompt
                if part == "draft":
                    self._step["ms"]["had"] = 1e3 * (time.thread_time() - max(had, self._had))
            return result

        return call

    def _unless_vanilla(self, propose):
        """Where the lane drafts nothing, every request gets an empty block, as from a lookup that found nothing."""

        def call(*args, **kwargs):
            if self._drafts:
                return propose(*args, **kwargs)
            return [[] for _ in self.model_runner.input_batch.req_ids]

        return call

    def _count_pass(self, *_):
        """A pass of the draft is done; of a step's first, which reads the prompt in a prefill, the time is kept apart."""
        if self._step:
            self._step["passes"] += 1
            if self._step["passes"] == 1:
                self._step["ms"]["first"] = self._clock() - self._since
                self._had = time.thread_time()

    def _timed_sampling(self, function):
        def call(logits, metadata):
            start, step = self._clock(), self._step
            if step is None or logits is None:  # a dummy run; a rank that holds no head
                return function(logits, metadata)
            last = logits if metadata is None else logits[metadata.bonus_logits_indices]
            step |= {"last": last.clone(), "sampling": self.model_runner.input_batch.sampling_metadata}
            step["ms"]["observe"] += (decide_start := self._clock()) - start
            output = function(logits, metadata)
            step["sampled"] = output.sampled_token_ids
            step["ms"]["decide"] += self._clock() - decide_start
            return output

        return call


def _noting(function, note):
    """`function`, of whose arguments and result the running step keeps references."""

    def call(*args, **kwargs):
        result = function(*args, **kwargs)
        if WATCHED is not None and WATCHED._step is not None:
            note(WATCHED._step, args, result)
        return result

    return call


def _note_block(step, args, _):
    ids, _, _, _, q, logits, *_ = args
    step |= {"ids": ids, "q": q, "logits": logits}


def _note_uniforms(step, _, u):
    step["u"] = u


def _device(device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"


def describe(step: dict) -> dict:
    """Plain values of one request's step. p, q, u: of each drafted token; `sampled`: what was emitted; `rows`: p and q at each tested
    position; `last`: p where a token came without a draft; `residual`: what a rejected one was replaced from."""
    greedy = bool(step["sampling"].all_greedy)
    [sampled] = [[id for id in row if id >= 0] for row in step["sampled"].tolist()[:1]]
    ids = step["ids"].tolist() if "ids" in step else []
    n_accepted, k = len(sampled) - 1, len(ids)
    described = {"drafted": ids, "sampled": sampled, "ms": step["ms"], "passes": step["passes"], "greedy": greedy}
    described |= {"p": [], "q": [], "u": [], "rows": [], "onehot": True, "residual": None, "last": None}
    if k:
        tested = torch.tensor(ids)[:, None]
        p = _distribution(step["logits"], greedy)
        q_rows, described["onehot"] = step["q"], step["q"] is None or greedy
        q = torch.zeros_like(p).scatter_(1, tested, 1.0) if described["onehot"] else q_rows.float().cpu()
        described |= {"p": p.gather(1, tested)[:, 0].tolist(), "q": q.gather(1, tested)[:, 0].tolist()}
        described["u"] = step["u"].tolist() if "u" in step and not greedy else [None] * k
        described["rows"] = [_row(p[i], q[i], ids[i]) for i in range(min(k, n_accepted + 1))]
        if n_accepted < k:
            described["residual"] = _residual(p[n_accepted], q[n_accepted], sampled[-1])
    if n_accepted == k:
        described["last"] = _row(_distribution(_constrained(step["last"], step["sampling"]), greedy)[0], None, sampled[-1])
    return described


def _distribution(logits, greedy: bool):
    """p [rows, V], float32, on the CPU: what a token of each row is drawn from."""
    logits = logits.float().cpu()
    return torch.zeros_like(logits).scatter_(1, logits.argmax(-1, keepdim=True), 1.0) if greedy else logits.softmax(-1)


def _constrained(logits, sampling):
    """One row of logits [1, V] after temperature, top-k and top-p, as the sampler of bonus and plain tokens does."""
    if sampling.all_greedy:
        return logits
    logits = logits.float().div_(sampling.temperature[:1, None])
    return apply_top_k_top_p(logits, *(None if x is None else x[:1] for x in (sampling.top_k, sampling.top_p)))


def _row(p, q, sampled: int) -> dict:
    """The largest of p, the token in question, the largest of q, each once and none that is 0 in both; and sums over all."""
    top = min(TOP, len(p))
    ids = dict.fromkeys([*p.topk(top).indices.tolist(), sampled, *([] if q is None else q.topk(top).indices.tolist())])
    entries = [(id, p[id].item(), None if q is None else q[id].item()) for id in ids]
    entries = [each for each in entries if each[1] > 0 or (each[2] or 0) > 0]
    row = {"entries": entries, "p_entropy": _entropy(p)}
    if q is not None:
        row |= {"q_entropy": _entropy(q), "beta": torch.minimum(p, q).sum().item(), "product": (p * q).sum().item()}
        row["best"] = p[q.argmax()].item()
    return row


def _residual(p, q, sampled: int) -> dict:
    difference = (p - q).clamp(min=0)
    mass = difference.sum().item()
    residual = difference / max(mass, 1e-12)
    ids = dict.fromkeys([*residual.topk(min(TOP, len(residual))).indices.tolist(), sampled])
    return {"entries": [(id, residual[id].item()) for id in ids if residual[id] > 0 or id == sampled], "mass": mass}


def _entropy(p) -> float:
    return torch.special.entr(p).sum().item()
