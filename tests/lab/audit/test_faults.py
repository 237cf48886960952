"""Faults that decoders had are put into the engine, one in each way to decode: the auditor finds what such a run says."""

import shutil
from dataclasses import asdict
from pathlib import Path

import pytest

import specviz.engine.decode
import specviz.rules.block
import specviz.rules.rejection
from scripts import agree
from specviz.config import DecodeConfig
from specviz.engine.race import race
from specviz.engine.sampling import Uniforms
from specviz.lab.audit.audit import audit
from tests.engine.test_mistakes import feed_the_draft_the_last_token_alone, resample_from_p

from .runs import PROMPT, STATIC, setup_of

READABLE = {"top_p": 0.98}  # filters: rounds are decided by the readable form of a rule


def forget_the_joint_ratio(patch):
    patch.setattr(specviz.rules.block, "keep_chance", lambda joint, mass: joint)


def leave_p_to_the_siblings(patch):
    """The next sibling is tested by what is left of p; what follows them all is drawn from p itself."""
    real = specviz.rules.rejection.recursive_rejection
    patch.setattr(
        specviz.rules.rejection, "recursive_rejection", lambda tree, *how: real(tree, *how)._replace(next_distribution=tree.p[0])
    )


def read_the_row_before(patch):
    """In a tree the row of a node is taken for that of the next."""
    real = specviz.engine.decode._target_logits

    def verify(target, last, block):
        rows = real(target, last, block)
        return rows if block.parents is None else rows[[0, *range(len(block.ids))]]

    patch.setattr(specviz.engine.decode, "_target_logits", verify)


def draw_each_round_by_the_same_numbers(patch):
    class Reset(Uniforms):
        def __call__(self, n):
            self.__init__(7, self.device)
            return super().__call__(n)

    patch.setattr(specviz.engine.decode, "Uniforms", Reset)


FAULTS = {  # (how it ran, what the auditor names)
    resample_from_p: (READABLE, "last token"),
    forget_the_joint_ratio: ({"verifier": "block", "K": 5}, "chance"),
    leave_p_to_the_siblings: (STATIC, "last token"),
    read_the_row_before: (STATIC, "p"),
    feed_the_draft_the_last_token_alone: (
        {"K": 1},
        "draft cache",
    ),  # after a block that was kept whole two are missing in its cache
    draw_each_round_by_the_same_numbers: ({}, "u"),
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_of_the_engine_is_found(folder, monkeypatch, fault):
    how, expected = FAULTS[fault]
    setup = setup_of(str(folder / "target"), str(folder / "near"))

    def run():
        *_, trace = race(setup, PROMPT, **({"K": 4, "max_new_tokens": 24, "ignore_eos": True, "seed": 7} | how))
        return audit(trace, str(folder / "target"), str(folder / "near")).wrong

    assert run() == []
    fault(monkeypatch)
    assert expected in {wrong.what for wrong in run()}


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("node"), reason="the browser's engine is run by node, which is not here")
def test_a_fault_of_the_engine_in_a_browser_is_found(tmp_path, monkeypatch):
    assets, config = Path(__file__).parents[3] / "assets", DecodeConfig(K=3, max_new_tokens=24, seed=5, **READABLE)
    run = {"draft": "fable-small", "prompt": agree.PROMPTS[0], "config": asdict(config)}
    assert audit(agree.in_node([run])[0]).wrong == []
    (tmp_path / "assets").mkdir()
    for path in assets.iterdir():
        if path.name in ("engine", "rules"):
            shutil.copytree(path, tmp_path / "assets" / path.name)
        else:
            (tmp_path / "assets" / path.name).symlink_to(path)
    verify = tmp_path / "assets" / "engine" / "verify.js"
    verify.write_text(planted := verify.read_text("utf-8").replace("p[accepted] : residual(", "p[accepted] : first("), "utf-8")
    assert "first(" in planted
    verify.write_text(f"{planted}\nconst first = (p) => p;\n", "utf-8")
    node = tmp_path / "tests" / "assets" / "engine" / "node.js"
    shutil.copytree(agree.NODE.parent, node.parent)
    monkeypatch.setattr(agree, "NODE", node)
    assert "last token" in {wrong.what for wrong in audit(agree.in_node([run])[0]).wrong}
