"""Figures drawn from a trace. Plotly 3.x features only: that is what Gradio ships to the browser."""

import plotly.graph_objects as go

from ..trace.events import Round
from ..trace.header import LANES, Trace
from .palette import LIGHT, SERIES, line
from .words import TIMELINE

# (colour, what the key and the tooltip call it). Decide and the rest are too short to tell apart in a bar.
PARTS = (("draft", TIMELINE["draft"]), ("target", TIMELINE["verify"]), ("rest", TIMELINE["rest"]))


def timeline(trace: Trace) -> go.Figure:
    """Both lanes on one axis of milliseconds: what each round spent on drafting, on the target's pass and on the rest."""
    lanes = {name: _rounds(getattr(trace, name)) for name in LANES if getattr(trace, name)}  # from top to bottom
    longest = max((moments[-1] for rounds in lanes.values() for _, moments in rounds), default=0.0)
    figure = go.Figure(layout=_layout([*lanes], longest))
    for part, (series, legend) in enumerate(PARTS):
        bars = [
            (name, moments[part], moments[part + 1] - moments[part], r, at)
            for name, rounds in lanes.items()
            for at, (r, moments) in enumerate(rounds)
            if moments[part + 1] > moments[part]
        ]
        if bars:
            figure.add_bar(
                orientation="h",
                name=legend,
                y=[b[0] for b in bars],
                base=[b[1] for b in bars],
                x=[b[2] for b in bars],
                hovertext=[_hover_text(legend, b[2], b[3]) for b in bars],
                customdata=[b[4] for b in bars],  # which round: the page links it to its tokens
                hoverinfo="text",  # not %{x}: with a base, Plotly fills in where the bar ends
                marker={"color": line(SERIES[series], LIGHT), "line": {"width": 0}},
            )
    return figure


def _rounds(events: tuple) -> list[tuple[Round, list[float]]]:
    """Each round of a lane with the ms at which it began, had drafted, had verified and ended."""
    rounds, start = [], 0.0
    for r in events:
        if isinstance(r, Round):
            drafted = start + (r.times.draft or 0.0)
            end = start + r.times.timed
            rounds.append((r, [round(ms, 4) for ms in (start, drafted, drafted + (r.times.verify or 0.0), end)]))
            start = end
    return rounds


def _hover_text(part: str, ms: float, r: Round) -> str:
    drafted, emitted = len(r.drafted), len(r.emitted)
    return f"round {r.index + 1}: {part} {ms:.2f} ms ({drafted} drafted, {emitted} new token{'' if emitted == 1 else 's'})"


def _layout(lanes: list[str], longest: float) -> go.Layout:
    """The margins are those of assets/watch/timeline.css, which lays the key, the hand of the replay and the band of a round over them.
    Text, axes and grid take the colours of assets/page/timeline.css, which knows the theme; here they only have to exist."""
    return go.Layout(
        template="none",
        barmode="overlay",
        bargap=0.35,
        height=190,
        margin={"l": 92, "r": 12, "t": 30, "b": 40},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "system-ui, sans-serif", "size": 14},
        showlegend=False,
        xaxis={
            "range": [0, longest or 1],
            "title": {"text": TIMELINE["unit"], "standoff": 6},
            "zeroline": False,
            "fixedrange": True,
        },
        yaxis={
            "categoryorder": "array",
            "categoryarray": lanes[::-1],
            "range": [-0.5, len(lanes) - 0.5],
            "fixedrange": True,
            "zeroline": False,
        },
        dragmode=False,
        hoverlabel={"font": {"size": 14}},
    )
