"""One run in the words of each engine: by hand, and the names are those of the documentation."""

import re
from pathlib import Path

from specviz.picture.dictionary import NAMES, in_words
from specviz.trace.records.read import read

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "tests" / "trace" / "records" / "examples"


def test_a_run_of_llama_cpp_is_said_as_llama_cpp_said_it_and_as_the_others_would():
    said = {each["engine"]: each["says"] for each in in_words(87, 259, 167, 3)}
    assert said["llama.cpp"] == "draft acceptance = 0.64479 (  167 accepted /   259 generated), mean acceptance length = 2.92"
    assert (
        said["vLLM"]
        == "Mean acceptance length: 2.92, Accepted: 167 tokens, Drafted: 259 tokens, Avg Draft acceptance rate: 64.5%"
    )
    # the log of 2025 in the examples says accept len: 2.17, accept rate: 0.54 at K = 3, which is 2.17/4
    assert said["SGLang"] == "accept len: 2.92, accept rate: 0.64 as of 2026, in 2025 0.73 = accept len ÷ 4"
    line = (EXAMPLES / "sglang_0.5_log.txt").read_text("utf-8").splitlines()[1]
    assert "accept len: 2.17, accept rate: 0.54," in line and round(2.17 / 4, 2) == 0.54


def test_the_line_of_a_vllm_log_is_said_as_it_stands_there():
    for m in read(EXAMPLES / "vllm_0.26_log.txt").moments:
        [says] = [each["says"] for each in in_words(m.steps, m.drafted, m.accepted, 7) if each["engine"] == "vLLM"]
        line = next(
            line
            for line in (EXAMPLES / "vllm_0.26_log.txt").read_text("utf-8").splitlines()
            if f"Accepted: {m.accepted} " in line
        )
        assert all(part in line for part in says.split(", "))


def test_what_is_not_known_is_left_out_of_every_sentence():
    assert in_words(None, 0, 0, None) == []
    said = " ".join(each["says"] for each in in_words(None, 40, 10, None))
    assert "None" not in said and "mean" not in said.lower() and "steps" not in said and "÷" not in said


def test_the_documentation_names_the_same_counters():
    text = (ROOT / "docs" / "records.md").read_text("utf-8").split("The same counter in other words")[1]
    rows = {
        cells[0]: cells[1:]
        for line in text.splitlines()
        if line.startswith("| ") and len(cells := [cell.strip() for cell in line.strip("|").split("|")]) == 6
    }
    for engine, names in NAMES.items():
        for cell, name in zip(rows[engine], names, strict=True):
            assert (cell == "–") if name is None else re.search(rf"`{re.escape(name)}`", cell), (engine, name)
