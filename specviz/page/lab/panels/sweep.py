"""The panel Sweep: drafters × K on one prompt and this machine. The experiment: specviz/lab/sweep.py."""

from collections.abc import Iterator

from ....drafters import DRAFTERS as KNOWN
from ...learn.chapter import Exercise
from ..panel import (
    Panel,
    PanelContext,
    PanelRequest,
    PanelStep,
    check_count,
    panel_run,
    panel_steps,
    recorded_result,
    whole_number,
    whole_numbers,
)
from ..words import DRAFTERS, TREES

SWEEP_DRAFTERS = ", ".join(key for key, one in KNOWN.items() if not one.limit)
OWN = ("prompt", "length", "temperature", "seed", "tree", "children", "nodes")
MOST_DRAFTERS, MOST_KS = 16, 8  # as specviz/lab/sweep.py takes them
KS, TEMPERATURE, TURNS, MOST_TURNS, LENGTH = "1, 2, 3, 5, 8", "0.8", 3, 10, 48


def runs(context: PanelContext, request: PanelRequest) -> Iterator[PanelStep]:
    engine, message, models, sweep = context.engine, request.settings, request.models, context.method("sweep")
    lacking = KNOWN.keys() - engine.drafters(models)
    names = [name for name in message.get("drafters", SWEEP_DRAFTERS).replace(" ", "").split(",") if name]
    drafters = [name for name in names if name not in lacking] or names  # all lacking: the engine says what there is
    check_count(WORDS["drafters"], drafters, MOST_DRAFTERS)
    ks = check_count(WORDS["Ks"], whole_numbers(WORDS["Ks"], message.get("Ks", KS), 1, 16), MOST_KS)
    turns = whole_number(WORDS["turns"], message.get("turns", "").strip() or str(TURNS), 1, MOST_TURNS)
    own = {name: message[name] for name in OWN if message.get(name, "").strip()}
    # each cell has its own K
    one = panel_run({"length": str(LENGTH), "temperature": TEMPERATURE, "K": str(min(ks)), **own}, engine, models)
    steps = sweep(one.prompt, drafters, ks, one.config, turns, request.stop, models)
    settings = {"prompt": one.prompt, "models": models, "seed": str(one.config.seed)}
    settings |= {name: str(getattr(one.config, name)) for name in ("tree", "children", "nodes")}
    for step in panel_steps(steps, request):
        yield PanelStep(step.done, step.of, {**step.result, "ran": settings} if step.result else None)


WORDS = {
    "run": "Measure here",
    "recorded": "Recorded, not measured now: {target} on {device}, threads: {threads}, {date}. "
    "Its prompt is “{prompt}”. The form above is for your own run.",
    "prompt": "Prompt",
    "drafters": "Drafters",
    **DRAFTERS,
    **TREES,
    "first": SWEEP_DRAFTERS,
    "Ks": "K",
    "first_Ks": KS,
    "temperature": "Temperature",
    "first_temperature": TEMPERATURE,
    "turns": "Runs per cell",
    "length": "Tokens per run",
    "seed": "First seed",
    "map": "Speedup, by drafter and K",
    "cell": "{drafter}, K = {K}, temperature {T}: speedup {speedup} (quartiles {first} to {third}, runs: {runs}). Tokens per round {tokens}, "
    "α {alpha}, c {c}, v {v}. The formula gives {predicted}.",
    "cell_counted": "{drafter}, K = {K}, temperature {T}: tokens per round {tokens}, α {alpha}. No speedup is shown.",
    "cell_busy": " The machine was busy in {n} of {of} runs.",
    "cell_unknown": "busy",
    "to_watch": " Press to set it in Watch.",
    "point": "Choose a cell to see what was measured there.",
    "fastest": "Fastest{so_far}: {drafter} at K = {K}, temperature {T}: {speedup}, between {first} and {third}.",
    "fastest_one": "Fastest{so_far}: {drafter} at K = {K}, temperature {T}: {speedup}, from one run.",
    "so_far": " so far",
    "none_faster": "No cell is faster than without a draft{so_far}. The nearest is {drafter} at K = {K}, temperature {T}: {speedup}.",
    "busy": "The machine was busy in {n} of {of} runs. Their counts are shown, their times are not.",
    "by_processor": "{n} of {of} runs are compared by processor time, since the machine was busy. They give no c and no v.",
    "no_winner": "So no fastest cell is named: run again when nothing else runs.",
    "scatter": "The formula against the clock",
    "predicted": "speedup by the formula",
    "measured": "speedup measured",
    "pareto": "α against c",
    "c": "c: a draft token, in target passes",
    "alpha": "α, average of β",
    "lines": "The number at a point is its K. Dashed: what the formula gives. In “α against c”, no other drafter is both cheaper and better than a "
    "drafter on the line. Above the dashed line α is larger than c. There drafting can pay, if verifying is free.",
    "way": "{drafter}: c {c}, α {alpha}, best at K = {K}: {speedup}",
    "empty": "“Measure here” fills the map for the models that are chosen in Watch. A drafter that they lack is left out. Each drafter runs at the smallest K first, then at the K that promises most, then at every K, then again.",
    "slower": "Speedup, and under it tokens per round (t). Hatched: slower than without a draft. Framed: the fastest.",
    "csv": "drafter|K|temperature|runs|speedup|quartile 1|quartile 3|tokens per round|drafted per round|alpha|c|v|predicted|busy",
    "note": "Each run follows its own run without a draft. Cells take turns, so a slow minute of the machine affects all. The formula: average tokens "
    "per round if tokens are accepted independently with chance α, ÷ (tokens drafted · c + v) (Leviathan et al. 2022, §3.3). A block head drafts in one step, so its cost is c + v. The formula says nothing about a tree: K is then its depth, and c the cost of a level. It leaves out "
    "choosing, bookkeeping and dependence in a block.",
}  # fmt: skip

PANEL = Panel(
    key="sweep",
    short="Sweep",
    title="Sweep: every drafter at every K",
    answers="Which drafter and which K are fastest for this prompt on this machine, and does the formula predict it?",
    exercise=Exercise(
        task=(
            "Which drafter has the largest α, and which is the fastest? Are they the same?",
            "Take the fastest row. Why does the speedup fall again at a larger K?",
            "Find a cell far below the formula's line. What does the formula leave out there?",
            "Run again with the prompt that chapter 10 of Learn tries in Watch, which repeats itself. Which row changes most?",
        ),
        key=(
            "Usually not. The large model and the multi-token heads are accepted at least as often as the small model, but each of their steps costs "
            "more. The fastest draft is cheap and accepted often enough.",
            "Later positions are reached less often. Each still costs a draft step, and makes verifying longer.",
            "It leaves out choosing tokens and bookkeeping. It also assumes that all positions are alike, but easy and hard places come in groups (chapter 9, “By K”).",
            "Prompt lookup. It copies, so it drafts nothing where nothing repeats, and is almost always accepted where all repeats.",
        ),
    ),
    words=WORDS,
    runs=runs,
    serves=lambda _: [recorded_result("sweep")],
    takes=True,
)
