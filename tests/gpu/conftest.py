"""Tests that need a CUDA device; without one each is skipped and says so."""

from pathlib import Path

import pytest
import torch

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("gpu")
            if not torch.cuda.is_available():
                item.add_marker(pytest.mark.skip(reason="needs a CUDA device: torch.cuda.is_available() is false"))


@pytest.fixture(scope="session")
def cuda():
    return torch.device("cuda")


@pytest.fixture(autouse=True)
def plain_float32():
    """No TF32: what is compared in fp32 is computed in fp32."""
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = False
    yield
    torch.backends.cuda.matmul.allow_tf32 = before
