"""Small stand-ins for a model and a tokenizer, public to every test: each does by a table what the real one learned.

    events = run(Markov(P), Markov(Q), [0], K=2, max_new_tokens=3)

`Markov` knows only the last token, `History` everything before it, `Script` only where it is. All keep real caches: they
count positions, refuse what does not fit, roll back, and remember what they were fed.
"""

import random

import torch

from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.draft.model import SmallModel
from specviz.engine.model import Model, TreeCache, check_append
from specviz.trace.events import Event, Finished, ModelInfo, Prefill, Round, Token

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Clock:
    """Stands still until a test sets `now`, in seconds."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


CPU = torch.device("cpu")


class FakeModel(Model):
    """A model whose logits are `rows(past, n)`: [n, V] after each of the last n ids of `past`. `sequences` are those it began."""

    device = CPU

    def __init__(self, vocabulary: int, context: int = 64, name: str = "fake"):
        self.vocabulary, self.context = vocabulary, context
        self.info = ModelInfo(name, "fake", 0, 0, vocabulary, 0, "float32", "own")
        self.sequences: list[FakeSequence] = []

    def sequence(self, capacity: int) -> "FakeSequence":
        self.sequences.append(FakeSequence(self, min(capacity, self.context)))
        return self.sequences[-1]

    def rows(self, past: list[int], n: int) -> torch.Tensor:
        raise NotImplementedError


class FakeSequence(TreeCache):
    """`ids`: the cached ids; `fed`: the ids of every append so far, prefill first."""

    def __init__(self, model: FakeModel, capacity: int):
        super().__init__()
        self.model, self.capacity, self.ids, self.fed = model, capacity, [], []

    def append(self, ids, keep: int | None = None, parents=None) -> torch.Tensor:
        n = len(ids)
        check_append(n, self.length, self.capacity)
        self.tree.check(n, parents)
        if not all(0 <= id < self.model.vocabulary for id in ids):
            raise IndexError(f"{self.model.info.name} has {self.model.vocabulary} embeddings and was fed {list(ids)}")
        text_length, first = self.text_length, len(self.tree)
        self.ids += ids
        self.fed.append(list(ids))
        self.grow(n)
        if parents is None:
            return self.model.rows(self.ids, n if keep is None else min(keep, n))
        self.tree.add(parents)
        texts = [[self.ids[text_length + row] for row in self.tree.path(first + i)] for i in range(n)]
        return torch.cat([self.model.rows(self.ids[:text_length] + text, 1) for text in texts])[-n if keep is None else -keep :]

    def _gather(self, text_length, path):
        self.ids[text_length : text_length + len(path)] = [self.ids[text_length + row] for row in path]

    def _crop(self, length: int) -> None:
        del self.ids[length:]


class Markov(FakeModel):
    """Row s of a chain [V, V] is the law of the token after s. Given several, token number i of a text follows chain i modulo
    their count, so that a cache which is one position off shows."""

    def __init__(self, *chains, context: int = 64, name: str = "markov"):
        self.chains = torch.stack([torch.as_tensor(chain, dtype=torch.float64) for chain in chains])
        super().__init__(self.chains.shape[-1], context, name)
        self.logits = self.chains.log().float()

    def rows(self, past, n):
        if len(self.chains) == 1:
            return self.logits[0][past[-n:]]
        return self.logits[[i % len(self.chains) for i in range(len(past) - n + 1, len(past) + 1)], past[-n:]]


class History(FakeModel):
    """Logits are random but fixed for every text, so a cache that lost or doubled a token gives other ones."""

    def __init__(self, vocabulary: int, context: int = 64, seed: int = 0, name: str = "history"):
        super().__init__(vocabulary, context, name)
        self.seed = seed

    def rows(self, past, n):
        return torch.stack([self._row(tuple(past[: len(past) - i])) for i in reversed(range(n))])

    def _row(self, text):
        chance = random.Random(hash((self.seed, *text)))
        return torch.tensor([chance.gauss(0, 2) for _ in range(self.vocabulary)])


class Script(FakeModel):
    """Certain of the one text `ids`, prompt included: after i tokens comes ids[i], whatever the i tokens were."""

    def __init__(self, ids: list[int], vocabulary: int, context: int = 64, name: str = "script"):
        super().__init__(vocabulary, context, name)
        self.ids = list(ids)

    def rows(self, past, n):
        logits = torch.full((n, self.vocabulary), float("-inf"))
        for row, position in enumerate(range(len(past) - n + 1, len(past) + 1)):
            logits[row, self.ids[min(position, len(self.ids) - 1)]] = 0.0
        return logits


class FakeText:
    """Token i reads `pieces[i]`; `eos` are the pieces that end a run. Encodes letter by letter."""

    def __init__(self, pieces=LETTERS, eos=()):
        self.pieces = list(pieces)
        self.eos = frozenset(self.pieces.index(piece) for piece in eos)
        self.chat = False

    def encode(self, prompt: str) -> list[int]:
        return [self.pieces.index(letter) for letter in prompt]

    def token(self, id: int) -> Token:
        return Token(id, self.pieces[id])

    def characters(self, id: int) -> str:
        return "" if id in self.eos else self.pieces[id]

    def stream(self, prompt: list[int]) -> "FakeStream":
        return FakeStream(self)


class FakeStream:
    def __init__(self, text: FakeText):
        self.text = text

    def push(self, id: int) -> str:
        return self.text.pieces[id]


def random_chain(size: int, seed: int, sharpness: float = 1.0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return (sharpness * torch.randn(size, size, generator=generator, dtype=torch.float64)).softmax(-1)


def start(target, draft, prompt, text=None, *, cancel=lambda: False, observe=True, **config):
    drafter = SmallModel(draft) if isinstance(draft, FakeModel) else draft
    if drafter is None:
        config.setdefault("K", 0)
    return decode(target, drafter, prompt, DecodeConfig(**config), text or FakeText(), stop=cancel, observe=observe)


def run(*args, **config) -> list[Event]:
    return list(start(*args, **config))


def around_proposals(drafter, around):
    """The drafter, whose sessions now draft what `around(propose, tokens, k, u)` returns."""
    begin = drafter.begin

    def begin_around(context):
        session = begin(context)
        propose = session.propose
        session.propose = lambda *arguments: around(propose, *arguments)
        return session

    drafter.begin = begin_around
    return drafter


def rounds(events) -> list[Round]:
    return [event for event in events if isinstance(event, Round)]


def tokens(events) -> list[int]:
    return [emitted.token.id for r in rounds(events) for emitted in r.emitted]


def roles(events) -> list[list[str]]:
    return [[emitted.role for emitted in r.emitted] for r in rounds(events)]


def verdicts(events) -> list[list[str]]:
    return [[drafted.verdict for drafted in r.drafted] for r in rounds(events)]


def finished(events) -> Finished:
    """The last event, after checking the order of them all: one Prefill, Rounds, one Finished."""
    assert isinstance(events[0], Prefill) and isinstance(events[-1], Finished) and len(rounds(events)) == len(events) - 2
    return events[-1]


class Ways:
    """Every way that the decisions of a run can go, one after the other, each with its chance: `weight`."""

    def __init__(self):
        self.path, self.at, self.weight = [], 0, 1.0

    def choose(self, chances: list[float]) -> int:
        """What is decided this time, of outcomes with these chances."""
        if self.at == len(self.path):
            self.path.append([i for i, chance in enumerate(chances) if chance > 0])
        outcome = self.path[self.at][0]
        self.weight *= chances[outcome]
        self.at += 1
        return outcome

    def every(self, once):
        """Yield (weight, once()) for every way."""
        while True:
            self.at, self.weight = 0, 1.0
            result = once()
            yield self.weight, result
            while self.path and len(self.path[-1]) == 1:
                self.path.pop()
            if not self.path:
                return
            self.path[-1].pop(0)


class Chances(Ways):
    """In place of `Uniforms`: each uniform takes each midpoint of a grid in turn.

    `grid(n)` says into how many equal cells each of the n uniforms of one call is cut. Where every threshold of the run
    lies on a cell's edge, the average over the grid is the exact law."""

    def __init__(self, grid):
        super().__init__()
        self.grid = grid

    def __call__(self, n: int) -> torch.Tensor:
        return torch.tensor([(self.choose([1 / size] * size) + 0.5) / size for size in self.grid(n)], dtype=torch.float64)
