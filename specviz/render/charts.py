"""Figures drawn from a picture (`view.picture`). Plotly 3.x features only: that is what Gradio ships to the browser."""

import plotly.graph_objects as go

from .palette import LIGHT, SERIES, line

# (part, where it begins, where it ends, colour, legend). Decide and the rest are too short to tell apart in a bar.
PARTS = (
    ("draft", "start", "drafted_at", "draft", "draft"),
    ("verify", "drafted_at", "verified_at", "target", "target pass"),
    ("decide", "verified_at", "end", "rest", "decide and the rest"),
)
LANES = ("vanilla", "speculative")


def timeline(picture: dict) -> go.Figure:
    """Both lanes on one axis of milliseconds: what each round spent on drafting, on the target's pass and on the rest."""
    figure = go.Figure(layout=_layout(max((lane["duration"] for lane in _begun(picture)), default=0.0)))
    for part, begin, end, series, legend in PARTS:
        bars = [
            (name, r[begin], r[end] - r[begin], r)
            for name in LANES
            if picture["lanes"][name]
            for r in picture["lanes"][name]["rounds"]
            if r[end] > r[begin]
        ]
        if bars:
            figure.add_bar(
                orientation="h",
                name=legend,
                y=[b[0] for b in bars],
                base=[b[1] for b in bars],
                x=[b[2] for b in bars],
                customdata=[[b[3]["index"] + 1, part, len(b[3]["drafted"]), len(b[3]["emitted"])] for b in bars],
                hovertemplate="round %{customdata[0]}: %{customdata[1]} %{x:.2f} ms (%{customdata[2]} drafted, %{customdata[3]} emitted)<extra></extra>",
                marker={"color": line(SERIES[series], LIGHT), "line": {"width": 0}},
            )
    return figure


def _begun(picture: dict) -> list[dict]:
    return [lane for lane in picture["lanes"].values() if lane]


def _layout(longest: float) -> go.Layout:
    # Text, axes and grid take the page's own colours in assets/style.css, which knows the theme; here they only have to exist.
    return go.Layout(
        template="none",
        barmode="overlay",
        bargap=0.35,
        height=190,
        margin={"l": 92, "r": 12, "t": 30, "b": 40},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "system-ui, sans-serif", "size": 14},
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": "normal"},
        xaxis={
            "range": [0, longest or 1],
            "title": {"text": "milliseconds of decoding", "standoff": 6},
            "zeroline": False,
            "fixedrange": True,
        },
        yaxis={"categoryorder": "array", "categoryarray": ["vanilla", "speculative"], "fixedrange": True, "zeroline": False},
        dragmode=False,
        hoverlabel={"font": {"size": 14}},
    )
