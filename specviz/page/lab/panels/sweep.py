"""The panel Sweep: drafters × K (× temperature) on one prompt and this machine. The experiment: specviz/lab/sweep.py."""

from collections.abc import Iterator

from ....drafters import DRAFTERS as KNOWN
from ...exercise import Exercise
from ..asked import fields, reals, refuse_without, setting, whole, wholes
from ..panel import Asked, Panel, PanelContext, PanelStep, counted
from ..words import DRAFTERS

SWEPT = ", ".join(key for key, one in KNOWN.items() if one.bundled and not one.limit)
KS, TEMPERATURES, TURNS, MOST_TURNS, LENGTH = "1, 2, 3, 5, 8", "0.8", 3, 10, 48


def runs(place: PanelContext, asked: Asked) -> Iterator[PanelStep]:
    engine, sent = place.engine, fields(asked.settings)
    refuse_without(engine, "sweep")
    models = str(asked.watch[1]) if len(asked.watch) > 1 else engine.models()[0]
    offered = engine.drafters(models)
    names = [name for name in sent.get("drafters", SWEPT).replace(" ", "").split(",") if name]
    chosen = [name for name in names if name in offered] if sent.get("drafters") is None else names
    one = setting({"length": str(LENGTH), **{name: sent[name] for name in ("prompt", "length", "seed") if sent.get(name, "").strip()}}, engine, models)  # fmt: skip
    ks = wholes(WORDS["Ks"], sent.get("Ks") or KS, 1, 16)
    turns = whole(WORDS["turns"], sent.get("turns", ""), 1, MOST_TURNS, TURNS)
    temperatures = reals(WORDS["temperatures"], sent.get("temperatures") or TEMPERATURES)
    steps = engine.sweep(one.prompt, chosen, ks, one.config, temperatures, turns, asked.stop, models)
    ran = {"prompt": one.prompt, "models": models, "seed": str(one.config.seed)}
    for step in counted(steps, asked):
        yield PanelStep(step.done, step.of, {**step.found, "ran": ran} if step.found else None)


WORDS = {
    "prompt": "Prompt",
    "drafters": "Drafters",
    **DRAFTERS,
    "first": SWEPT,
    "Ks": "K",
    "first_Ks": KS,
    "temperatures": "Temperatures",
    "first_temperatures": TEMPERATURES,
    "turns": "Runs of each",
    "length": "Tokens a run",
    "seed": "First seed",
    "map": "Speedup, by drafter and K",
    "at": "temperature {T}",
    "cell": "{drafter}, K = {K}, temperature {T}: speedup {speedup} (quartiles {first} to {third}, runs: {runs}), {tokens} tokens a round, "
    "α {alpha}, c {c}, v {v}; the formula says {predicted}.",
    "cell_busy": " The machine was busy in {n} of them.",
    "to_watch": " Press to set it in Watch.",
    "point": "Choose a cell: what was measured there stands here.",
    "fastest": "Fastest{so_far}: {drafter} at K = {K}, temperature {T}: {speedup}, between {first} and {third}.",
    "so_far": " so far",
    "none_faster": "No cell is faster than vanilla{so_far}; the nearest is {drafter} at K = {K}, temperature {T}: {speedup}.",
    "busy": "In {n} of {of} runs the machine was busy: their times are not to be trusted.",
    "scatter": "The formula against the clock",
    "predicted": "speedup by the formula",
    "measured": "speedup measured",
    "pareto": "α against c",
    "c": "c: a draft token, in target passes",
    "alpha": "α, mean of β",
    "lines": "A point's number is its K; dashed: as the formula says. Of α against c the drafters on the line are those that no other one beats in "
    "both; above the dashed line, α > c, some K can pay where a check is free.",
    "way": "{drafter}: c {c}, α {alpha}, best at K = {K}: {speedup}",
    "empty": "Run fills the map: each drafter at the least K first, then where it promises most, then the rest, and all of it again.",
    "slower": "Speedup, and under it tokens a round (t). Hatched: slower than vanilla; framed: the fastest.",
    "csv": "drafter|K|temperature|runs|speedup|quartile 1|quartile 3|tokens a round|drafted a round|alpha|c|v|predicted|busy",
    "note": "Each run stands beside its own vanilla run, right before it; cells take turns, so that a slow minute of the machine meets "
    "all. The formula: mean tokens a round if each token is kept with chance α by itself, ÷ (tokens drafted · c + v) "
    "(Leviathan et al. 2022, §3.3). What it leaves out: choosing and bookkeeping, and that acceptances in a block are not independent.",
}  # fmt: skip

PANEL = Panel(
    key="sweep",
    place=30,
    short="Sweep",
    title="Sweep: every drafter at every K",
    answers="Which drafter and which K are fastest for this prompt on this machine, and does the formula know?",
    exercise=Exercise(
        task=(
            "Which drafter has the largest α, and which is the fastest? Are they the same?",
            "Take the fastest row. Why does it fall again at a larger K?",
            "Find a cell far below the formula's line. What does the formula leave out there?",
            "Run again with the prompt of repetitions (Tim has a ball …). Which row changes most?",
        ),
        key=(
            "Hardly ever: the large model, or the target's own layers, are kept most often and cost most. The upper left edge of α against c "
            "is where a choice lies.",
            "Later positions are reached less often and kept less often, while each costs a draft step and makes the check dearer.",
            "Choosing among tokens and bookkeeping, which are not in c and v; and a block whose first token is wrong often has wrong ones "
            "after it, so acceptances come in clumps.",
            "Prompt lookup: it copies, so it drafts nothing where nothing repeats, and nearly everything where all does.",
        ),
    ),
    words=WORDS,
    runs=runs,
    takes=True,
)
