"""The panel Luck: one prompt and one setting under many seeds, or two settings seed by seed. The experiment: specviz/lab/luck.py."""

from collections.abc import Iterator

from ..panel import (
    DRAFTERS,
    RULES,
    TREES,
    Panel,
    PanelContext,
    PanelRequest,
    PanelStep,
    panel_run,
    panel_steps,
    panel_words,
    recorded_result,
    whole_number,
)

SEEDS, MOST_SEEDS, LENGTH = 30, 100, 64


def runs(context: PanelContext, request: PanelRequest) -> Iterator[PanelStep]:
    engine, message, luck = context.engine, request.settings, context.method("luck")
    message = {"length": str(LENGTH), **{name: value for name, value in message.items() if value.strip()}}
    settings = [panel_run(message, engine, request.models)]
    if message.get("compare") == "yes":
        settings.append(panel_run(message, engine, request.models, "b_"))
    seeds = whole_number(PANEL.words["seeds"], message.get("seeds", "").strip() or str(SEEDS), 2, MOST_SEEDS)
    pairs = [(one.drafter, one.config) for one in settings]
    yield from panel_steps(luck(settings[0].prompt, pairs, seeds, request.stop, request.models), request)


PANEL = Panel(
    **panel_words("luck", **DRAFTERS, **RULES, **TREES),
    runs=runs,
    serves=lambda _: [recorded_result("luck")],
)
