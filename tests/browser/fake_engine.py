"""An engine that answers at once from `fake_trace`: every screen can be tested without a model.

Whoever scores what people say: a token with a z in it is improbable, any other is kept. True to itself: q is how the guesses are spread,
β = Σ min(p, q), and a rejected token is replaced by one that has what is left of p.

    cut(" zebra")                       # tokens of at most four letters
    play([[1, 2], [1, 3]])              # guesses as ids that `cut` gave
"""

import re
from dataclasses import dataclass, replace
from threading import Condition
from time import sleep
from types import SimpleNamespace

from specviz.config import DecodeConfig
from specviz.trace.events import (
    Cache,
    Divergence,
    Drafted,
    Emitted,
    Entry,
    LaneTime,
    Logits,
    Position,
    Repeat,
    Residual,
    ResidualEntry,
    Round,
    Times,
    Token,
    Trace,
)

from ..fake_trace import DRAFTERS, fake_trace

LIKELY, UNLIKELY = 0.8, 0.05
KNOWN: list[Token] = [Token(0, "<|endoftext|>"), Token(1, " then"), Token(2, " end")]
OTHERS = {"small": 0.7, "lookup": None, "homemade": 0.4}  # β of each token that they draft


def token(text: str) -> Token:
    known = next((one for one in KNOWN if one.text == text), None)
    if known is None:
        KNOWN.append(known := Token(len(KNOWN), text))
    return known


def cut(words: str, further: bool = False) -> list[Token]:
    if "\ud800" in words:
        raise ValueError("this is not valid Unicode text")
    pieces = [token(piece) for piece in re.findall(r"\s?\S{1,4}|\s", words)]
    return pieces if further else [KNOWN[0], *pieces]


def play(guesses, others=None) -> SimpleNamespace:
    drafted, open_guesses = [], [tuple(guess) for guess in guesses]
    keeps = True
    while nexts := [guess[len(drafted)] for guess in open_guesses if len(guess) > len(drafted)]:
        id = max(nexts, key=nexts.count)
        shares = {each: nexts.count(each) / len(nexts) for each in nexts}
        p, u = (UNLIKELY, 0.9) if "z" in KNOWN[id].text else (LIKELY, 0.3)
        examined, keeps = keeps, keeps and u < p / shares[id]
        rows = {each: p if each == id else (0.95 - p) / len(nexts) for each in shares} | {1: 0.05}
        entries = tuple(Entry(KNOWN[each], chance, shares.get(each, 0.0)) for each, chance in rows.items())
        beta = sum(min(entry.p, entry.q) for entry in entries)
        place = Position(entries, 1 - sum(rows.values()), 0.0, beta, 1.0, 1.0) if examined else None
        verdict = "accepted" if keeps else "rejected" if examined else "unexamined"
        drafted.append(Drafted(KNOWN[id], shares[id], p, p / shares[id], u if examined else None, verdict, place))
        open_guesses = [guess for guess in open_guesses if len(guess) > len(drafted) - 1 and guess[len(drafted) - 1] == id]
    emitted = [Emitted(one.token, "accepted", one.token.text) for one in drafted if one.verdict == "accepted"]
    over = any("end" in one.token.text for one in emitted)
    last = KNOWN[1]
    if not over:
        position = Position((Entry(last, 0.6, None),), 0.4, None, None, 1.0, None) if keeps else None
        emitted.append(Emitted(last, "bonus" if keeps else "corrected", last.text, 0.5, position))
    left = None if keeps else Residual((ResidualEntry(last, 0.6),), 0.4, 0.5)
    cache = Cache(1, 2, 2)
    round = Round(0, tuple(drafted), tuple(emitted), left, cache, None, 1, 0, Times(1, 1, 1, 1, 0))
    examined = [one for one in drafted if one.position]
    people = _counts(len(drafted), len(examined), len(emitted) - (not over), sum(one.position.beta for one in examined))
    n = len(drafted)
    beside = {
        key: _counts(0, 0, 0, 0.0) if beta is None else _counts(n, n, n - 1, n * beta)
        for key, beta in OTHERS.items()
        if others is None or key in others
    }
    return SimpleNamespace(round=round, people=people, others=beside, ended="eos" if over else None)


