"""Whatever number stands in a record, and wherever: it is read and drawn, or refused in one sentence."""

import re

import pytest

from specviz.picture.record import record_picture
from specviz.trace.records.read import loads
from specviz.trace.records.record import RecordError
from specviz.trace.records.watched import line

from .test_formats import BENCH, RUN, TOTALS, iteration, later
from .test_read import AIPERF, EXAMPLES, LLAMA, METRICS, SGLANG, STUDIO, TENSORRT, TIMINGS, of

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]\d+)?(?![\w.])")
ODD = ("-1", "0", "0.5", "5e-324", "1001", "9007199254740991", "1" + "0" * 400, "1e308", "1e999")


def example(name: str) -> str:
    return (EXAMPLES / name).read_text("utf-8")


DOCUMENTS = {
    "aiperf": [AIPERF], "totals": [TOTALS], "bench": [BENCH], "sglang's bench": [RUN], "sglang": [SGLANG], "llama": [TIMINGS],
    "tensorrt": [TENSORRT], "iterations": [iteration(2, 6, 4), iteration(1, 3, 0)], "studio": [STUDIO],
    "watched": [line(3.0 * i, loads(page.encode())) for i, page in enumerate((METRICS, later()))],
    "watched gauges": [line(i, loads(example("sglang_0.5_metrics.txt").encode())) for i in (0.0, 3.0)],
}  # fmt: skip
RECORDS = {
    **{name: of(*each).decode() for name, each in DOCUMENTS.items()},
    "vllm's page": METRICS, "llama's page": LLAMA, "sglang's page": example("sglang_0.5_metrics.txt"),
    "vllm's list": example("vllm_llm_get_metrics.json"),
    "vllm's log": "\n".join(example("vllm_0.32_log.txt").splitlines()[:4]),
    "sglang's log": "\n".join(example("sglang_0.5_log.txt").splitlines()[-2:]),
    "llama's log": example("llamacpp_2026-06_log.txt"),
}  # fmt: skip


@pytest.mark.parametrize("name", RECORDS)
def test_an_odd_number_anywhere_is_read_and_drawn_or_refused_in_one_sentence(name):
    text, said = RECORDS[name], []
    for found in NUMBER.finditer(text):
        for odd in ODD:
            try:
                record_picture(loads((text[: found.start()] + odd + text[found.end() :]).encode()))
            except RecordError as error:
                said.append(str(error))
    assert said and all("\n" not in each and len(each) < 280 for each in said)
