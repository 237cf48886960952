"""A model in blocks as files for a browser: its weights and its EAGLE head's, packed as the browser's module multiplies them
(assets/engine/assistant.js), in parts that are named by their hash.

write(Path("site/assistant"), "smollm2", "eagle")      # specviz site --assistant

The parts, one after the other, are an image of the module's memory. The index says what lies where in it, so a browser copies each part
to its place and converts nothing.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from .backends.compiled import with_lanes
from .compiled.registers import PANEL
from .draft.choose import Setup, set_up
from .draft.eagle import Eagle
from .model import ModelError
from .models.llama import Llama
from .sampling import BLOCKS

PART_BYTES = 12_000_000
ALIGNMENT = 64  # bytes: every array begins at a multiple of it, as those in assets/engine/compiled.js do
LANES = 4  # outputs whose sums a browser's register holds
CONTEXT = 2048  # positions, for which a page has room


def write(folder: Path, target: str, draft: str) -> dict[str, Any]:
    """Write the parts of a model and of its head into `folder`. Returns the index: JSON's own types, files by their folder's name, and
    `bytes`, of all of them. Raises ModelError for models that are not in blocks."""
    setup = set_up(target, draft, chat=True)
    model = setup.target
    if not isinstance(model, Llama) or model.info.dtype not in BLOCKS:
        raise ModelError(f"{target} is no model in blocks of Q4_0, Q4_1 or Q8_0 on this machine: a browser multiplies no other")
    folder.mkdir(parents=True, exist_ok=True)
    places, parts, size = {}, [], 0
    image = bytearray()

    def flush(least: int) -> None:
        while len(image) >= least and image:
            parts.append(_file(folder, bytes(image[:PART_BYTES]), ".bin"))
            del image[:PART_BYTES]

    for name, array in _arrays(setup):
        image += bytes(-size % ALIGNMENT)
        size += -size % ALIGNMENT
        places[name] = [array.dtype.name, [*array.shape], size]
        image += array.tobytes()
        size += array.nbytes
        flush(PART_BYTES)
    flush(1)
    tokenizer = _file(folder, setup.text.backend.to_str().encode(), ".json")
    return {
        "name": model.info.name,
        "bytes": sum(part["bytes"] for part in (*parts, tokenizer)),
        "size": size,
        "parts": parts,
        "arrays": places,
        "target": _facts(model),
        "eagle": _facts(setup.drafter) | {"taps": setup.drafter.taps} if isinstance(setup.drafter, Eagle) else None,
        "context": min(model.context, CONTEXT),
        "tokenizer": tokenizer,
        "eos": sorted(setup.text.eos),
        "chat": _around_prompt(setup),
    }


def _file(folder: Path, data: bytes, suffix: str) -> dict[str, Any]:
    digest = hashlib.sha256(data).hexdigest()
    file = folder / f"{digest[:16]}{suffix}"
    file.write_bytes(data)
    return {"file": f"{folder.name}/{file.name}", "sha256": digest, "bytes": len(data)}


def _arrays(setup: Setup) -> Iterator[tuple[str, np.ndarray]]:
    """What passes read, by the names that assets/engine has for it."""
    model, eagle = setup.target, setup.drafter
    assert isinstance(model, Llama)
    for name, part in model.layers._asdict().items():
        yield f"layers.{name}", _packed(part)
    yield "table", _packed(model.embedding.packed)
    yield "rope", model.rope[:CONTEXT]
    yield "norm", model.step.head.norm.weight
    if model.step.head.matrix is not model.embedding:
        yield "matrix", _packed(model.step.head.matrix.packed)
    if isinstance(eagle, Eagle):
        for name, part in eagle.layers._asdict().items():
            yield f"eagle.layers.{name}", _packed(part)
        if not np.array_equal(eagle.rope, model.rope):
            yield "eagle.rope", eagle.rope[:CONTEXT]
        yield "eagle.fc", _packed(eagle.fuse.packed)
        yield "eagle.token_norm", eagle.step.entry.token_norm.weight
        yield "eagle.norm", eagle.step.head.norm.weight
        if eagle.step.columns is not None:
            yield "eagle.columns", np.array(eagle.step.columns, np.int64)
            matrix = eagle.step.head.matrix.packed
            if not np.array_equal(_rows(matrix)[: len(eagle.step.columns)], _rows(model.embedding.packed)[eagle.step.columns]):
                yield "eagle.matrix", _packed(matrix)  # else the browser takes these rows of the table


def _packed(array: np.ndarray) -> np.ndarray:
    return with_lanes(array, LANES) if array.dtype.itemsize == 1 else array


def _rows(packed: np.ndarray) -> np.ndarray:
    """Each output's bytes."""
    return with_lanes(packed, 1).reshape(len(packed) * PANEL, -1)


def _facts(model: Llama | Eagle) -> dict[str, Any]:
    return {"shape": asdict(model.shape), "info": asdict(model.info)}


def _around_prompt(setup: Setup) -> list[str]:
    """What the chat template puts before a prompt and after it."""
    around = []
    for prompt in ("⟨a prompt⟩", "x\n y"):
        text = setup.text.tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True
        )
        around.append(text.split(prompt))
    if around[0] != around[1] or len(around[0]) != 2:
        raise ModelError("the chat template does more with a prompt than put words around it, which a browser cannot do")
    return around[0]
