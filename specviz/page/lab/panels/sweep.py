"""The panel Sweep: drafters × K on one prompt and this machine. The experiment: specviz/lab/sweep.py."""

from collections.abc import Iterator

from ....drafters import DRAFTERS as KNOWN
from ..panel import (
    DRAFTERS,
    TREES,
    Panel,
    PanelContext,
    PanelRequest,
    PanelStep,
    check_count,
    panel_run,
    panel_steps,
    panel_words,
    recorded_result,
    whole_number,
    whole_numbers,
)

SWEEP_DRAFTERS = ", ".join(key for key, one in KNOWN.items() if not one.limit)
OWN = ("prompt", "length", "temperature", "seed", "tree", "children", "nodes")
MOST_DRAFTERS, MOST_KS = 16, 8  # as specviz/lab/sweep.py takes them
KS, TEMPERATURE, TURNS, MOST_TURNS, LENGTH = "1, 2, 3, 5, 8", "0.8", 3, 10, 48


def runs(context: PanelContext, request: PanelRequest) -> Iterator[PanelStep]:
    engine, message, models, sweep = context.engine, request.settings, request.models, context.method("sweep")
    lacking = KNOWN.keys() - engine.drafters(models)
    names = [name for name in message.get("drafters", SWEEP_DRAFTERS).replace(" ", "").split(",") if name]
    drafters = [name for name in names if name not in lacking] or names  # all lacking: the engine says what there is
    check_count(PANEL.words["drafters"], drafters, MOST_DRAFTERS)
    ks = check_count(PANEL.words["Ks"], whole_numbers(PANEL.words["Ks"], message.get("Ks", KS), 1, 16), MOST_KS)
    turns = whole_number(PANEL.words["turns"], message.get("turns", "").strip() or str(TURNS), 1, MOST_TURNS)
    own = {name: message[name] for name in OWN if message.get(name, "").strip()}
    # each cell has its own K
    one = panel_run({"length": str(LENGTH), "temperature": TEMPERATURE, "K": str(min(ks)), **own}, engine, models)
    steps = sweep(one.prompt, drafters, ks, one.config, turns, request.stop, models)
    settings = {"prompt": one.prompt, "models": models, "seed": str(one.config.seed)}
    settings |= {name: str(getattr(one.config, name)) for name in ("tree", "children", "nodes")}
    for step in panel_steps(steps, request):
        yield PanelStep(step.done, step.of, {**step.result, "ran": settings} if step.result else None)


PANEL = Panel(
    **panel_words("sweep", **DRAFTERS, **TREES, first=SWEEP_DRAFTERS, first_Ks=KS, first_temperature=TEMPERATURE),
    runs=runs,
    serves=lambda _: [recorded_result("sweep")],
    takes=True,
)