def _counts(drafted, tested, accepted, beta) -> SimpleNamespace:
    return SimpleNamespace(drafted=drafted, tested=tested, accepted=accepted, beta=beta)


PUBLIC = "owner/big + owner/small"


@dataclass(frozen=True, slots=True)
class Progress:
    lane: str
    tokens: int
    of: int
    again: int = 0
    event: object = None


class FakeEngine:
    """Prompts that begin with a keyword choose what it does: `slow` waits for Stop, `slow first` in the first lane, `bad` refuses, `broken`
    fails, `hostile` is hostile, `inside` ends inside a block, `context` fills the context, `graphs` is of a GPU that recorded
    some, `parts` lets greedy lanes part, `busy` is disturbed, `shared` too and its processor time is known, `often` repeated,
    `live` tells every round and then waits for Stop. Lookup and confidence make blocks of fewer than K."""

    blocks: dict[int, float] | None = {1: 4.0, 2: 4.2, 4: 5.0, 8: 8.0, 16: 16.0}  # noqa: RUF012, ms of passes; None: cannot be measured

    def __init__(self):
        self.last = None
        self.arrival = Condition()

    def asked_for(self, prompt: str) -> tuple[str, DecodeConfig]:
        """The drafter and the settings of the last run, once that is the run of this prompt: a page draws before its call arrives."""
        with self.arrival:
            assert self.arrival.wait_for(lambda: self.last and self.last[0] == prompt, timeout=20), f"{self.last} was run last"
            return self.last[1:]

    def models(self):
        return ["story", PUBLIC]

    def needs(self, models):
        return SimpleNamespace(gigabytes=3.7, dtype="bfloat16", licence="Apache-2.0", gated=True) if models == PUBLIC else None

    def chats(self, models):
        return False

    def drafters(self, models=None):
        return ["eagle", "lookup"] if models == PUBLIC else [*DRAFTERS, "homemade"]  # the last has no words

    def block_times(self):
        if self.blocks is None:
            raise RuntimeError("device is gone")
        where = {"device": "cpu", "threads": 1, "context": 128}
        about = {"target": "story-target", "parameters": 10_000_000, "dtype": "float32", "size": 0, "disturbed": False}
        return SimpleNamespace(**about, **where, ms=self.blocks)

    def cut(self, words, further=False):
        return cut(words, further)

    def score(self, text, guesses, config, others=None):
        return play(guesses, others)

    def luck(self, prompt, settings, seeds, stop, models=None):
        from specviz.lab.luck import Setting, luck

        return self.slowly(prompt, luck(self.once(), tuple(Setting(*setting) for setting in settings), seeds, stop), stop)

    def sweep(self, prompt, drafters, ks, config, turns, stop, models=None):
        from specviz.lab.sweep import sweep

        return self.slowly(prompt, sweep(self.once(), drafters, ks, config, turns, stop), stop)

    def loads(self, stop):
        rows = [tuple(0.5 + 0.5 * size + 0.2 * size * n for n in range(1, 10)) for size in (1, 4)]
        names = {"device": "cpu", "target": "story-target", "draft": "story-draft", "context": 128, "batches": (1, 4)}
        result = {**names, "target_ms": rows, "draft_ms": (0.2, 0.4)}
        yield SimpleNamespace(done=2, of=2, as_json=lambda: result)

    def once(self):
        """Runs of the Lab's experiments: they keep to the formula, beside some chance."""
        from tests.lab.made_up import ByTheFormula

        alphas = {"small": 0.75, "large": 0.82, "lookup": 0.1, "bigram": 0.3, "early-exit": 0.7, "mtp": 0.66, "eagle": 0.6}
        alphas |= {"block": 0.55, "oracle": 1.0, "random": 0.02, "homemade": 0.5}
        return ByTheFormula(alphas, {name: 0.02 + 0.4 * alpha**3 for name, alpha in alphas.items()}, draw=0.04, clock=0.05)

    def slowly(self, prompt, steps, stop):
        """The steps of an experiment; `slow` ones wait for Stop after the ninth."""
        for step in steps:
            yield step
            while prompt.startswith("slow") and step.done == 9 and not stop():
                sleep(0.1)
                yield step

    def race(self, request):
        prompt, config, drafter, models, stop = request.prompt, request.config, request.drafter, request.models, request.stop
        with self.arrival:
            self.last = prompt, drafter, config
            self.arrival.notify_all()
        if models == PUBLIC and drafter == "eagle":
            raise ValueError("owner/big could not be fetched from the hub: no network")
        if prompt.startswith("bad"):
            raise ValueError("prompt has 900 tokens; this pair takes at most 512")
        if prompt.startswith("broken"):
            raise RuntimeError("device is gone")
        trace = fake_trace(
            prompt,
            config=config,
            seed=config.seed + 3,
            hostile=prompt.startswith("hostile"),
            ends_inside=prompt.startswith("inside"),
            drafter=drafter if drafter in DRAFTERS else "small",
            short=drafter == "lookup" or config.confidence > 0,
        )
        if prompt.startswith("parts"):  # greedy lanes that part, as they do where two logits nearly tie
            lanes = trace.vanilla, trace.speculative
            tokens = [next(e.emitted[0].token for e in lane if hasattr(e, "emitted")) for lane in lanes]
            divergence = Divergence(0, *tokens, Logits(7.125, 7.124), Logits(7.1234, 7.1249))
            header = replace(trace.header, config=replace(config, temperature=0.0), divergence=divergence)
            trace = replace(trace, header=header)
        if prompt.startswith("context"):
            full = [(*events[:-1], replace(events[-1], reason="context")) for events in (trace.vanilla, trace.speculative)]
            trace = replace(trace, vanilla=full[0], speculative=full[1])
        if prompt.startswith("busy"):  # another process had the machine
            *rounds, end = trace.speculative
            trace = replace(trace, speculative=(*rounds, replace(end, processor_ms=0.6 * end.decode_ms)))
        if prompt.startswith("shared"):
            lanes = [
                (*events[:-1], replace(events[-1], processor_ms=share * events[-1].decode_ms))
                for events, share in ((trace.vanilla, 0.5), (trace.speculative, 0.4))
            ]
            trace = replace(trace, vanilla=lanes[0], speculative=lanes[1])
        if prompt.startswith("often"):  # repeated, and the shown one is the middle of seven
            ms = [lane[-1].decode_ms for lane in (trace.vanilla, trace.speculative)]
            runs = [Repeat(LaneTime(ms[0] * x), LaneTime(ms[1])) for x in (1, 0.9, 1.1, 1.05, 0.95, 1.02, 0.98)]
            trace = replace(trace, header=replace(trace.header, repeats=tuple(runs)))
        if prompt.startswith("graphs"):
            lanes = [(*events[:-1], replace(events[-1], capture_ms=400.0)) for events in (trace.vanilla, trace.speculative)]
            lanes[1] = (*lanes[1][:-1], replace(lanes[1][-1], eager="no memory for <b>a graph</b>"))
            machine = replace(trace.header.machine, note="the driver is <b>too old</b>")
            draft = replace(trace.header.draft, note="its config names what is not read: <b>norm</b>")
            trace = Trace(replace(trace.header, machine=machine, draft=draft), *lanes)
        if prompt.startswith("live"):
            for lane in ("vanilla", "speculative"):
                written = 0
                for event in getattr(trace, lane):
                    written += len(getattr(event, "emitted", ()))
                    yield Progress(lane, written, config.max_new_tokens, event=event)
            while not stop():
                sleep(0.02)
            yield self.stopped(prompt, config, "speculative")
            return
        for lane in ("vanilla", "speculative"):
            for i in range(4):
                if stop():
                    yield self.stopped(prompt, config, lane)
                    return
                of = 50 if prompt.startswith("slow context") else config.max_new_tokens
                yield Progress(lane, i * of // 4, of)
                if prompt.startswith("slow"):
                    waits = "vanilla" if prompt.startswith("slow first") else "speculative"
                    for _ in range(300 if i == 1 and lane == waits else 10):
                        if not stop():
                            sleep(0.05)
        yield trace

    def stopped(self, prompt, config, lane) -> Trace:
        return fake_trace(prompt, config=config, cancelled=0 if lane == "vanilla" else 3)
