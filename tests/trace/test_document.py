"""docs/trace.md describes the format for whoever reads it without our code: every field of it, and an example that a run wrote.

python -m tests.trace.test_document      # writes the example again
"""

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest
import torch

from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.draft.model import SmallModel
from specviz.engine.machine import Stopwatch
from specviz.request import PROMPT_LIMIT
from specviz.trace import events
from specviz.trace.events import Header, Machine, Trace
from specviz.trace.file import FILE_LIMIT, LINE_LIMIT, LINES_LIMIT, VERSION, dumps
from specviz.trace.grammar import MAX_CHARS

from ..fakes import FakeText, Markov

DOCUMENT = Path(__file__).parents[2] / "docs/trace.md"
P, Q = [0.4, 0.3, 0.2, 0.1], [0.7, 0.15, 0.1, 0.05]  # after any token
CONFIG = DecodeConfig(K=3, max_new_tokens=6, seed=12)
TYPES = [each for each in vars(events).values() if hasattr(each, "__dataclass_fields__")]
TYPES = [each for each in dict.fromkeys([*TYPES, DecodeConfig]) if each is not Trace]


def example() -> list[dict]:
    """The lines of a trace of four letters: both lanes of a run whose p and q are the same everywhere. Times are 0."""
    target, draft = Markov([P] * 4, name="target"), Markov([Q] * 4, name="draft")
    still = Stopwatch(lambda: 0.0, torch.device("cpu"), lambda: 0.0)
    lanes = [
        tuple(decode(target, drafter, [0, 1], config, FakeText("abcd"), clock=still))
        for drafter, config in ((None, DecodeConfig(K=0, max_new_tokens=2, seed=12)), (SmallModel(draft), CONFIG))
    ]
    machine = Machine("CPU", 1, "3.11.7", "2.13.0", "5.23.0")
    created = "2026-11-22T00:00:00+00:00"
    header = Header("ab", CONFIG, target.info, draft.info, machine, created, drafter="model", eos=(), chat=False, exact=True)
    return [json.loads(line) for line in dumps(Trace(header, *lanes)).splitlines()]


def example_block() -> str:
    """The example as the document holds it: every line but those like the ones before, and the first round of the speculative lane."""
    lines = example()
    first = next(line for line in lines if line.get("lane") == "speculative" and line["event"] == "round")
    events = [lines[0], lines[1], first, lines[-2], lines[-1] | {"sha256": "…"}]
    rounded = (json.loads(json.dumps(line), parse_float=lambda x: round(float(x), 4)) for line in events)
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in rounded)


def by_hand() -> str:
    """The decisions of that round, redone from what stands in it."""
    r = next(line for line in example() if line.get("lane") == "speculative" and line["event"] == "round")
    u = torch.rand(2 * r["asked"] + 1, generator=torch.Generator().manual_seed(CONFIG.seed), dtype=torch.float64).tolist()
    report = [f"uniforms of the round: {', '.join(f'{x:.4f}' for x in u)}"]
    for i, d in enumerate(r["drafted"]):
        x, verdict = d["token"]["text"], d["verdict"]
        why = (
            "a token before it was rejected"
            if d["u"] is None
            else f"u = {d['u']:.4f} {'<' if d['u'] < d['ratio'] else '≥'} {d['ratio']:.4f}"
        )
        report.append(f"{x}: drawn from q by {u[i]:.4f}; p/q = {d['p']:.4f}/{d['q']:.4f} = {d['ratio']:.4f}; {why}: {verdict}")
    last, left = r["emitted"][-1], r["residual"]
    law = ", ".join(
        f"{e['token']['text']} {e['probability']:.4f}" for e in sorted(left["entries"], key=lambda e: e["token"]["id"])
    )
    report.append(f"{last['token']['text']}: drawn from the residual ({law}) by {last['u']:.4f}: {last['role']}")
    return "".join(line + "\n" for line in report)


def blocks(text: str) -> list[str]:
    return re.findall(r"^```\w*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def sections(text: str) -> dict[str, list[str]]:
    """Of each heading of the third level the fields that its list names."""
    parts = re.split(r"^### (?:`?)(\w+).*$", text, flags=re.MULTILINE)
    return {
        name: re.findall(r"^- ((?:`\w+`(?:, )?)+)", part.split("\n## ")[0], re.MULTILINE)
        for name, part in zip(parts[1::2], parts[2::2], strict=True)
    }


@pytest.mark.parametrize("each", TYPES, ids=lambda each: each.__name__)
def test_every_field_is_described_and_none_that_is_gone(each):
    fields_by_name = sections(DOCUMENT.read_text("utf-8"))
    assert each.__name__ in fields_by_name, f"docs/trace.md has no section ### {each.__name__}"
    names = [name for line in fields_by_name[each.__name__] for name in re.findall(r"`(\w+)`", line)]
    assert sorted(names) == sorted(f.name for f in fields(each))


def test_no_section_is_of_a_type_that_is_gone():
    assert set(sections(DOCUMENT.read_text("utf-8"))) == {each.__name__ for each in TYPES}


def test_the_example_is_what_a_run_writes():
    lines, report = blocks(DOCUMENT.read_text("utf-8"))[:2]
    near = [json.loads(line, parse_float=lambda x: pytest.approx(float(x), abs=2e-4)) for line in lines.splitlines()]
    assert near == list(map(json.loads, example_block().splitlines())), "python -m tests.trace.test_document writes it again"
    assert report == by_hand()


def test_the_bounds_that_it_names_are_those_of_the_reader():
    text = DOCUMENT.read_text("utf-8")
    for bound in (f"version {VERSION}", f"{FILE_LIMIT // 2**20} MiB", f"{LINE_LIMIT // 2**20} MiB", f"{LINES_LIMIT:,} lines"):
        assert bound in text
    assert f"{PROMPT_LIMIT:,} characters" in text and f"at most {MAX_CHARS:,}" in text


if __name__ == "__main__":
    old = DOCUMENT.read_text("utf-8")
    for before, after in zip(blocks(old)[:2], (example_block(), by_hand()), strict=True):
        old = old.replace(f"\n{before}```", f"\n{after}```", 1)
    DOCUMENT.write_text(old, "utf-8")
