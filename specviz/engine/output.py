"""The text of one run while it grows, and what ends it."""

from ..config import DecodeConfig
from ..trace.events import Reason
from .text import Text


class Output:
    """`ids`: the prompt and what was written after it. `reason` is None until the run ends, then `detail` says which limit, stop
    string or token ended it."""

    def __init__(self, prompt: list[int], config: DecodeConfig, text: Text, context: int):
        self.config, self.text, self.context = config, text, context
        self.ids, self.prompt_length = list(prompt), len(prompt)
        self.limit = min(len(prompt) + config.max_new_tokens, context)  # the text is never longer
        self.stream = text.stream(prompt)
        self.tail, self.longest_stop = "", max(map(len, config.stop), default=0)
        self.reason: Reason | None = None
        self.detail = ""

    @property
    def remaining(self) -> int:
        return self.limit - len(self.ids)

    def add(self, ids: list[int]) -> list[str]:
        """Take in the ids that join the text: all of them, or up to the one that ends the run. Returns their pieces."""
        pieces = []
        for id in ids:
            piece = self.stream.push(id)
            pieces.append(piece)
            if id in self.text.eos and not self.config.ignore_eos:
                self.reason, self.detail = "eos", self.text.token(id).text
            elif string := self._stop_string(piece):
                self.reason, self.detail = "stop", string
            if self.reason:
                break
        self.ids += ids[: len(pieces)]
        if not self.reason and self.remaining <= 0:
            new = self.limit - self.prompt_length
            full = new < self.config.max_new_tokens
            self.reason = "context" if full else "length"
            self.detail = f"context of {self.context}" if full else f"max_new_tokens of {new}"
        return pieces

    def _stop_string(self, piece: str) -> str | None:
        if not self.longest_stop or not piece:
            return None
        self.tail = (self.tail + piece)[-(self.longest_stop + len(piece)) :]
        return next((s for s in self.config.stop if s in self.tail), None)
