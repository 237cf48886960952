"""The contract of a backend, asked of each: blocks appended as a chain or as a tree, one path kept, the rest rolled back. Whatever was
done, the cache holds what the text alone would have put there (transformers, without a cache, is asked)."""

import random
from functools import partial

import pytest
import torch
from transformers import BloomConfig

from specviz.engine.model import MAX_ROWS

from ... import tiny
from ...tiny import CLOSE, hf, reference, some_ids
from .pytorch.test_static import recorded, still

pytestmark = pytest.mark.usefixtures("with_tensors")


BACKENDS = {
    "compiled": ("llama, grouped queries", tiny.own),
    "compiled, normed queries": ("qwen3", tiny.own),
    "PyTorch": ("qwen2", still),
    "PyTorch, replayed": ("llama, grouped queries", partial(still, record=recorded)),
    "transformers": ("llama", tiny.hub),
    "transformers, learned positions": ("gpt2", tiny.hub),
}
EACH = pytest.mark.parametrize(("name", "backend"), BACKENDS.values(), ids=BACKENDS)
CAPACITY = 90


def prefilled(name, backend, text):
    sequence = backend(hf(name)).sequence(CAPACITY)
    sequence.append(text, keep=1)
    return sequence


def some_tree(n: int, seed: int) -> list[int]:
    """Any parents: tall and wide ones, rows of several branches in any order."""
    chance = random.Random(seed)
    return [chance.choice([-1, *range(row)][-4:]) if row else -1 for row in range(n)]


def line(parents, row: int) -> list[int]:
    return ([] if parents[row] < 0 else line(parents, parents[row])) + [row]


def assert_rows(model, text, ids, parents, logits):
    for row, row_logits in enumerate(logits):
        alone = reference(model, text + [ids[i] for i in line(parents, row)])[-1]
        assert (row_logits - alone).abs().max() <= CLOSE, row


@EACH
def test_a_tree_may_begin_an_empty_cache(name, backend):
    sequence, ids, parents = backend(hf(name)).sequence(CAPACITY), some_ids(4), [-1, 0, 0, 1]
    assert_rows(hf(name), [], ids, parents, sequence.append(ids, parents=parents))


@EACH
def test_a_tree_that_grows_level_by_level_is_the_one_fed_at_once(name, backend):
    text, ids, parents = some_ids(9), some_ids(7, seed=2), [-1, -1, 0, 1, 1, 2, 4]
    sequence, levels = prefilled(name, backend, text), []
    for rows in (slice(0, 2), slice(2, 5), slice(5, 7)):
        levels.append(sequence.append(ids[rows], parents=parents[rows]).clone())
    assert_rows(hf(name), text, ids, parents, torch.cat(levels))
    sequence.keep([1, 4, 6])
    path = text + [ids[i] for i in (1, 4, 6)]
    assert (sequence.append([5])[0] - reference(hf(name), [*path, 5])[-1]).abs().max() <= CLOSE


@EACH
@pytest.mark.parametrize("seed", range(2))
def test_after_every_append_keep_and_rollback_cached_equals_uncached(name, backend, seed):
    model, chance, text = hf(name), random.Random(seed), some_ids(5, seed=seed)
    sequence = prefilled(name, backend, text)
    for turn in range(12):
        n = chance.randint(1, 7)
        if len(text) + n + 1 > CAPACITY or chance.random() < 0.2:
            text = text[: chance.randint(1, len(text))]
            sequence.rollback(len(text))
        ids, parents = some_ids(n, seed=100 * seed + turn), some_tree(n, turn + seed) if chance.random() < 0.7 else None
        rows = parents or [*range(-1, n - 1)]
        assert_rows(model, text, ids, rows, sequence.append(ids, parents=parents))
        path = line(rows, chance.randrange(n))[: chance.randint(0, n)]
        sequence.keep(path)
        text = text + [ids[i] for i in path]
        assert sequence.length == len(text)


@EACH
def test_part_of_a_tree_may_be_rolled_back_and_grown_again(name, backend):
    text, ids = some_ids(8), some_ids(5, seed=1)
    sequence = prefilled(name, backend, text)
    sequence.append(ids, parents=[-1, 0, 0, 1, 2])
    sequence.rollback(8 + 3)
    logits = sequence.append([7], parents=[2])
    assert (logits[0] - reference(hf(name), [*text, ids[0], ids[2], 7])[-1]).abs().max() <= CLOSE


