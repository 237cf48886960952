"""`specviz record-vllm`, with a process that needs no vLLM."""

import sys
from pathlib import Path

import pytest

from specviz import __main__ as cli
from specviz.trace.file import read
from specviz.vllm import process

HERE = Path(__file__).parent
WORDS = ("record-vllm", "--vllm-python", sys.executable, "--prompt", "Once upon a time", "--max-new-tokens", "12", "--option")


@pytest.mark.slow
def test_both_lanes_are_saved_and_the_process_is_gone(monkeypatch, tmp_path):
    monkeypatch.setattr(process, "SERVE", HERE / "fake_child.py")
    ended = []
    monkeypatch.setattr(process, "_kill", lambda one, kill=process._kill: ended.append(kill(one) or one))
    cli.app([*WORDS, f"lines={HERE / 'steps.jsonl'}", "--out", str(tmp_path / "run.jsonl")], standalone_mode=False)
    trace = read(tmp_path / "run.jsonl")
    assert trace.header.engine == "vLLM" and trace.vanilla[-1].tokens == trace.speculative[-1].tokens == 12
    assert [one.poll() is not None for one in ended] == [True]


def test_what_vllm_refuses_is_one_line_and_no_file(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(process, "SERVE", HERE / "fake_child.py")
    with pytest.raises(SystemExit) as exit:
        cli.main(*WORDS, "behave=refuse", "--out", str(tmp_path / "run.jsonl"))
    assert exit.value.code == 2 and "vLLM 0.99 was not tried" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
