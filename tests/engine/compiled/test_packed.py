"""A packed matrix multiplies as torch's does, whatever it is stored as, and a row's products do not depend on the rows beside it."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from specviz.engine.backends.compiled import Compiled, PackedLinear, PackedTable, pack
from specviz.engine.sampling import stored_array

SIZES = pytest.mark.parametrize("size", [(40, 24), (97, 48), (33, 7), (1, 5), (64, 2), (640, 512)], ids=str)
STORED = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)


def matrix(size, dtype) -> torch.Tensor:
    return torch.randn(size, generator=torch.Generator().manual_seed(0)).to(dtype)


def rows(n: int, width: int) -> torch.Tensor:
    return torch.randn(n, width, generator=torch.Generator().manual_seed(n))


@STORED
@SIZES
def test_a_product_equals_torchs_and_leaves_what_it_is_given(size, dtype):
    weight = matrix(size, dtype)
    ours, copy = PackedLinear(weight), weight.clone()
    for n in [*range(1, 20), 600]:
        x = rows(n, size[1])
        before = x.clone()
        torch.testing.assert_close(torch.as_tensor(ours(x)), F.linear(x, weight.float()), atol=1e-4, rtol=1e-5)
        assert torch.equal(x, before)
    x = rows(size[1], 5).t()  # rows that do not lie side by side
    torch.testing.assert_close(torch.as_tensor(ours(x)), F.linear(x, weight.float()), atol=1e-4, rtol=1e-5)
    assert torch.equal(weight, copy)


@STORED
@SIZES
def test_a_rows_products_are_the_same_bits_whatever_stands_beside_it(size, dtype):
    ours, x = PackedLinear(matrix(size, dtype)), rows(23, size[1])
    alone = np.concatenate([ours(row[None]) for row in x])
    for n in range(1, 24):
        assert np.array_equal(ours(x[:n]), alone[:n]) and np.array_equal(ours(x[-n:]), alone[-n:])


@STORED
@SIZES
def test_rows_of_an_embedding_are_the_rows_that_were_stored(size, dtype):
    weight = matrix(size, dtype)
    ids = [*range(size[0]), 0, size[0] - 1]
    assert np.array_equal(PackedTable(PackedLinear(weight))(ids), weight.float()[ids].numpy())


@STORED
def test_weights_stay_as_they_are_stored(dtype):
    name = str(dtype).removeprefix("torch.")
    assert Compiled().weight_type({name}) == name
    assert pack(stored_array(matrix((64, 48), dtype))).nbytes == 64 * 48 * dtype.itemsize


def test_other_types_are_kept_as_float32():
    assert Compiled().weight_type({"float64"}) == "float32"
    assert pack(stored_array(matrix((32, 8), torch.float64))).dtype == "float32"


def test_a_matrix_says_whether_it_holds_a_weight():
    weight = matrix((40, 24), torch.bfloat16)
    assert PackedLinear(weight).equals(weight) and PackedLinear(weight).equals(weight.float())
    changed = weight.clone()
    changed[3, 4] += 1
    assert not PackedLinear(weight).equals(changed)
