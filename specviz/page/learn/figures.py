"""Drawings for paper, to be filled in by hand: lines and outlines without an answer. SVG as text.

The picture of a round is drawn from the round alone: its guesses, who sees whom, and what u decided. A student's has p, q and u, and no
verdict; a teacher's has the verdicts, the token that came out, and the mask filled in.
"""

from html import escape

from ...picture.palette import ROLES

P, Q = (0.4, 0.3, 0.2, 0.1), (0.7, 0.15, 0.1, 0.05)  # of the exercise of chapter 6
COLUMN, ROW, WIDE, HIGH, CELL = 78, 44, 66, 36, 12
NARROW = 480  # or less, and a figure's letters would be larger than its text
BOX_LETTERS = 10  # letters that a box has room for
GLYPHS = {role.name: role.glyph for role in ROLES}


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


def round_figure(round_: dict, before: str, verdicts: bool, mask: bool = False, numbers: list[int] | None = None) -> str:
    """`round_`: as assets/picture/view.js has it. `before`: the token that it goes on from. `mask`: who sees whom, below. `numbers`: one for each guess."""
    drafted = round_["drafted"]
    follows = [d.get("parent", i - 1) for i, d in enumerate(drafted)]
    spots = places(follows)
    nodes = [(spots[0], [_short(before)])]
    lines = [(spots[follow + 1], spots[i + 1]) for i, follow in enumerate(follows)]
    for i, d in enumerate(drafted):
        verdict = f" {GLYPHS[d['verdict']]}" if verdicts and d["verdict"] else ""
        number = f"{numbers[i]}. " if numbers else ""
        texts = [number + _short(d["token"]["text"]) + verdict, f"p {_chance(d['p'])} q {_chance(d['q'])}"]
        nodes.append((spots[i + 1], [*texts, *([] if d["u"] is None else [f"u {_chance(d['u'])}"])]))
    last = round_["emitted"][-1] if verdicts and round_["emitted"] else None
    if last and last["role"] != "accepted":
        end = max((i for i, d in enumerate(drafted) if d["verdict"] == "accepted"), default=-1)
        beside = any(follow == end for follow in follows)
        at = (spots[end + 1][0] + 1, max(y for _, y in spots) + 1 if beside else spots[end + 1][1])
        nodes.append((at, [f"{_short(last['token']['text'])} {GLYPHS[last['role']]}", last["role"]]))
        lines.append((spots[end + 1], at))
    columns, rows = (max(at[way] for at, _ in nodes) + 1 for way in (0, 1))
    parts = [_boxes([at for at, _ in nodes], lines)]
    for (x, y), texts in nodes:
        parts += [text(x * COLUMN + 4, y * ROW + 12 + 10 * i, line) for i, line in enumerate(texts)]
    high = rows * ROW
    if mask:
        tokens = [before, *(d["token"]["text"] for d in drafted)]
        parts += _mask(tokens, follows, high, verdicts)
        high += 4 + CELL * len(tokens)
    return svg(max(columns * COLUMN, NARROW), high, f"A round with {len(drafted)} guesses", parts)


def guesses_figure(guesses: list[dict], before: str, with_ranks: bool) -> str:
    """A draft's guesses at one position (scripts/picture_data.py); `with_ranks`: numbered in the order in which a larger budget takes them."""
    chances = list[float]()
    for guess in guesses:
        chances.append(guess["q"] * (chances[guess["parent"]] if guess["parent"] >= 0 else 1.0))
    order = sorted(range(len(guesses)), key=lambda i: -chances[i])
    drafted = [{**guess, "token": {"text": guess["text"]}, "u": None, "verdict": ""} for guess in guesses]
    places = [order.index(i) + 1 for i in range(len(guesses))] if with_ranks else None
    return round_figure({"drafted": drafted, "emitted": []}, before, with_ranks, numbers=places)


def places(follows: list[int]) -> list[tuple[int, float]]:
    """Column and row of the text's last token, then of each guess: a leaf has a row of its own, the others stand in the middle of theirs."""
    spots: dict[int, tuple[int, float]] = {}
    leaves = 0

    def place(node: int, depth: int) -> float:
        nonlocal leaves
        below = [place(i, depth + 1) for i, parent in enumerate(follows) if parent == node]
        if not below:
            leaves += 1
        spots[node] = depth, (below[0] + below[-1]) / 2 if below else leaves - 1
        return spots[node][1]

    place(-1, 0)
    return [spots[node] for node in range(-1, len(follows))]


def _boxes(boxes: list[tuple[int, float]], lines: list[tuple[tuple[int, float], tuple[int, float]]]) -> str:
    """Boxes, and lines from the right side of one to the left of another."""
    paths = [f"M{x * COLUMN} {y * ROW + 2:g}h{WIDE}v{HIGH}h-{WIDE}z" for x, y in boxes]
    paths += [f"M{x * COLUMN + WIDE} {y * ROW + 20:g}L{to * COLUMN} {at * ROW + 20:g}" for (x, y), (to, at) in lines]
    return f'<path class="outline" d="{"".join(paths)}"/>'


def _mask(tokens: list[str], follows: list[int], top: float, verdicts: bool) -> list[str]:
    """A row for each position, with a square for each; filled where it sees that, with `verdicts`."""
    visible, left, n = [{0}], WIDE + 6, len(tokens)
    for i, follow in enumerate(follows):
        visible.append({*visible[follow + 1], i + 1})
    names = [text(WIDE, top + CELL * at + 9, _short(token), "end") for at, token in enumerate(tokens)]
    grid = "".join(f"M{left} {top + CELL * at:g}h{CELL * n}M{left + CELL * at} {top:g}v{CELL * n}" for at in range(n + 1))
    squares = [
        f"M{left + CELL * other} {top + CELL * at:g}h{CELL}v{CELL}h-{CELL}z"
        for at, others in enumerate(visible)
        for other in sorted(others)
    ]
    filled = [f'<path class="filled" d="{"".join(squares)}"/>'] if verdicts else []
    return [*names, f'<path class="axis" d="{grid}"/>', *filled]


def _short(token: str) -> str:
    letters = token.strip() or "␣"
    return letters if len(letters) <= BOX_LETTERS else letters[: BOX_LETTERS - 1] + "…"


def _chance(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")
