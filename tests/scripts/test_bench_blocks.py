"""Drafting a block, in target passes."""

import pytest

from scripts.bench_blocks import blocks

from ..lab.made_up import a_run


def test_the_time_of_eight_tokens_is_that_of_rounds_that_drafted_eight():
    """Near the end of a text fewer are asked for. A block in one pass takes as long for those, a chain takes less."""
    times = {"block": (0.2, 0.3, 0.4, 0.3), "eagle": (1.0, 1.2, 1.4, 0.2)}

    def runs(key, ids, config):
        if not config.K:
            return a_run(4.0, rounds=8, tokens=8)
        return a_run(9.0, lengths=(8, 8, 8, 1), drafts=times[key], positions=((4, 3), (3, 1)))

    table, found = blocks(runs, ["block", "eagle"], [[1]], 8)
    assert found["block_draft_c_at_8"] == pytest.approx(0.6)
    assert found["chain_draft_c_at_8"] == pytest.approx(2.4)
    assert found["block_over_chain_draft_time"] == pytest.approx(0.25)
    assert table[-1] == "| eagle | 2.40 | 2.00 | 0.75 | 0.33 |"
