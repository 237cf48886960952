"""How long the Lab's experiments take, on a quiet machine: `make bench-lab`. Ends in one line of JSON.

luck_s       30 seeds and the first of them 29 times again, each beside vanilla, 64 tokens
sweep_s      the page's default: seven drafters, five K, three runs of each, 48 tokens
"""

import os
import time
from typing import Annotated

import typer

from specviz.config import DecodeConfig
from specviz.engine import machine
from specviz.engine.models import assistant
from specviz.lab.luck import LENGTH, SEEDS
from specviz.lab.sweep import DRAFTERS, KS, TURNS
from specviz.lab.sweep import LENGTH as SHORT
from specviz.local import LocalEngine

from .result import print_figures


def main(prompt: Annotated[str, typer.Option(help="What every run continues.")] = "Once upon a time"):
    os.environ[assistant.SWITCH] = "none"  # of the family, also where the assistant is
    engine = LocalEngine()
    config = DecodeConfig(K=4, temperature=0.8, max_new_tokens=LENGTH, ignore_eos=True)
    for name in DRAFTERS:  # loaded before anything is timed
        list(engine.sweep(prompt, [name], [1], DecodeConfig(max_new_tokens=4), turns=1))
    luck_s = seconds_of(engine.luck(prompt, [("small", config)], SEEDS))
    short = DecodeConfig(temperature=0.8, max_new_tokens=SHORT, ignore_eos=True)
    sweep_s = seconds_of(engine.sweep(prompt, list(DRAFTERS), KS, short, TURNS))
    figures = {"luck_s": luck_s, "sweep_s": sweep_s, "device": machine.describe_machine().device}
    for name, value in figures.items():
        print(f"{name:8} {value if isinstance(value, str) else f'{value:,.1f}'}")
    print_figures(figures)


def seconds_of(steps) -> float:
    """Seconds that all the steps of an experiment take."""
    began = time.perf_counter()
    for _ in steps:
        pass
    return time.perf_counter() - began


if __name__ == "__main__":
    typer.run(main)
