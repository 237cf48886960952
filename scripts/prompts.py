"""Prompts to measure with, as prompts.toml has them: of a register or a kind of question a tuple."""

import tomllib
from itertools import product
from pathlib import Path

PROMPTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
OPENINGS, HARD_TO_ENCODE = tuple(PROMPTS["openings"]), tuple(PROMPTS["hard_to_encode"])
COPIES = [passage * times + beginning for passage, times, beginning in PROMPTS["registers"].pop("copying")]
REGISTERS = {name: tuple(prompts) for name, prompts in (PROMPTS["registers"] | {"copying": COPIES}).items()}
REWRITING = PROMPTS["assistant"].pop("rewriting")
REWRITTEN = [f"{task}\n\n{text}" for text, task in product(REWRITING["texts"], REWRITING["tasks"])]
ASSISTANT = {kind: tuple(prompts) for kind, prompts in (PROMPTS["assistant"] | {"rewriting": REWRITTEN}).items()}
