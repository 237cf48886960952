"""Why our own kernels are not used is said in words that help."""

from subprocess import CalledProcessError

import pytest
import torch

from specviz.engine.models.fused import tried
from specviz.engine.models.layers import Shape

SHAPE = Shape("llama", 48, 4, 4, 12, 80, 1e-5)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (CalledProcessError(1, ["/usr/bin/gcc", "/tmp/tmpx/main.c", "-O3", "-shared"]), "the headers of Python"),
        (RuntimeError("Failed to find C compiler. Please specify via CC environment variable."), "the headers of Python"),
        (RuntimeError("out of resource:\nshared memory"), "out of resource: shared memory"),
    ],
)
def test_where_triton_cannot_compile_its_launcher_the_reason_is_what_to_install(error, said):
    def make(*_):
        raise error

    assert said in tried(make, SHAPE, torch.device("cpu"), torch.float32)
