"""Passes over many texts, measured a batch at a time: what is stopped keeps the batches that are whole."""

from specviz.lab.loads import loads

from ..tiny_shapes import built


def test_each_batch_gives_a_row_and_stopped_there_is_what_was_measured():
    target, draft = built()
    asked = iter([False, False, True])
    *_, found = loads(target, draft.model, (1, 2, 4), (1, 2, 3), 1, lambda: next(asked))
    assert found.batches == (1, 2) and (found.done, found.of) == (2, 3)
    assert [len(row) for row in found.target_ms] == [3, 3] and len(found.draft_ms) == 2
    assert found.as_json()["target"] == target.info.name and min(map(min, found.target_ms)) > 0
