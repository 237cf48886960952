"""What a record of a server means is said from its counts, and what is said holds by the formula."""

import pytest

from specviz.acceptance import expected_speedup
from specviz.picture.means import means
from specviz.picture.record import record_picture
from specviz.picture.words import RECORD
from specviz.trace.records.read import loads

from ..trace.records.test_read import EXAMPLES

NONE = {"tokens_per_step": None, "drafted_per_step": None, "accepted_of_drafted": None}


def at(*shares):
    return [{"of_blocks": share} for share in shares]


def keys(*given):
    return [key for key, _ in means(*given)]


@pytest.mark.parametrize(
    "path", [path for path in sorted(EXAMPLES.iterdir()) if path.suffix != ".md"], ids=lambda path: path.name
)
def test_every_example_gets_sentences_that_are_filled_in(path):
    said = [RECORD[f"means_{key}"].format(**values) for key, values in record_picture(loads(path.read_bytes()))["means"]]
    assert all("{" not in sentence for sentence in said)
    # a response of llama.cpp has no steps, so nothing follows from it
    assert bool(said) == (path.stem not in ("llamacpp_2026-11_response", "llamacpp_2026-11_stream"))


def test_nothing_is_said_of_what_was_not_recorded():
    assert means(NONE, [], None) == []
    assert keys(NONE, at(None, 0.5), None) == []
    assert keys({**NONE, "tokens_per_step": 2.0}, [], 7) == ["tokens"]
    assert keys(NONE, [], 8) == ["load"]


def test_the_position_that_ends_the_most_steps_is_named():
    assert keys(NONE, at(0.6, 0.5), None) == ["first", "last"]
    assert means(NONE, at(0.9, 0.4, 0.3), None)[0] == ["later", {"n": "2", "share": "50 %"}]
    assert means(NONE, at(0.9, 0.4, 0.3), None)[1] == ["last", {"n": "3", "share": "30 %"}]


@pytest.mark.parametrize("shares", [(0.9, 0.7, 0.4), (0.6, 0.3), (0.95, 0.9, 0.85, 0.8)])
@pytest.mark.parametrize("c", [0.02, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("grows", [0.0, 0.1, 0.4])
def test_the_last_position_pays_only_if_it_costs_less_than_its_share_of_a_pass(shares, c, grows):
    """With it drafting is faster than without it, and faster than no drafting, only below that cost."""

    def speedup(K):
        return expected_speedup(1 + sum(shares[:K]), K, c, 1 + grows * K)

    K = len(shares)
    if c + grows >= shares[-1]:
        assert speedup(K) <= max(1.0, speedup(K - 1)) + 1e-12
