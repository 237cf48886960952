"""python -m specviz, run in this process: what it writes can be read, and what a person did wrong is one line and exit code 2."""

import contextlib
import io
import json
import re
import socket
import sys
from dataclasses import replace
from inspect import signature
from pathlib import Path

import pytest
import torch

import specviz
from specviz import __main__ as cli
from specviz.config import SETTINGS
from specviz.drafters import DRAFT_NAMES
from specviz.engine import machine
from specviz.engine.models.load import BUNDLED
from specviz.trace.disturbed import signs
from specviz.trace.file import read, write

from . import tiny, tiny_gguf

pytestmark = pytest.mark.usefixtures("no_network")


@pytest.fixture
def run(monkeypatch, capsys):
    def run(*words):
        monkeypatch.setattr(sys, "argv", ["specviz", *map(str, words)])
        code = 0
        try:
            cli.main()
        except SystemExit as end:
            code = end.code or 0
        out, err = capsys.readouterr()
        return code, out, err

    return run


def one_line(err: str) -> str:
    assert "Traceback" not in err
    assert len(err.strip().splitlines()) == 1, err
    return err.strip()


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    base, tokenizer = tmp_path_factory.mktemp("models"), tiny.byte_level()
    for seed, name in enumerate(("target", "draft")):
        tiny.save(base / name, tiny.make(tiny.config("llama", vocab_size=len(tokenizer)), seed), tokenizer)
    return base


