"""Compile once what else each process of the tests compiles, a minute each: python -m tests.compile_passes"""

import gradio  # noqa: F401 (Python compiles what it imports)
import numpy as np

from specviz.config import DecodeConfig
from specviz.engine.compiled import precompile
from specviz.engine.decode import decode
from specviz.engine.draft.choose import set_up
from specviz.engine.draft.model import SmallModel

from . import tiny
from .fakes import FakeText

if __name__ == "__main__":  # weights of 16 bits, and of 32
    bundled, small = set_up("fable", "fable-small"), tiny.own(tiny.hf("llama"))
    texts = bundled.text, FakeText(chr(0x100 + i) for i in range(small.vocabulary))
    for target, drafter, text in (bundled.target, bundled.drafter, texts[0]), (small, SmallModel(small), texts[1]):
        for _ in decode(target, drafter, [3, 1, 4], DecodeConfig(K=3, max_new_tokens=12, ignore_eos=True), text):
            pass
    for layers, table in (np.uint8, np.uint8), (np.uint8, np.int8), (np.int8, np.int8):  # and in blocks
        precompile.compile_passes(layers, table)
