"""A synthetic drafter: it pays what a real one pays and then says what a script says, so that acceptance is a setting.

    ids = written(target, prompt, length)        # what the target writes alone, greedily
    drafter = Scripted(SmallModel(draft), proposals(ids, target.vocabulary, 0.7, target.device))

Timing does not depend on what weights say, so with random weights of a public shape a run costs what it costs with trained ones,
and α is chosen instead of found. Whatever shows such a run names it synthetic: its info does.
"""

from dataclasses import replace

import torch

from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.draft.base import Block, DraftContext, Drafter, DraftSession
from specviz.engine.model import Model
from specviz.engine.sampling import Array
from specviz.trace.events import Token, written_ids

FAMILY = "synthetic"


class NumberText:
    """A text of ids alone, for models that have no tokenizer: token 7 reads ⟨7⟩. A prompt is ids with spaces between."""

    eos: frozenset[int] = frozenset()
    chat = False

    def encode(self, prompt: str) -> list[int]:
        return [int(id) for id in prompt.split()]

    def token(self, id: int) -> Token:
        return Token(id, f"⟨{id}⟩")

    def characters(self, id: int) -> str:
        return self.token(id).text

    def stream(self, prompt: list[int]) -> "NumberText":
        return self

    def push(self, id: int) -> str:
        return f"⟨{id}⟩"


def written(target: Model, prompt: list[int], length: int) -> list[int]:
    """The prompt, and `length` tokens that the target alone writes after it, greedily."""
    config = DecodeConfig(K=0, temperature=0, max_new_tokens=length, ignore_eos=True)
    return [*prompt, *written_ids(decode(target, None, prompt, config, NumberText(), observe=False))]


def proposals(ids: list[int], vocabulary: int, alpha: float, device="cpu", seed: int = 0) -> torch.Tensor:
    """[len(ids)], on the device: at each position the right token with probability α, else another one.

    One coin a position is enough: a position is tested once, since whatever follows a test there is kept."""
    chance, right = torch.Generator().manual_seed(seed), torch.tensor(ids)
    wrong = (right + torch.randint(1, vocabulary, right.shape, generator=chance)) % vocabulary
    heads = torch.rand(len(right), generator=chance, dtype=torch.float64) < alpha
    return right.where(heads, wrong).to(device)


class Scripted(Drafter):
    """`drafter` at its full cost; of what it proposes only the number of tokens is used. Greedy only: a script has no q."""

    def __init__(self, drafter: Drafter, proposals: torch.Tensor):
        self.drafter, self.proposals, self.proposal_list = drafter, proposals, proposals.tolist()
        self.capabilities, self.info = (
            drafter.capabilities,
            replace(drafter.info, name=f"scripted, at the cost of {drafter.info.name}", family=FAMILY),
        )

    def begin(self, context: DraftContext) -> "ScriptedSession":
        if len(self.proposal_list) < context.capacity - 1:
            raise ValueError(f"the script has {len(self.proposal_list)} tokens, the text may have {context.capacity}")
        return ScriptedSession(self, self.drafter.begin(context))


class ScriptedSession:
    """The session of the real drafter in all but what is proposed."""

    def __init__(self, scripted: Scripted, real: DraftSession):
        self.scripted, self.real = scripted, real

    def __getattr__(self, name: str):
        return getattr(self.real, name)

    def propose(self, tokens: list[int], k: int, u: Array | None) -> Block:
        if u is not None:
            raise ValueError("a scripted drafter is greedy: it has no distribution to draw from")
        block, at = self.real.propose(tokens, k, u), len(tokens)
        on_device = isinstance(block.ids, torch.Tensor)  # then nothing leaves it: the script is cut there
        script = self.scripted.proposals if on_device else self.scripted.proposal_list
        return Block(script[at : at + len(block.ids)], None)
