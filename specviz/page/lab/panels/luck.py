"""The panel Luck: one prompt and one setting under many seeds, or two settings seed by seed. The experiment: specviz/lab/luck.py."""

from collections.abc import Iterator

from ...learn.chapter import Exercise
from ..panel import Panel, PanelContext, PanelRequest, PanelStep, panel_run, panel_steps, recorded_result, whole_number
from ..words import DRAFTERS, RULES, TREES

SEEDS, MOST_SEEDS, LENGTH = 30, 100, 64


def runs(context: PanelContext, request: PanelRequest) -> Iterator[PanelStep]:
    engine, message, luck = context.engine, request.settings, context.method("luck")
    message = {"length": str(LENGTH), **{name: value for name, value in message.items() if value.strip()}}
    settings = [panel_run(message, engine, request.models)]
    if message.get("compare") == "yes":
        settings.append(panel_run(message, engine, request.models, "b_"))
    seeds = whole_number(WORDS["seeds"], message.get("seeds", "").strip() or str(SEEDS), 2, MOST_SEEDS)
    pairs = [(one.drafter, one.config) for one in settings]
    yield from panel_steps(luck(settings[0].prompt, pairs, seeds, request.stop, request.models), request)


WORDS = {
    "run": "Measure here",
    "recorded": "Recorded, not measured now: {target} on {device}, threads: {threads}, {date}. "
    "Its prompt is “{prompt}”, and its setting is {setting}. The form above is for your own run.",
    "prompt": "Prompt",
    "seeds": "Seeds",
    "seed": "First seed",
    "length": "Tokens per run",
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
    **TREES,
    "alpha": "α, average of β",
    "tokens_a_round": "tokens per round",
    "speedup": "speedup",
    "row_setting": "{drafter}, K\u00a0{K}{shape}",
    "row_again": "seed {seed} again",
    "dot": "seed {seed}: {value}",
    "legend": "A dot is a run, compared with its own run without a draft. The line is the median, the band its 95 % interval. Disturbed runs have no dot "
    "among the speedups.",
    "empty": "“Measure here” draws a dot for each seed, and as many dots for one seed again and again.",
    "setting_head": "setting",
    "of_seeds": "of {n} seeds",
    "of_again": "one seed, {n} times",
    "ratio": "first ÷ second, seed by seed",
    "median": "median",
    "interval": "95 % interval of the median",
    "quartiles": "quartiles",
    "csv": "setting|drafter|K|temperature|rule|drafting|tree|seed|again|alpha|tokens per round|speedup|clock",
    "note": "Both lanes run on past the end of the text, so all runs are equally long. Top-k and top-p are off. The interval comes from resampling "
    "the runs 1,000 times. How much is the clock? Repeat one seed, measure the spread, and divide it by the spread over all seeds. A "
    "spread is the variance of the logarithm of the speedup, estimated from quartiles.",
}

PANEL = Panel(
    key="luck",
    short="Luck",
    title="Luck: the same run under many seeds",
    answers="How much of a speedup is the seed, how much is the clock, and how many seeds show a difference between two settings?",
    exercise=Exercise(
        task=(
            "One seed gave a speedup of 1.4. Between which two numbers do you expect 30 seeds to lie? Write them down, then run.",
            "Look at the dots for one seed again and again. In which of the three pictures do they differ, and why only there?",
            "Compare K = 3 with K = 4. Do 30 seeds show a difference? How many does the sentence ask for?",
            "Set the temperature to 0 and run again. What is left of the spread?",
        ),
        key=(
            "Most guess too narrow. A text of 64 tokens has about twenty rounds. So tokens per round, and the speedup with them, move by a "
            "tenth or more from seed to seed.",
            "Only in the speedup. α and tokens per round follow from the tokens, and the same seed gives the same tokens. Only the speedup "
            "contains the clock.",
            "Rarely. Neighbours differ by a few per cent, which is less than the difference between seeds. The sentence says how many seeds it takes.",
            "Only the clock. At temperature 0 no random number is drawn, so every seed writes the same tokens.",
        ),
    ),
    words=WORDS,
    runs=runs,
    serves=lambda _: [recorded_result("luck")],
)
