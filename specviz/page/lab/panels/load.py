"""The panel Load: many texts at once, by passes that were measured (assets/costs, or here). The arithmetic is the page's own
(assets/shared/formulas.js)."""

from collections.abc import Iterator

from ....picture.replay import json_text
from ...component import answer
from ...learn.chapter import measured_passes
from ..panel import Panel, PanelContext, PanelRequest, PanelStep, panel_words


def serves(_: PanelContext) -> list:
    return [answer("measured", lambda: json_text(measured_passes()))]


def runs(context: PanelContext, request: PanelRequest) -> Iterator[PanelStep]:
    for step in context.method("loads")(request.stop):
        yield PanelStep(step.done, step.of, step.as_json())


PANEL = Panel(
    **panel_words("load"),
    serves=serves,
    runs=runs,
    formerly="pair",
    alone=True,
)
