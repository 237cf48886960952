"""What scripts made of the sources is not old: modules of wasm, counts that pictures are drawn from, tables of documents, notebooks."""

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from itertools import pairwise

import nbformat
import pytest

from scripts.build_wasm import MODULES, OUT, ROOT, digest
from scripts.made_docs import documents
from scripts.notebook import PATHS, run, without_frames
from scripts.picture_data import BY_K, KS, SEEDS, by_k, by_rank, count_rounds, small_pair
from specviz.picture.replay import GROUPS
from specviz.trace.events import Round

from ..fake_trace import fake_trace, tree_trace
from ..fakes import rounds as rounds_in
from ..view import call, plain

ABOUT = json.loads((OUT / "specviz.json").read_text("utf-8"))
LINKER = importlib.util.find_spec("ziglang")


def test_the_modules_are_made_from_the_sources_as_they_are():
    assert ABOUT["sources"] == digest(), "make them again: python -m scripts.build_wasm (it needs ziglang)"


@pytest.mark.parametrize("file", MODULES)
def test_a_module_is_the_one_that_was_made(file):
    assert hashlib.sha256((OUT / file).read_bytes()).hexdigest() == ABOUT["modules"][file]


@pytest.mark.full
@pytest.mark.skipif(not LINKER, reason="the linker comes with ziglang, which is not here")
def test_another_build_gives_the_same_bytes(tmp_path):
    ours = os.environ | {"PYTHONHASHSEED": "4"}  # whatever order sets of names have there
    subprocess.run([sys.executable, "-m", "scripts.build_wasm", "--out", str(tmp_path)], cwd=ROOT, check=True, env=ours)
    again = json.loads((tmp_path / "specviz.json").read_text("utf-8"))
    if again["tools"] != ABOUT["tools"]:
        pytest.skip(f"made by {ABOUT['tools']}, here are {again['tools']}")
    assert again == ABOUT


@pytest.fixture(scope="module")
def pair():
    return small_pair()


def same(counts: dict, recorded: dict) -> None:
    """As many tested and accepted, but for a draw or two that another processor's rounding decides."""
    for name in ("positions", "rejected", "whole"):
        assert json.loads(json.dumps(counts[name])) == [pytest.approx(n, rel=0.05, abs=8) for n in recorded[name]]


def test_a_round_starts_after_a_rejection_or_after_a_whole_block_and_its_first_token_is_accepted_or_not():
    trace = fake_trace(seed=3, K=2, max_new_tokens=40)
    rounds = [e for e in trace.speculative if isinstance(e, Round) and len(e.drafted) == 2]
    verdicts = [[d.verdict == "accepted" for d in r.drafted] for r in rounds]
    counts = count_rounds([rounds, rounds])
    for name, whole in (("rejected", False), ("whole", True)):
        firsts = [now[0] for before, now in pairwise(verdicts) if all(before) is whole]
        assert counts[name] == (2 * len(firsts), 2 * sum(firsts)) and firsts
    assert counts["positions"][0] == (2 * len(rounds), 2 * sum(one[0] for one in verdicts))
    assert counts["positions"][1][0] == counts["positions"][0][1]  # reached where the first was accepted


def test_one_seed_at_the_largest_k_is_counted_again_as_it_was_recorded(pair):
    same(by_k(pair, SEEDS[0], KS[-1]), json.loads(BY_K.read_text("utf-8"))["seeds"][0][-1])


def test_a_place_counts_as_tested_where_its_siblings_were_and_one_of_them_is_kept_or_none():
    tree_rounds = rounds_in(tree_trace("3-2-1-1", tokens=60).speculative)
    share, tested = by_rank(tree_rounds)
    flat = [d for r in tree_rounds for d in r.drafted]
    for depth, counts in enumerate(tested, 1):
        assert counts == [counts[0]] * len(counts)
        for rank, count in enumerate(counts):
            here = [d for d in flat if (d.depth, d.rank) == (depth, rank)]
            accepted = sum(d.verdict == "accepted" for d in here)
            assert share[depth - 1][rank] * count == pytest.approx(accepted)
            assert sum(d.verdict != "unexamined" for d in here) <= count
    assert tested[0] == [sum(bool(r.drafted) for r in tree_rounds)] * 3
    often = [ranks for ranks, counts in zip(share, tested, strict=True) if counts[0] >= 5]
    assert call("player/account.js", "acceptanceByRank", plain(tree_rounds)) == [pytest.approx(ranks) for ranks in often]


def test_the_tables_and_the_glossary_of_the_documents_are_those_of_the_page():
    assert [path.name for path, text in documents().items() if path.read_text("utf-8") != text] == [], (
        "python -m scripts.made_docs"
    )
    page = next(text for path, text in documents().items() if path.name == "glossary.md")
    assert all(f"| {term.name} | {term.says} |" in page for terms in GROUPS.values() for term in terms.values())


FRAMES = {"notebook": 2, "assisted": 1}


@pytest.fixture(scope="module", params=PATHS, ids=lambda path: path.stem)
def path(request):
    return request.param


@pytest.fixture(scope="module")
def stored(path):
    return nbformat.read(path, as_version=4)


def code(notebook) -> list:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.full
@pytest.mark.timeout(300)
def test_every_cell_runs_and_says_what_is_stored_of_it(path, stored, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    fresh = run(path)
    frames = [one.data["text/html"] for cell in code(fresh) for one in cell.outputs if "text/html" in one.get("data", {})]
    assert len(frames) == FRAMES[path.stem] and all('<iframe title="specviz: fable' in html for html in frames)
    assert outline(without_frames(fresh)) == outline(stored)


def outline(notebook) -> list:
    """What a cell gave, without what differs from machine to machine: numbers, and the tokens that they decide."""
    outputs = [[(o.output_type, o.get("name"), sorted(o.get("data", {}))) for o in cell.outputs] for cell in code(notebook)]
    return [(cell.source, cell.execution_count, kinds) for cell, kinds in zip(code(notebook), outputs, strict=True)]


def test_it_is_stored_as_it_was_run_from_top_to_bottom_with_a_picture_for_the_frames(path, stored):
    assert [cell.execution_count for cell in code(stored)] == list(range(1, len(code(stored)) + 1))
    assert all(cell.outputs for cell in code(stored))
    assert not [o for cell in code(stored) for o in cell.outputs if o.output_type == "error" or "text/html" in o.get("data", {})]
    assert path.stat().st_size < 20_000
    nbformat.validate(stored)
    linked = [cell.source.partition("](")[2].partition(")")[0] for cell in stored.cells if "](" in cell.source]
    assert linked and all((path.parent / link).is_file() for link in linked)
