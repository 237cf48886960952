"""Figures drawn from a picture (`view.picture`). Plotly 3.x features only: that is what Gradio ships to the browser."""

import plotly.graph_objects as go

from .palette import LIGHT, SERIES, line
from .words import TIMELINE

# (where it begins, where it ends, colour, what the key and the tooltip call it). Decide and the rest are too short to tell apart in a bar.
PARTS = (
    ("start", "drafted_at", "draft", TIMELINE["draft"]),
    ("drafted_at", "verified_at", "target", TIMELINE["verify"]),
    ("verified_at", "end", "rest", TIMELINE["rest"]),
)
LANES = ("vanilla", "speculative")  # from top to bottom


def timeline(picture: dict) -> go.Figure:
    """Both lanes on one axis of milliseconds: what each round spent on drafting, on the target's pass and on the rest."""
    figure = go.Figure(layout=_layout([name for name in LANES if picture["lanes"][name]], _longest(picture)))
    for begin, end, series, legend in PARTS:
        bars = [
            (name, r[begin], r[end] - r[begin], r, at)
            for name in LANES
            if picture["lanes"][name]
            for at, r in enumerate(picture["lanes"][name]["rounds"])
            if r[end] > r[begin]
        ]
        if bars:
            figure.add_bar(
                orientation="h",
                name=legend,
                y=[b[0] for b in bars],
                base=[b[1] for b in bars],
                x=[b[2] for b in bars],
                hovertext=[_told(legend, b[2], b[3]) for b in bars],
                customdata=[b[4] for b in bars],  # which round: the page links it to its tokens
                hoverinfo="text",  # not %{x}: with a base, Plotly fills in where the bar ends
                marker={"color": line(SERIES[series], LIGHT), "line": {"width": 0}},
            )
    return figure


def _told(part: str, ms: float, round_: dict) -> str:
    drafted, emitted = len(round_["drafted"]), len(round_["emitted"])
    return (
        f"round {round_['index'] + 1}: {part} {ms:.2f} ms ({drafted} drafted, {emitted} new token{'' if emitted == 1 else 's'})"
    )


def _longest(picture: dict) -> float:
    return max((lane["duration"] for lane in picture["lanes"].values() if lane), default=0.0)


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
