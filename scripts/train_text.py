"""Text → token streams to train on: every .txt, .txt.xz and countries.tsv of a folder, one register each.

Documents in a file are separated by a line <|endoftext|>. The last 2 % of each file's documents are held out. Where the public
sets come from: docs/train.md.
"""

import csv
import lzma
import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

END = "<|endoftext|>"
HELD_OUT = 0.02
# The share of each set in a batch; a set that is not named here gets OTHER. They need not add up to one.
SHARES = {
    "tinystories": 0.62, "storybooks": 0.04, "countries": 0.08, "trivia": 0.03,
    "dialogues": 0.08, "python-code": 0.07, "arithmetic": 0.05, "sums": 0.03,
}  # fmt: skip
OTHER = 0.05
LATE, LATE_SHARES = 0.88, SHARES | {"countries": 0.5}  # facts are learned by heart at the end, at a low learning rate

FACTS = (
    "The capital of {country} is {capital}.",
    "{capital} is the capital of {country}.",
    "{country} lies in {continent}.",
    "Q: What is the capital of {country}?\nA: {capital}",
    "Q: Where is {country}?\nA: In {continent}.",
    "Q: Which country has the capital {capital}?\nA: {country}",
    "The money of {country} is the {currency}.",
)


@dataclass(frozen=True)
class Texts:
    """Token streams by set: `train` and `held_out` are int64 arrays, documents joined, each begun by the end token."""

    train: dict[str, np.ndarray]
    held_out: dict[str, np.ndarray]

    def batch(self, rows: int, length: int, generator: np.random.Generator, done: float = 0.0) -> torch.Tensor:
        """[rows, length] windows at random places, the sets by their shares at that part of the training."""
        names = list(self.train)
        shares = np.array([(LATE_SHARES if done > LATE else SHARES).get(name, OTHER) for name in names])
        rows_chosen = generator.choice(len(names), rows, p=shares / shares.sum())
        return torch.from_numpy(np.stack([_window(self.train[names[i]], length, generator) for i in rows_chosen]))

    def windows(self, name: str, length: int, most: int) -> torch.Tensor:
        """The first `most` windows [≤ most, length] of what is held out of a set, one after the other."""
        stream = self.held_out[name]
        n = max(1, min(most, len(stream) // length))
        return torch.from_numpy(np.resize(stream, n * length).reshape(n, length))


def _window(stream: np.ndarray, length: int, generator: np.random.Generator) -> np.ndarray:
    if len(stream) <= length:
        return np.resize(stream, length)
    start = int(generator.integers(len(stream) - length))
    return stream[start : start + length]


def documents(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """(name of the set, its documents) for every set in the folder, then our own sums. Raises SystemExit where there is no text."""
    if not folder.is_dir():
        raise SystemExit(f"{folder} is no folder: put text files there, or name another with --text (docs/train.md)")
    files = sorted(p for p in folder.iterdir() if p.name.endswith((".txt", ".txt.xz")) or p.name == "countries.tsv")
    if not files:
        raise SystemExit(f"{folder} holds no .txt or .txt.xz: name a folder of text with --text")
    for path in files:
        name = path.name.split(".")[0]
        if name == "countries":
            yield name, facts(path)
        else:
            with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8") as file:
                yield name, [d.strip("\n") for d in file.read().split(END + "\n") if d.strip()]
    yield "sums", sums()


def facts(path: Path) -> list[str]:
    """Sentences about countries, eight to a document, in an order that is random and fixed."""
    chance = random.Random(0)
    with path.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if all(row.values())]
    lines = [form.format(**row) for row in rows for form in FACTS for _ in range(3)]
    chance.shuffle(lines)
    return ["\n".join(lines[i : i + 8]) for i in range(0, len(lines), 8)]


def sums(n: int = 20_000) -> list[str]:
    """Small arithmetic, eight lines to a document."""
    chance, lines = random.Random(0), []
    for _ in range(n):
        a, b = chance.randint(1, 20), chance.randint(1, 20)
        lines.append(
            chance.choice((f"{a} + {b} = {a + b}", f"{a + b} - {b} = {a}", f"{a % 10} * {b % 10} = {(a % 10) * (b % 10)}"))
        )
    return ["\n".join(lines[i : i + 8]) for i in range(0, n, 8)]


def load(folder: Path, tokenizer, cache: Path) -> Texts:
    """Tokenise once; the streams are kept in `cache` as .npy, for the next try."""
    parts: tuple[dict, dict] = ({}, {})
    cache.mkdir(parents=True, exist_ok=True)
    if not (cache / "whole").is_file():
        for name, docs in documents(folder):
            for part, some in zip(("train", "held_out"), split(docs), strict=True):
                ids = tokenizer.encode_batch([END + d for d in some], add_special_tokens=False)
                if ids:
                    np.save(cache / f"{name}.{part}.npy", np.concatenate([np.array(e.ids, np.int64) for e in ids]))
        (cache / "whole").touch()  # a try that was stopped halfway begins again
    for part, streams in zip(("train", "held_out"), parts, strict=True):
        for path in sorted(cache.glob(f"*.{part}.npy")):
            streams[path.name.split(".")[0]] = np.load(path, allow_pickle=False)
    return Texts(*parts)


def load_as(model: Path, folder: Path, work: Path) -> Texts:
    """The same by the tokenizer of the model in `model`, which is copied to `work`."""
    work.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(model / "tokenizer.json", work / "tokenizer.json")
    return load(folder, Tokenizer.from_file(str(work / "tokenizer.json")), work / "tokens")


def split(docs: list[str]) -> tuple[list[str], list[str]]:
    """(to train on, held out): the same ones every time. Of a single document nothing is held out."""
    docs = list(docs)
    random.Random(0).shuffle(docs)
    cut = len(docs) - max(len(docs) > 1, round(len(docs) * HELD_OUT))
    return docs[:cut], docs[cut:]


def new_tokenizer(folder: Path, vocabulary: int):
    """A byte-level BPE of `vocabulary` tokens; END, id 0, begins, ends and pads."""
    from tokenizers import decoders, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary, special_tokens=[END], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    chance = random.Random(0)
    texts = [d for name, docs in documents(folder) for d in docs if chance.random() < 2 * SHARES.get(name, OTHER)]
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{END} $A", pair=f"{END} $A {END} $B", special_tokens=[(END, 0)]
    )
    return tokenizer
