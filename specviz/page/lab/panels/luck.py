"""The panel Luck: one prompt and one setting under many seeds, or two settings seed by seed. The experiment: specviz/lab/luck.py."""

from collections.abc import Iterator

from ...exercise import Exercise
from ..asked import fields, refuse_without, setting, whole
from ..panel import Asked, Panel, PanelContext, PanelStep, counted
from ..words import DRAFTERS, RULES

SEEDS, MOST_SEEDS, LENGTH = 30, 100, 64


def runs(place: PanelContext, asked: Asked) -> Iterator[PanelStep]:
    engine, sent = place.engine, fields(asked.settings)
    refuse_without(engine, "luck")
    models = str(asked.watch[1]) if len(asked.watch) > 1 else engine.models()[0]
    sent = {"length": str(LENGTH), **{name: value for name, value in sent.items() if value.strip()}}
    settings = [setting(sent, engine, models)]
    if sent.get("compare") == "yes":
        settings.append(setting(sent, engine, models, "b_"))
    seeds = whole(WORDS["seeds"], sent.get("seeds", ""), 2, MOST_SEEDS, SEEDS)
    pairs = [(one.drafter, one.config) for one in settings]
    yield from counted(engine.luck(settings[0].prompt, pairs, seeds, asked.stop, models), asked)


WORDS = {
    "prompt": "Prompt",
    "seeds": "Seeds",
    "seed": "First seed",
    "length": "Tokens a run",
    "compare": "Compare with",
    "alone": "nothing",
    "second": "a second setting",
    "first_setting": "First",
    "second_setting": "Second",
    "drafter": "Drafter",
    "K": "K",
    "temperature": "Temperature",
    "verifier": "Rule",
    "drafting": "Drafting",
    **DRAFTERS,
    **RULES,
    "alpha": "α, mean of β",
    "tokens_a_round": "tokens a round",
    "speedup": "speedup",
    "row_setting": "{drafter}, K {K}",
    "row_again": "seed {seed} again",
    "dot": "seed {seed}: {value}",
    "busy": " (the machine was busy)",
    "legend": "A dot is a run beside its own vanilla run; the line is the median, the band its 95 % interval. A hollow dot: "
    "the machine was busy.",
    "empty": "Run draws a dot for every seed, and as many for one seed again and again.",
    "setting_head": "setting",
    "of_seeds": "of {n} seeds",
    "of_again": "one seed, {n} times",
    "ratio": "first ÷ second, seed by seed",
    "median": "median",
    "interval": "95 % interval of the median",
    "quartiles": "quartiles",
    "csv": "setting|drafter|K|temperature|rule|drafting|seed|again|alpha|tokens a round|speedup|busy",
    "note": "Both lanes run on past the end of the text, so that all runs are as long; top-k and top-p are off. The interval comes from "
    "drawing the runs again (bootstrap, 1,000 times); the clock's share is the variance of one seed's speedups in units of that of "
    "all seeds, both by their quartiles, of the speedup's logarithm.",
}

PANEL = Panel(
    key="luck",
    place=20,
    short="Luck",
    title="Luck: the same run, thirty times",
    answers="How much of a speedup is the seed, how much is the clock, and how many seeds tell two settings apart?",
    exercise=Exercise(
        task=(
            "Before you run: one seed gave a speedup of 1.4. Between which two numbers do you expect 30 seeds to lie? Write them down, "
            "then run.",
            "Which of the three pictures has the narrower dots for one seed again and again, and why are the dots of two of them a single "
            "spot?",
            "Compare K = 3 with K = 4. Do 30 seeds tell them apart? How many does the sentence ask for?",
            "Set the temperature to 0 and run again. What is left of the spread?",
        ),
        key=(
            "Most guess too narrow: a text of 64 tokens has some twenty rounds, so tokens a round, and with them the speedup, move by a "
            "tenth or more from seed to seed.",
            "α and tokens a round follow from the tokens, which follow from the seed: the same seed gives the same point. Only the speedup "
            "has the clock in it.",
            "Rarely: neighbours differ by a few per cent, less than one seed differs from the next; the sentence says how many seeds it takes.",
            "Only the clock: at temperature 0 no uniform is drawn, so every seed writes the same tokens.",
        ),
    ),
    words=WORDS,
    runs=runs,
)
