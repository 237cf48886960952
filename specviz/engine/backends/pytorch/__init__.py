"""PyTorch, which takes seconds to import: for devices, for models of transformers, and where nothing can be compiled."""

from ...machine import set_torch_threads

set_torch_threads()
