"""What Learn ends with after its last chapter: what one can do now, five questions with their reasons, a result to keep, and where to go on."""

from dataclasses import asdict

from .chapters import CHAPTERS
from .study import QUESTIONS

# of the study's questions: why it is fast, what a rejection does, by what it is decided, why it is exact, when not
ASKED = (0, 2, 3, 4, 7)
LINKS = (  # of each its words and its address
    ("Leviathan, Kalman, Matias 2022: the method and the proof", "https://arxiv.org/abs/2211.17192"),
    ("Chen et al. 2023: the same idea, with a large model", "https://arxiv.org/abs/2302.01318"),
    ("Li et al. 2024: EAGLE, a head that drafts from the target's features", "https://arxiv.org/abs/2401.15077"),
    ("Sun et al. 2024: block verification", "https://arxiv.org/abs/2403.10444"),
    ("Xia et al. 2024: a survey, and a benchmark", "https://arxiv.org/abs/2401.07851"),
    ("vLLM: its documentation", "https://docs.vllm.ai"),
    ("SGLang: its documentation", "https://docs.sglang.io"),
    ("transformers: its documentation", "https://huggingface.co/docs/transformers"),
)
WORDS = {
    "finish": "Finish",
    "title": "What you can do now",
    "able": "You can now:",
    "ask": "Five questions",
    "right": "Right.",
    "wrong": "No.",
    "score": "{right} of {of} right",
    "left": "{n} questions are left.",
    "left_one": "One question is left.",
    "keep": "Keep the result",
    "kept": "specviz, speculative decoding: {right} of {of} questions right, {date}.",
    "on": "Where to go on",
    "own": "In the Lab: measure your own pair, and look for the K that pays.",
}


def ending() -> dict:
    """In JSON's own types."""
    questions = [asdict(QUESTIONS[n]) for n in ASKED]
    able = [chapter.exercise.able[0] for chapter in CHAPTERS]
    return {"able": able, "questions": questions, "links": [list(link) for link in LINKS], "words": WORDS}
