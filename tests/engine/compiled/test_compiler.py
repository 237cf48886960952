"""Compiled code is kept, found again, made again where it is cut short; where nothing can be compiled a plain pass runs, and says so."""

import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from specviz.engine.backends.pytorch.backend import StaticStack
from specviz.engine.compiled import compiler, rows
from specviz.engine.models import llama
from specviz.engine.sampling import CPU, Device

from ... import tiny
from ...tiny import hf, reference, some_ids

PASS = """
from specviz.engine.models.load import load_model
model = load_model("fable-small")
print(model.info.why, int(model.sequence(8).append([5, 6, 7])[-1].argmax()), sep="|")
"""


def start(cache: Path | str, code: str = PASS, **environment) -> subprocess.Popen:
    """A process of its own that runs one pass, or `code`, with what it compiles kept in `cache`."""
    how = {**os.environ, "SPECVIZ_CACHE": str(cache), **environment}
    return subprocess.Popen([sys.executable, "-c", code], env=how, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ends(process: subprocess.Popen) -> str:
    out, error = process.communicate(timeout=200)
    assert process.returncode == 0, error
    return out.strip()


@pytest.fixture(scope="module")
def filled(tmp_path_factory) -> tuple[Path, str]:
    """A folder that is filled while an app starts, and what a model that found it so said."""
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPECVIZ_CACHE", str(cache))
        with compiler.compile_in_background() as aside:
            ends(start(cache, "from specviz.engine.compiled.precompile import compile_verdicts; compile_verdicts()"))
    before = cache_times(cache)
    assert before and aside.returncode == 0
    output = ends(start(cache))
    assert output.startswith("|") and cache_times(cache) == before, "what is compiled ahead is all that the first model waits for"
    return cache, output


def cache_times(cache: Path) -> dict[Path, float]:
    return {path: path.stat().st_mtime_ns for path in cache.rglob("*.nb*")}


@pytest.mark.full
@pytest.mark.timeout(400)
@pytest.mark.parametrize(("kind", "processes"), [("nbc", 2), ("nbi", 1)])
def test_what_is_cut_short_is_made_again_without_a_word_also_by_two_that_start_at_once(filled, kind, processes):
    cache, output = filled
    for path in cache.rglob(f"*.{kind}"):
        path.write_bytes(path.read_bytes()[:100])
    started = [start(cache) for _ in range(processes)]
    assert [ends(process) for process in started] == [output] * processes
    assert all(path.stat().st_size > 100 for path in cache.rglob(f"*.{kind}"))


OTHER = """
import hashlib
import re
from specviz.engine.compiled.forward import forward_pass
from specviz.engine.compiled.registers import BITS, WIDENS_HALF
from specviz.engine.models.llama import self_test
from specviz.engine.models.load import load_model
from specviz.engine.sampling import Sampler
from tests.engine.compiled.bits import LENGTHS, differing
p = Sampler(0.7)(load_model("fable-small").sequence(40).append([*range(5, 38)]))
found = sorted(set(re.findall("[xyz]mm|vfmadd", *forward_pass.inspect_asm().values())))
print(self_test(), BITS, WIDENS_HALF, sum(map(differing, LENGTHS)), hashlib.sha256(p.tobytes()).hexdigest()[:8], *found, sep="|")
"""
FUSED, TWICE = "31a1ef30", "fdb779ba"  # of the bits of p: where a product and its sum are rounded once, and where each is
AVX512 = "avx512f avx512dq avx512ifma avx512cd avx512bw avx512vl avx512bf16 avx512vbmi avx512vbmi2 avx512vnni avx512bitalg avx512vpopcntdq"
ZEN = ",".join(f"+{feature}" for feature in ["avx", "avx2", "fma", "f16c", *AVX512.split()])


def lacks(features: str) -> list[str]:
    """Which of the features that code is made for this processor has not."""
    import llvmlite.binding

    has = llvmlite.binding.get_host_cpu_features()
    return [feature[1:] for feature in features.split(",") if feature[0] == "+" and not has.get(feature[1:])]


@pytest.mark.full
@pytest.mark.timeout(400)
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="makes code for other processors of the x86 kind")
@pytest.mark.parametrize(
    ("processor", "features", "output"),
    [
        ("znver5", ZEN, f"|512|True|0|{FUSED}|vfmadd|xmm|ymm|zmm"),
        ("haswell", "+avx,+avx2,+fma,+f16c,-avx512f", f"|256|True|0|{FUSED}|vfmadd|xmm|ymm"),
        ("nehalem", "+sse4.2,-avx,-avx2,-fma,-f16c", f"|128|False|0|{TWICE}|xmm"),
    ],
)
def test_code_for_another_processor_gives_what_pytorch_gives_and_the_same_bits(tmp_path, processor, features, output):
    if missing := lacks(features):
        pytest.skip(f"this processor cannot run code for a {processor}: it lacks {', '.join(missing)}")
    path = os.pathsep.join([os.getcwd(), *filter(None, [os.environ.get("PYTHONPATH")])])
    assert ends(start(tmp_path, OTHER, NUMBA_CPU_NAME=processor, NUMBA_CPU_FEATURES=features, PYTHONPATH=path)) == output


