"""What is claimed of other engines, each with its version, its date and its source. Chapter 12, the pack and docs/rules.md are made from this.

    python -m scripts.made_docs      # writes the tables of docs/ again

Defaults change from version to version, so a claim without a date is no claim. Nothing is imported but the standard library.
"""

from typing import NamedTuple

ARGMAX, OVERLAP, MATCHED = "p(argmax q)", "Σ min(p, q)", "Σ p·q"


class EngineClaim(NamedTuple):
    """How an engine drafts and verifies at a temperature above 0. `known`: which version, and the month in which it was read; `source`: where.
    `default`: what it does unless another option is set; `chance`: that a drafted token is accepted then; `options`: what else can be set;
    `inexact`: the setting, if any, with which the text does not follow the target's distribution; `switch`: what turns drafting on; `more`: sentences
    for the document."""

    name: str
    known: str
    source: str
    default: str
    chance: str
    options: str = "–"
    inexact: str = ""
    switch: str = ""
    more: str = ""


ENGINES = (
    EngineClaim(
        "The papers",
        "2022, 2023",
        "Leviathan et al. (arXiv 2211.17192), Chen et al. (arXiv 2302.01318)",
        "x from q, tested by p/q",
        OVERLAP,
    ),
    EngineClaim(
        "vLLM",
        "0.33, Nov 2026",
        "its source; 0.32.0 run here",
        "argmax of q",
        ARGMAX,
        "x from q; block verification",
        "fly, since 0.33",
        """--speculative-config '{"method": "draft_model", "model": "DRAFT", "num_speculative_tokens": 4}'""",
        "In 0.32 model runner V1 ignores `block`, and a CPU has only V1. `rejection_sample_method` `fly` is in 0.33 and not in 0.32 (pull request 53987, arXiv 2511.22972).",
    ),
    EngineClaim(
        "SGLang",
        "0.5.23, Nov 2026",
        "its source",
        "argmax of q (topk 1)",
        f"{ARGMAX}; in a tree Σ p of siblings",
        "EAGLE: x from q; block verification",
        "thresholds below 1",
        "--speculative-algorithm STANDALONE --speculative-draft-model-path DRAFT",
        "STANDALONE, a draft model, drafts a chain of 3. It refuses `--speculative-use-rejection-sampling` (x from q) and "
        "`--speculative-use-block-verification`. EAGLE's default for Llama is a tree: topk 4, 8 tokens. One of the 8 is the last token of the text, "
        "so 7 are guesses.",
    ),
    EngineClaim(
        "llama.cpp",
        "build 11368, Nov 2026",
        "its source; pull request 27694",
        "argmax of q",
        ARGMAX,
        "x from q, since Oct 2026",
        "",
        "-md DRAFT --spec-type draft-simple",
        "The option is `--spec-draft-sampling probabilistic`, in build 11368 and later, for draft models and multi-token heads.",
    ),
    EngineClaim(
        "TensorRT-LLM",
        "1.3 rc, Nov 2026",
        "its source; its documentation; pull request 15775",
        "argmax of q",
        ARGMAX,
        "x from q, since 1.3",
        "relaxed acceptance",
        'LLM(…, speculative_config=DraftTargetDecodingConfig(max_draft_len=4, speculative_model="DRAFT"))',
    ),
    EngineClaim(
        "transformers",
        "5.23.0, Nov 2026",
        "run here; its source",
        "x from q, tested by p/q",
        OVERLAP,
        "–",
        "ensemble of p and q",
        "model.generate(…, assistant_model=DRAFT)",
        "`assistant_ensemble_weight` (since 5.14) tests by w·p + (1 − w)·q.",
    ),
    EngineClaim(
        "mlx-lm",
        "0.32.2, Nov 2026",
        "its source",
        "x from q, y from p",
        MATCHED,
        switch="mlx_lm.generate … --draft-model DRAFT --num-draft-tokens 4",
    ),
    EngineClaim(
        "Medusa's code",
        "1.0, Nov 2026",
        "its source; Cai et al. 2024 (arXiv 2401.10774)",
        "argmax at temperature 0",
        "0 or 1, given x",
        "–",
        "typical, at T > 0",
        more="After typical acceptance its code takes the target's argmax.",
    ),
)


class InexactDistance(NamedTuple):
    """How far a rule that is not exact is from the target's distribution: the total variation of four tokens, on average and at worst, with
    drafts drawn from q and with argmax drafts. tests/engine/test_exactness.py enumerates it."""

    name: str
    who: str
    sample: tuple[float, float]
    argmax: tuple[float, float]


INEXACT = (
    InexactDistance("typical; replaced by the argmax", "Medusa's code", (0.55, 0.88), (0.77, 1.00)),
    InexactDistance("typical; replaced by a draw from p", "typical in Watch", (0.48, 0.83), (0.70, 1.00)),
    InexactDistance("threshold, θ = 0.9", "SGLang (argmax); threshold in Watch", (0.04, 0.12), (0.04, 0.11)),
    InexactDistance("threshold, θ = 0.5", "SGLang (argmax); threshold in Watch", (0.28, 0.59), (0.38, 0.87)),
)
