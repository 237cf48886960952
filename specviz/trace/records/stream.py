"""A streamed response, as `curl -N` saves it: `data: {…}` a chunk → one document a response, with what its chunks told last.

vLLM, SGLang, llama.cpp and LM Studio send their counts in the last chunk but one, or in every chunk, each with all so far. A response
ends at `data: [DONE]`, or where another id begins. Server-sent events: html.spec.whatwg.org/multipage/server-sent-events.html
"""

import re
from collections.abc import Iterator

from ..clock import until_stopped
from .document import REQUESTS, documents, inside, maybe
from .record import RecordError

DATA = re.compile(r"^data: ?[\[{]", re.MULTILINE)
TOLD = ("metrics", "usage", "timings", "meta_info", "sglext", "stats", "speculative_decoding", "request_perf_metrics", "error")
OF_CHOICE = ("meta_info", "avg_decoded_tokens_per_iter", "finish_reason")


def is_stream(text: str) -> bool:
    return DATA.search(text[:100_000]) is not None


def responses(text: str) -> Iterator[dict]:
    merged: dict = {}
    this, number = None, 0
    for line in until_stopped(text.splitlines()):
        if not line.startswith("data:"):
            continue
        body = line[5:].strip()
        if body == "[DONE]":
            if merged:
                yield merged
            merged, this = {}, None
            continue
        number += 1
        if number > 20 * REQUESTS:
            raise RecordError(f"the file has more than {20 * REQUESTS} chunks")
        for chunk in documents(body):
            name = chunk.get("id") or (inside(chunk, "meta_info") or {}).get("id")
            if merged and name is not None and this is not None and name != this:
                yield merged
                merged = {}
            this = name if name is not None else this
            _merge(merged, chunk)
    if merged:
        yield merged


def _merge(into: dict, chunk: dict) -> None:
    if isinstance(chunk.get("model"), str):
        into["model"] = chunk["model"]
    if "choices" in chunk:
        into.setdefault("choices", [])
    for name in TOLD:
        if isinstance(chunk.get(name), dict):
            into[name] = chunk[name]
    choices = chunk.get("choices")
    by_index = {each["index"]: each for each in into["choices"]} if isinstance(choices, list) else {}
    for choice in choices if isinstance(choices, list) else ():
        if kept := {name: choice[name] for name in OF_CHOICE if isinstance(choice, dict) and choice.get(name) is not None}:
            index = maybe(choice, "index")
            by_index[index] = {**by_index.get(index, {}), "index": index, **kept}
    into |= {"choices": list(by_index.values())} if by_index else {}