def test_a_port_in_use_ends_the_app_with_one_line(run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, _, err = run("app", "--port", taken.getsockname()[1])
    assert code == 1 and " is in use. Choose another: " in one_line(err)


PROMPT = ("--prompt", "Once upon a time")
SHORT = (*PROMPT, "--max-new-tokens", "12")


def test_trace_writes_a_file_that_can_be_read_back(run, tmp_path):
    out = tmp_path / "run.jsonl"
    words = ("-k", 3, "--temperature", 0.7, "--top-k", 40, "--top-p", 0.9, "--seed", 4, "--stop", "zzzz", "--stop", "qqqq")
    code, _, err = run("trace", *SHORT, "--out", out, *words)
    assert code == 0, err
    trace = read(out)
    config = trace.header.config
    assert (config.K, config.temperature, config.top_k, config.top_p) == (3, 0.7, 40, 0.9)
    assert (config.max_new_tokens, config.seed, config.stop) == (12, 4, ("zzzz", "qqqq"))
    assert trace.header.prompt == "Once upon a time"
    assert (trace.header.target.name, trace.header.draft.name) == ("fable", "fable-small")
    assert trace.vanilla[-1].tokens == trace.speculative[-1].tokens == 12
    for part in ("vanilla", "speculative", "12 tokens", "ended by length", "saved"):
        assert part in err
    assert ("tokens/s" in err) is not bool(signs(trace))  # of a busy machine no pace is told


def test_trace_runs_models_from_folders_and_without_drafting_asks_for_no_draft(run, tmp_path, models):
    out = tmp_path / "run.jsonl"
    code, _, err = run("trace", *SHORT, "--ignore-eos", "--out", out, "--target", models / "target", "--draft", models / "draft")
    assert code == 0, err
    trace = read(out)
    assert (trace.header.target.name, trace.header.draft.name) == ("target", "draft")
    assert str(models).encode() not in out.read_bytes()  # where a model lies is nobody's business
    assert trace.header.config.ignore_eos is True
    code, _, err = run("trace", *PROMPT, "--tokens", 12, "--out", out, "--target", models / "target")
    assert code == 0 and read(out).header.draft.name == "lookup", err
    code, _, err = run("trace", *SHORT, "--k", 0, "--out", out, "--target", models / "target", "--draft", "no such model")
    assert code == 0, err
    assert read(out).header.draft is None


def test_trace_takes_a_way_to_draft_and_a_rule_with_its_parameters_and_says_that_it_is_not_exact(run, tmp_path):
    out = tmp_path / "run.jsonl"
    words = ("--drafting", "argmax", "--verifier", "typical", "--epsilon", 0.2, "--delta", 0.4)
    code, _, err = run("trace", *PROMPT, "--max-new-tokens", 6, "--out", out, *words)
    assert code == 0, err
    config = read(out).header.config
    assert (config.drafting, config.verifier, config.epsilon, config.delta) == ("argmax", "typical", 0.2, 0.4)
    assert "typical is not exact" in err
    code, _, err = run("trace", *PROMPT, "--max-new-tokens", 6, "--out", out, "--verifier", "block")
    assert code == 0 and "not exact" not in err


FAMILY = ("fable", "fable-experts", "fable-hybrid", "fable-large", "fable-small")
WRONG = {
    "K": (["--k", "99"], ["K", "99", "a whole number from 0 to 32"]),
    "a negative K": (["--k", "-1"], ["K", "-1", "a whole number from 0 to 32"]),
    "temperature that is no number": (["--temperature", "nan"], ["temperature", "nan", "a number from 0.05 to 5.0"]),
    "top-p": (["--top-p", "1.5"], ["top_p", "1.5", "from 0.01 to 1.0"]),
    "verifier": (["--verifier", "hope"], ["verifier", "'hope'", SETTINGS["verifier"].bound]),
    "stop": (["--stop", ""], ["stop", "''", "at most 8 strings of 1 to 200 characters"]),
    "the folder of out": (["--out", "nowhere/run.jsonl"], ["out", "nowhere/run.jsonl", "a file in a folder that exists"]),
    "target": (["--target", "fable-70m"], ["no model 'fable-70m'", f"({', '.join(FAMILY)})", "hub id"]),
    "draft": (["--draft", "psychic"], ["no model 'psychic'", ", ".join((*FAMILY, *DRAFT_NAMES)), "hub id"]),
    "a prompt longer than the context": (["--prompt", "the cat " * 2000], ["tokens long; the context of fable is 1024"]),
    "a device map that is none": (["--device-map", "all"], ["device_map is 'all'", "auto, balanced, balanced_low_0, sequential"]),
    "a bundled target": (["--device-map", "auto"], ["fable is bundled and small", "a folder or a hub id"]),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_value_is_one_line_that_names_it_with_its_bound(run, tmp_path, monkeypatch, what):
    words, reasons = WRONG[what]
    monkeypatch.setattr("specviz.engine.models.load.find_spec", lambda name: name)
    monkeypatch.chdir(tmp_path)
    code, out, err = run("trace", *PROMPT, "--out", "run.jsonl", *words)
    line = one_line(err)
    assert (code, out) == (2, "") and line.startswith("specviz: ") and all(part in line for part in reasons), line
    assert not list(tmp_path.iterdir())  # nothing was written


def test_an_out_that_is_a_folder_is_refused_before_anything_is_loaded(run, tmp_path, monkeypatch):
    monkeypatch.setattr("specviz.engine.draft.choose.set_up", lambda *_, **__: pytest.fail("loaded the models first"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    code, _, err = run("trace", *PROMPT, "--out", "here")
    assert code == 2 and "out is 'here'" in one_line(err)


def test_the_teachers_pack_is_one_file_that_is_written_where_it_is_asked_for(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = run("print", "--out", "pack.html")
    assert code == 0 and "saved pack.html" in one_line(err)
    assert (tmp_path / "pack.html").read_text("utf-8").endswith("</html>\n")
    assert run("print", "--sheet", "--out", "sheet.html")[0] == 0
    assert "Name" in (tmp_path / "sheet.html").read_text("utf-8")
    (tmp_path / "here").mkdir()
    for wrong in ("here", "missing/pack.html"):
        code, _, err = run("print", "--out", wrong)
        assert code == 2 and f"out is '{wrong}'" in one_line(err)


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_one_line_before_anything_is_decoded(run, tmp_path, wrong):
    broken = tiny.make(tiny.config("llama"))  # its own: others share hf("llama")
    with torch.no_grad():
        broken.model.layers[0].mlp.up_proj.weight[3, 2] = wrong
    target = tiny.save(tmp_path / "m", broken, tiny.byte_level())
    code, _, err = run("trace", *PROMPT, "--out", tmp_path / "run.jsonl", "--target", target, "--k", 0)
    assert code == 2 and not (tmp_path / "run.jsonl").exists()
    line = one_line(err)
    assert str(target) in line and "model.layers.0.mlp.up_proj.weight hold NaN or infinity" in line


def test_memory_that_runs_out_is_one_line(run, monkeypatch):
    def full(*_, **__):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.\nGPU 0 has a total capacity of 15.77 GiB")

    monkeypatch.setattr(cli, "app", full)
    code, _, err = run("trace")
    assert code == 2 and "memory ran out: take smaller models" in one_line(err)


@pytest.fixture
def environment(monkeypatch):
    """What a variable of the environment asks for, until the test is over."""
    machine.dtype.cache_clear()
    machine.device.cache_clear()
    yield monkeypatch.setenv
    machine.dtype.cache_clear()
    machine.device.cache_clear()


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_weights_are_of_the_type_that_is_asked_for_and_the_trace_says_so(run, tmp_path, environment, models, name):
    environment("SPECVIZ_DTYPE", name)
    out = tmp_path / "run.jsonl"
    code, _, _ = run("trace", *PROMPT, "--out", out, "--target", models / "target", "--draft", models / "draft")
    header = read(out).header
    assert code == 0 and header.target.dtype == header.draft.dtype == name


@pytest.mark.parametrize(
    ("name", "value", "bound"),
    [("SPECVIZ_DEVICE", "abacus", ""), ("SPECVIZ_DTYPE", "int3", "bfloat16"), ("SPECVIZ_GGUF", "ternary", "bfloat16 or blocks")],
)
def test_what_the_environment_asks_for_and_there_is_not_is_one_line(run, tmp_path, environment, name, value, bound):
    environment(name, value)
    target = tiny_gguf.write(tmp_path, tiny.make(tiny.config("smollm"))) if name == "SPECVIZ_GGUF" else "fable"
    code, _, err = run("trace", *PROMPT, "--out", tmp_path / "run.jsonl", "--target", target)
    assert code == 2 and all(part in one_line(err) for part in (name, value, bound))


@pytest.mark.parametrize(
    "words",
    [("dance",), ("trace", "--speed", "9"), ("trace", *PROMPT, "--out", "x", "--k", "many"), ("app", "--port", "99999")],
    ids=" ".join,
)
def test_a_command_option_or_number_that_is_none_is_refused_with_exit_code_2(run, words):
    code, _, err = run(*words)
    assert code == 2 and "Traceback" not in err


def test_asked_for_its_version_it_says_only_that(run):
    code, out, err = run("--version")
    assert (code, out, err) == (0, f"specviz {specviz.__version__}\n", "")


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_is_an_option_of_trace_with_its_default(name):
    setting, [command] = SETTINGS[name], [one for one in cli.app.registered_commands if one.name == "trace"]
    option = signature(command.callback).parameters[name]
    assert option.default == (None if setting.kind is tuple else setting.default)
    assert option.annotation.__metadata__[0].param_decls == setting.option[1:] and setting.option[0].startswith("--")


def test_a_trace_is_redone_and_exit_code_and_last_line_say_whether_it_holds(run, tmp_path, models):
    out = tmp_path / "run.jsonl"
    pair = "--target", models / "target", "--draft", models / "draft"
    assert run("trace", *SHORT, "--ignore-eos", "--out", out, *pair)[0] == 0
    code, report, err = run("audit", out, *pair)
    assert code == 0, report + err
    summary = json.loads(report.splitlines()[-1])
    assert summary["wrong"] == 0 and summary["decisions"] > 20 and summary["max_p_error"] < 2e-5 and summary["max_q_error"] < 2e-5
    assert "not redone" not in report and run("audit", "--strict", out, *pair)[0] == 0
    trace = read(out)
    with out.open("wb") as file:
        write(replace(trace, header=replace(trace.header, config=replace(trace.header.config, seed=9))), file)
    code, report, _ = run("audit", out, *pair)
    assert code == 1 and json.loads(report.splitlines()[-1])["wrong"] > 0 and "wrong: " in report
    with out.open("wb") as file:
        write(replace(trace, header=replace(trace.header, exact=None)), file)
    code, report, _ = run("audit", out, *pair)
    assert code == 0 and "not redone: exact: an older trace does not say it" in report
    assert run("audit", "--strict", out, *pair)[0] == 1


def test_an_audit_of_what_is_no_trace_or_of_models_that_are_not_there_is_one_line(run, tmp_path, monkeypatch):
    (tmp_path / "x").write_text("nothing")
    for words in (tmp_path / "missing",), (tmp_path / "x",), (BUNDLED.parent / "traces/hot.jsonl.gz", "--target", "fable-70m"):
        code, _, err = run("audit", *words)
        assert code == 2 and one_line(err).startswith("specviz: ")
    code, _, err = run("audit", BUNDLED.parent / "traces/answer-capital.jsonl.gz")
    assert code == 2 and "is not on this machine: specviz fetch brings it" in one_line(err)
    monkeypatch.setitem(sys.modules, "specviz.lab.audit.audit", None)  # it is not loaded for what is no trace
    assert "this is not a specviz trace" in run("audit", tmp_path / "x")[2]


@pytest.mark.parametrize(
    ("words", "environment", "served"),
    [
        ((), {}, ("127.0.0.1", 7860, None)),
        (("app",), {}, ("127.0.0.1", 7860, None)),
        (("app", "--host", "0.0.0.0", "--port", "7999"), {}, ("0.0.0.0", 7999, 60.0)),
        ((), {"GRADIO_SERVER_NAME": "::1", "GRADIO_SERVER_PORT": "7998"}, ("::1", 7998, None)),
        (("app", "--port", "7999"), {"GRADIO_SERVER_NAME": "", "GRADIO_SERVER_PORT": "7998"}, ("127.0.0.1", 7999, None)),
        (("app", "--hostname", "a.example", "--hostname", "b"), {}, ("127.0.0.1", 7860, None, ["a.example", "b"])),
    ],
)
def test_without_a_command_and_with_app_it_serves_the_page_where_it_is_told_to(run, monkeypatch, words, environment, served):
    for name in ("GRADIO_SERVER_NAME", "GRADIO_SERVER_PORT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    calls = []
    monkeypatch.setattr("specviz.page.serve.serve", lambda engine, *words: calls.append(words[:-1]) or 0)
    monkeypatch.setattr("specviz.commands.app.silence_stderr", lambda: None)
    code, _, err = run(*words)
    assert (code, err) == (0, "")
    where, names = served[:3], served[3] if len(served) > 3 else ()
    assert calls == [(*where, False, names, specviz.__version__)]


def test_doctor_says_device_threads_versions_models_and_a_timed_forward(run):
    import transformers

    code, out, _ = run("doctor")
    about, whole = machine.describe_machine(), " ".join(out.split())
    parts = [line.split() for line in out.splitlines() if line.strip() and not line.startswith("    ")]
    rows = {name: " ".join(rest) for name, *rest in parts}
    assert code == 0 and rows["device"].startswith(about.device.split()[0]) and rows["threads"] == str(about.threads)
    assert (rows["torch"], rows["transformers"]) == (torch.__version__, transformers.__version__)
    assert {"python", "gradio", "tokenizers", "numpy", *FAMILY} <= set(rows)
    assert whole.count("one token") == whole.count("(median of 20)") == 5 and whole.count("own forward") == 3
    assert "bfloat16" in whole and rows["forward"].startswith("pass compiled")


def test_doctor_says_so_when_no_model_is_there_and_when_one_is_broken(run, tmp_path, monkeypatch):
    monkeypatch.setattr("specviz.engine.models.load.BUNDLED", tmp_path)
    code, out, _ = run("doctor")
    assert code == 0 and "none: assets/models is empty" in " ".join(out.split())
    broken = tmp_path / "broken"
    broken.mkdir()
    for name in ("config.json", "tokenizer.json"):
        (broken / name).write_bytes((BUNDLED / "fable-small" / name).read_bytes())
    (broken / "model.safetensors").write_bytes((BUNDLED / "fable-small" / "model.safetensors").read_bytes()[:1000])
    code, out, _ = run("doctor")
    assert code == 0 and "cannot be used" in " ".join(out.split())


def test_what_looks_like_a_colour_or_a_picture_in_a_name_is_said_as_it_is(run, tmp_path):
    _, _, err = run("trace", *SHORT, "--out", tmp_path / "a[red]b:x:.jsonl")
    assert "a[red]b:x:.jsonl" in " ".join(err.split()).replace(" ", "")
    assert "early-exit:x:" in one_line(run("trace", *SHORT, "--out", tmp_path / "run.jsonl", "--draft", "early-exit:x:")[2])


COMPARE = ("compare", *PROMPT, "--repeats", 1)


@pytest.fixture
def quiet(monkeypatch):
    """What the clocks of this machine say of compare's runs, planted; called with the share of the time they had a processor."""
    from specviz.lab import measure

    real = measure.measure

    def plant(processor_share=0.99):
        times = {"processor_share": processor_share, "stalled": 0.0, "decode": 100.0}
        monkeypatch.setattr(measure, "measure", lambda *arguments, **how: replace(real(*arguments, **how), **times))

    plant()
    return plant


def test_in_eighty_columns_the_table_of_compare_cuts_no_word(run, monkeypatch, quiet):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run(*COMPARE, "--max-new-tokens", 8, "--temperature", 1, "--draft", "fable-small", "--draft", "early-exit:3")
    assert code == 0 and "…" not in out and max(map(len, out.splitlines())) <= 80
    assert [line.split()[0] for line in out.splitlines() if " × " in line] == ["fable-small", "early-exit:3"]


def test_compare_leaves_out_who_drafts_chains_where_a_tree_is_asked_for_and_names_them(run):
    words = (*COMPARE, "--max-new-tokens", 4, "--tree", "static", "--children", "2-1")
    code, out, err = run(*words)
    assert code == 0 and "fable-small" in out and "random" not in out
    assert {"block", "random"} <= set(re.search(r"Left out, since they draft chains: (.*)\.", err)[1].split(", "))
    code, _, err = run(*words, "--draft", "block")
    assert code == 2 and "drafts chains" in err
    code, out, _ = run(*words[:-4], "--temperature", 1, "--tree", "dynamic", "--drafting", "argmax", "--draft", "fable-small")
    assert code == 0 and "fable-small" in out


def test_compare_says_acceptance_by_position_under_each_rule_and_marks_what_is_not_exact(run):
    words = (*COMPARE, "--max-new-tokens", 8, "--temperature", 1, "-k", 2)
    code, out, err = run(*words, "--draft", "oracle", "--drafting", "sample", "--verifier", "block", "--verifier", "typical")
    assert code == 0, err
    assert out.count("oracle") == 4 and "sample, block" in out and "1.00 1.00" in out
    assert "not exact" in " ".join(out.split())


@pytest.mark.parametrize("processor_share", [0.6, 0.99])
def test_compare_is_by_processor_time_where_the_machine_was_busy_and_only_there(run, quiet, processor_share):
    quiet(processor_share)
    code, out, _ = run(*COMPARE, "--max-new-tokens", 8, "--draft", "lookup", "-k", 1)
    assert code == 0
    busy = processor_share < 0.9
    assert ("compare for how long each lane ran on a processor" in " ".join(out.split())) is busy is ("! processor time" in out)
    assert " × " in out and "! busy" not in out


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--verifier", "hope"), "verifier is 'hope'"),
        (("-k", 0), "K is 0; it must be at least 1"),
        (("--draft", "psychic"), "no model 'psychic'"),
        (("--draft", "early-exit:99"), "early exit from"),
        (("--draft", "eagle:/nowhere"), "/nowhere"),
        (("--prompt", "word " * 2000), "prompt is"),
    ],
)
def test_compare_refuses_in_one_line_before_anything_is_measured(run, words, reason):
    code, _, err = run("compare", "--prompt", "Once", "--draft", "random", *words)
    assert code == 2 and reason in " ".join(err.split())


def test_where_the_output_has_no_greek_letters_the_table_is_still_printed(run, monkeypatch, quiet):
    """A pipe on Windows is cp1252, which has × and no α."""
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "cp1252", write_through=True))
    code, _, err = run(*COMPARE, "--max-new-tokens", 4, "--draft", "lookup", "-k", 1)
    assert code == 0, err
    printed = raw.getvalue().decode("cp1252")
    assert "lookup" in printed and " × " in printed and "α" not in printed


def test_what_another_engine_recorded_is_told_and_drawn_on_a_page(run, tmp_path):
    example = Path(__file__).parent / "trace" / "records" / "examples" / "vllm_http_metrics.json"
    code, out, err = run("import", example, "--out", tmp_path / "record.html")
    assert code == 0 and "What vLLM recorded" in out and "3.57" in out and "times" in out and "saved" in err
    page = (tmp_path / "record.html").read_text("utf-8")
    assert '"engine":"vLLM"' in page
    assert "http:" not in page.replace("http://www.w3.org/2000/svg", "") and "https:" not in page  # the name of a kind of element


def test_without_accelerate_app_trace_and_compare_say_what_to_install_and_on_zerogpu_nothing_is_spread(
    run, tmp_path, monkeypatch
):
    monkeypatch.setattr("specviz.engine.models.load.find_spec", lambda name: None)
    monkeypatch.setattr("specviz.page.serve.serve", lambda engine, *words: engine())
    for words in (("trace", *SHORT, "--out", tmp_path / "x"), ("compare", *PROMPT), ("app",)):
        code, _, err = run(*words, "--device-map", "auto")
        assert code == 2 and "accelerate, which is not installed: pip install accelerate" in one_line(err)
    monkeypatch.setenv("SPACES_ZERO_GPU", "true")
    code, _, err = run("app", "--device-map", "auto")
    assert code == 2 and "device_map is 'auto'; it must be left out on ZeroGPU" in one_line(err)


def test_what_cannot_be_compiled_ahead_does_not_keep_the_app_from_starting(monkeypatch):
    """That it cannot, the trial of a small model says, and plain passes run."""
    from specviz.commands.app import local_engine
    from specviz.engine.compiled import compiler, precompile
    from specviz.local import LocalEngine

    def fails():
        raise RuntimeError("LLVM knows no such processor")

    warmed: list[LocalEngine] = []
    monkeypatch.setattr(compiler, "will_compile", lambda: True)
    monkeypatch.setattr(compiler, "compile_in_background", contextlib.nullcontext)
    monkeypatch.setattr(precompile, "compile_verdicts", fails)
    monkeypatch.setattr(LocalEngine, "warm", lambda self: warmed.append(self))
    assert [local_engine()] == warmed