@pytest.mark.full
@pytest.mark.timeout(400)
def test_where_nothing_can_be_written_it_compiles_at_every_start(filled, tmp_path):
    _, output = filled
    (tmp_path / "a file").touch()
    assert ends(start(tmp_path / "a file")) == output


@pytest.mark.full
@pytest.mark.timeout(400)
def test_without_numba_a_plain_pass_runs_and_the_model_says_so(capsys, tmp_path):
    exec(PASS, {})
    compiled = capsys.readouterr().out.strip()
    assert compiled.startswith("|")
    (tmp_path / "numba.py").write_text("raise ImportError('there is no numba for this processor')")
    plain = ends(start(tmp_path, PYTHONPATH=f"{tmp_path}{os.pathsep}{os.getcwd()}"))
    assert plain == f"numba cannot be used: there is no numba for this processor{compiled}"


@pytest.fixture
def asked_again():
    """What is found out once a process is found out again, before and after."""
    for known in (compiler.unavailable_reason, llama.self_test):
        known.cache_clear()
    yield
    for known in (compiler.unavailable_reason, llama.self_test):
        known.cache_clear()


def test_a_plain_pass_gives_the_same_logits_and_a_run_says_why_it_is_slower(monkeypatch, asked_again):
    monkeypatch.setenv(compiler.SWITCH, "torch")
    source, ids = hf("llama"), some_ids(12)
    model = llama.Llama(source.config, tiny.weights(source), "tiny")
    sequence = model.sequence(20)
    assert isinstance(sequence.stack, StaticStack) and model.info.why == "SPECVIZ_FORWARD is torch"
    assert sequence.slow_reason == "passes are not compiled: SPECVIZ_FORWARD is torch"
    assert (sequence.append(ids) - reference(source, ids)).abs().max() <= tiny.CLOSE


@pytest.mark.parametrize(
    ("difference", "reason"),
    [
        (lambda *types: "compiled passes differ from plain ones", "compiled passes differ from plain ones"),
        (lambda *types: 1 / 0, "compiled passes fail: division by zero"),
    ],
    ids=["wrong numbers", "an error"],
)
def test_compiled_passes_that_fail_their_trial_are_not_used(monkeypatch, asked_again, difference, reason):
    monkeypatch.setattr(llama, "difference", difference)
    monkeypatch.setattr(llama, "clear_cache", lambda: None)
    assert llama.not_compiled_reason(CPU, "float32") == reason


def test_other_precisions_and_devices_are_left_to_torch():
    assert "float32" in llama.not_compiled_reason(CPU, "bfloat16")
    assert "not cuda" in llama.not_compiled_reason(Device("cuda"), "float32")


def test_the_entry_of_a_compiled_call_is_found_and_takes_its_arguments_also_in_tuples():
    @compiler.compiled
    def scaled(x, by, y):
        for i in range(len(x)):
            y[i] = x[i] * by[0]
        return len(x)

    looked_up, call = [], rows.same_types(scaled)

    class Watched(dict):
        def get(self, types):
            looked_up.append(types in self)
            return super().get(types)

    scaled.overloads = Watched()
    for n in (3, 0, 5):
        x, y = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
        assert call(x, (2.0, 1), y) == n and (y == 2 * x).all()
    assert looked_up[-1]  # else every call looks up all types again


def test_what_no_start_has_used_for_a_month_is_removed_and_another_checkouts_is_not(tmp_path, monkeypatch):
    monkeypatch.setenv("SPECVIZ_CACHE", str(tmp_path))
    old, other = (tmp_path / "specviz" / "compiled" / name for name in ("0123456789abcdef", "fedcba9876543210"))
    for folder in (old, other):
        folder.mkdir(parents=True)
    month_ago = time.time() - compiler.UNUSED_SECONDS - 60
    os.utime(old, (month_ago, month_ago))
    folder = compiler.cache_dir.__wrapped__()
    assert folder.is_dir() and other.is_dir() and not old.exists()