MANY = MAX_ROWS + 1
WRONG = {
    "a row that follows itself": (lambda s: s.append([1, 2], parents=[-1, 1]), "row 1 follows row 1"),
    "a row that follows a later one": (lambda s: s.append([1, 2], parents=[1, -1]), "row 0 follows row 1"),
    "a row that follows nothing": (lambda s: s.append([1], parents=[-2]), "row 0 follows row -2"),
    "fewer parents than ids": (lambda s: s.append([1, 2], parents=[-1]), "2 ids have 1 parents"),
    "more rows than a tree may have": (lambda s: s.append([1] * MANY, parents=[-1] * MANY), "do not fit|at most 128 rows"),
    "a tree that does not fit": (lambda s: s.append([1] * 86, parents=[-1] * 86), "do not fit"),
    "a path of a chain that skips a row": (lambda s: s.keep([0, 2]), "keeps the first rows"),
}


@EACH
@pytest.mark.parametrize("what", WRONG)
def test_what_is_no_tree_is_refused_and_leaves_the_cache_as_it_was(name, backend, what):
    text, (wrong, reason) = some_ids(5), WRONG[what]
    sequence = prefilled(name, backend, text)
    with pytest.raises(ValueError, match=reason):
        wrong(sequence)
    assert sequence.length == 5
    assert (sequence.append([3])[0] - reference(hf(name), [*text, 3])[-1]).abs().max() <= CLOSE


@EACH
def test_an_open_tree_takes_no_chain_and_no_path_of_rows_that_do_not_follow_each_other(name, backend):
    text, ids = some_ids(5), some_ids(4, seed=1)
    sequence = prefilled(name, backend, text)
    sequence.append(ids, parents=[-1, 0, 0, 1])
    for wrong in (
        lambda: sequence.append([1]),
        lambda: sequence.keep([0, 3]),
        lambda: sequence.keep([1]),
        lambda: sequence.keep([9]),
    ):
        with pytest.raises(ValueError, match=r"branches|does not follow"):
            wrong()
        assert sequence.length == 9
    sequence.keep([0, 1, 3])
    path = text + [ids[i] for i in (0, 1, 3)]
    assert (sequence.append([3])[0] - reference(hf(name), [*path, 3])[-1]).abs().max() <= CLOSE


@pytest.mark.parametrize("name", ["llama, grouped queries", "qwen3"])
def test_a_compiled_row_has_the_bits_of_its_path_alone(name):
    """So greedy decoding by trees writes what vanilla decoding writes, last bits and all."""
    text, n = some_ids(40), 30
    ids, parents = some_ids(n, seed=3), some_tree(n, seed=3)
    logits = prefilled(name, tiny.own, text).append(ids, parents=parents)
    for row in range(n):
        path = line(parents, row)
        assert torch.equal(prefilled(name, tiny.own, text).append([ids[i] for i in path])[-1], logits[row])


@pytest.mark.parametrize(
    "backend", [tiny.own, still, partial(still, record=recorded)], ids=["compiled", "PyTorch", "PyTorch, replayed"]
)
def test_features_are_those_of_the_path_that_is_kept(backend):
    text, ids, parents = some_ids(6), some_ids(5, seed=1), [-1, 0, 0, 2, 1]
    tree, chain = (backend(hf("llama")).sequence(CAPACITY) for _ in range(2))
    for sequence in (tree, chain):
        sequence.taps = (1, 2)
        sequence.append(text)
    tree.append(ids, parents=parents)
    tree.keep([0, 2, 3])
    chain.append([ids[i] for i in (0, 2, 3)])
    for layer in (1, 2):
        assert abs(tree.tapped[layer] - chain.tapped[layer]).max() <= CLOSE


def test_a_model_whose_attention_takes_no_mask_says_that_it_takes_no_trees():
    """Bloom measures distances by places of the cache, so a row would see its ancestors too far away."""
    source = tiny.make(BloomConfig(vocab_size=97, hidden_size=48, n_layer=2, n_head=4))
    model = tiny.hub(source)
    assert model.no_trees
    sequence = model.sequence(CAPACITY)
    sequence.append([1, 2])
    with pytest.raises(ValueError, match="tiny takes no block that branches: "):
        sequence.append([3, 4], parents=[-1, -1])
    assert (sequence.append([3])[0] - reference(source, [1, 2, 3])[-1]).abs().max() <= CLOSE
