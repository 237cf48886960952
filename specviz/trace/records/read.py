"""A file of another engine → a Record, whichever of the known ones wrote it.

    record = read("profile_export.jsonl")       # or RecordError: one sentence on what is wrong
    record = loads(data)                        # the same of bytes

A file is asked what it is by what stands in it, never by its name. Standard library only.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from . import aiperf, llamacpp, lmstudio, sglang, tensorrt, vllm
from .document import FILE_LIMIT, Sample, documents, samples, text_of
from .record import Acceptance, Engine, Record, RecordError


class Reader(Protocol):
    """What each format's file gives."""

    def found(self, document: dict) -> dict | None: ...

    def read(self, document: dict) -> Acceptance: ...


READERS: tuple[tuple[Engine | None, Reader], ...] = (  # AIPerf, the first, says itself who served
    (None, aiperf),
    ("vLLM", vllm),
    ("SGLang", sglang),
    ("llama.cpp", llamacpp),
    ("TensorRT-LLM", tensorrt),
    ("LM Studio", lmstudio),
)
KNOWN = "vLLM, AIPerf, SGLang, llama.cpp, TensorRT-LLM or LM Studio"


def read(path: str | Path) -> Record:
    """The record in the file at `path`. RecordError, and nothing else, whatever is there."""
    try:
        path = Path(path)
        if not path.is_file():
            raise RecordError("this is not a file" if path.exists() else "there is no such file")
        with path.open("rb") as file:
            return loads(file.read(FILE_LIMIT + 1))
    except RecordError:
        raise
    except (OSError, ValueError) as error:
        raise RecordError(f"the file cannot be read: {getattr(error, 'strerror', None) or error}") from error


def loads(data: bytes) -> Record:
    """The record that `data` holds. RecordError unless all of it is of one engine and its counts can be true."""
    text = text_of(data)
    if not text.strip():
        raise RecordError("the file is empty")
    if text.lstrip()[0] not in "{[":
        return _server(samples(text))
    found = documents(text)
    listed = vllm.listed(found) if isinstance(found, list) else None
    return _requests(found) if listed is None else _server(listed)


def _server(found: list[Sample]) -> Record:
    if part := vllm.counted(found):
        return Record("vLLM", "server", (part,))
    if part := llamacpp.counted(found):
        return Record("llama.cpp", "server", (part,))
    raise RecordError("no counter of speculative decoding is in it: is the server run with a drafter?")


def _requests(found: Iterable[dict]) -> Record:
    parts: list[Acceptance] = []
    first: tuple[Engine, Reader] | None = None
    number = 0
    for number, document in enumerate(found, 1):
        this = _reader(document)
        if this is None:
            continue
        first = first or this
        if this != first:
            raise RecordError(f"entry {number} is of {this[0]}, those before it of {first[0]}: a file must be of one engine")
        try:
            parts.append(this[1].read(document))
        except RecordError as error:
            raise RecordError(f"entry {number}: {error}") from None
    if first is None:
        raise RecordError(f"nothing in it tells of speculative decoding as {KNOWN} does")
    return Record(first[0], "requests", tuple(parts), number - len(parts))


def _reader(document: dict) -> tuple[Engine, Reader] | None:
    """Who wrote it: the engine that served, and the reader that knows the format."""
    for engine, reader in READERS:
        if reader.found(document) is not None:
            return engine or aiperf.engine(document), reader
    return None
