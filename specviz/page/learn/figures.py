"""Drawings for paper, to be filled in by hand: lines and outlines without an answer. SVG as text."""

from html import escape

P, Q = (0.4, 0.3, 0.2, 0.1), (0.7, 0.15, 0.1, 0.05)  # of the exercise of chapter 6


def svg(width: float, height: float, label: str, parts: list[str]) -> str:
    content = "".join(parts)
    return f'<svg class="figure" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(label)}">{content}</svg>'


def box(x: float, y: float, width: float, height: float, kind: str = "outline") -> str:
    return f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>'


def text(x: float, y: float, words: str, at: str = "start") -> str:
    anchor = "" if at == "start" else f' text-anchor="{at}"'
    return f'<text x="{x:g}" y="{y:g}"{anchor}>{escape(words)}</text>'


def passes(blocks: tuple[int, ...] = (1, 2, 4, 8, 16)) -> str:
    """A bar for each block: its outline is as long as if each token needed its own pass; the class shades what was measured."""
    parts = []
    for i, n in enumerate(blocks):
        y = 4 + 15 * i
        parts += [text(34, y + 9, f"{n}", "end"), box(40, y, 22 * n, 11)]
    parts.append(text(40 + 22 * blocks[-1], 4 + 15 * len(blocks) + 6, "passes over one token", "end"))
    return svg(400, 90, "A bar for passes over 1, 2, 4, 8 and 16 tokens", parts)


def block(K: int = 4) -> str:
    """The last token and K drafted ones, and the K + 1 distributions that one pass gives."""
    parts = []
    for i in range(K + 1):
        x = 8 + 78 * i
        parts += [box(x, 4, 62, 20), text(x + 31, 18, "last token" if i == 0 else f"draft {i}", "middle")]
        parts += [
            f'<path class="arrow" d="M{x + 31:g} 26v12"/>',
            box(x + 14, 40, 34, 20, "dashed"),
            text(x + 31, 54, f"p{i + 1}", "middle"),
        ]
    return svg(400, 66, f"A block of {K} drafted tokens and {K + 1} distributions", parts)


def overlap(p: tuple[float, ...] = P, q: tuple[float, ...] = Q) -> str:
    """p and q of each token beside each other; the class shades min(p, q) and marks where p is larger than q."""
    parts, base, high = [], 76, 92
    for i, (p_i, q_i) in enumerate(zip(p, q, strict=True)):
        x = 24 + 92 * i
        parts += [box(x, base - high * p_i, 28, high * p_i), box(x + 32, base - high * q_i, 28, high * q_i, "dashed")]
        parts += [
            text(x + 14, base - high * p_i - 3, f"{p_i:g}", "middle"),
            text(x + 46, base - high * q_i - 3, f"{q_i:g}", "middle"),
        ]
        parts.append(text(x + 30, base + 12, f"token {i + 1}: p, q", "middle"))
    parts.append(f'<path class="axis" d="M8 {base}h384"/>')
    return svg(400, 92, "Bars of p and q for four tokens", parts)


def line_of_u(limit: str = "p(x)/q(x)") -> str:
    parts = [
        '<path class="axis" d="M20 22h360M20 16v12M380 16v12"/>',
        text(20, 42, "0", "middle"),
        text(380, 42, "1", "middle"),
    ]
    parts.append(text(200, 12, f"mark {limit}, then write “accept” and “reject” on its two sides", "middle"))
    return svg(400, 46, "A line from 0 to 1", parts)
