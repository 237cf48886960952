"""The picture of a round on paper, from the round alone: its guesses, who sees whom, and what u decided. SVG as text.

A student's has p, q and u, and no verdict; a teacher's has the verdicts, the token that came out, and the mask filled in.
"""

from ...picture.palette import ROLES
from .figures import svg, text

COLUMN, ROW, WIDE, HIGH, CELL = 78, 44, 66, 36, 12
NARROW = 480  # or less, and a figure's letters would be larger than its text
LONG = 10  # letters that a box has room for
GLYPHS = {role.name: role.glyph for role in ROLES}


def round_figure(round_: dict, before: str, decided: bool, mask: bool = False, numbers: list[int] | None = None) -> str:
    """`round_`: as assets/picture/spans.js has it. `before`: the token that it goes on from. `mask`: who sees whom, below. `numbers`: one for each guess."""
    drafted = round_["drafted"]
    follows = [d.get("parent", i - 1) for i, d in enumerate(drafted)]
    spots = places(follows)
    nodes = [(spots[0], [_short(before)])]
    lines = [(spots[follow + 1], spots[i + 1]) for i, follow in enumerate(follows)]
    for i, d in enumerate(drafted):
        verdict = f" {GLYPHS[d['verdict']]}" if decided and d["verdict"] else ""
        number = f"{numbers[i]}. " if numbers else ""
        said = [number + _short(d["token"]["text"]) + verdict, f"p {_chance(d['p'])} q {_chance(d['q'])}"]
        nodes.append((spots[i + 1], [*said, *([] if d["u"] is None else [f"u {_chance(d['u'])}"])]))
    last = round_["emitted"][-1] if decided and round_["emitted"] else None
    if last and last["role"] != "accepted":
        end = max((i for i, d in enumerate(drafted) if d["verdict"] == "accepted"), default=-1)
        beside = any(follow == end for follow in follows)
        at = (spots[end + 1][0] + 1, max(y for _, y in spots) + 1 if beside else spots[end + 1][1])
        nodes.append((at, [f"{_short(last['token']['text'])} {GLYPHS[last['role']]}", last["role"]]))
        lines.append((spots[end + 1], at))
    columns, rows = (max(at[way] for at, _ in nodes) + 1 for way in (0, 1))
    parts = [_drawn([at for at, _ in nodes], lines)]
    for (x, y), said in nodes:
        parts += [text(x * COLUMN + 4, y * ROW + 12 + 10 * i, line) for i, line in enumerate(said)]
    high = rows * ROW
    if mask:
        tokens = [before, *(d["token"]["text"] for d in drafted)]
        parts += _mask(tokens, follows, high, decided)
        high += 4 + CELL * len(tokens)
    return svg(max(columns * COLUMN, NARROW), high, f"A round with {len(drafted)} guesses", parts)


def guesses_figure(guesses: list[dict], before: str, numbered: bool) -> str:
    """A draft's guesses at one position (scripts/positions.py); `numbered` in the order in which a larger budget takes them."""
    chances = list[float]()
    for guess in guesses:
        chances.append(guess["q"] * (chances[guess["parent"]] if guess["parent"] >= 0 else 1.0))
    order = sorted(range(len(guesses)), key=lambda i: -chances[i])
    drafted = [{**guess, "token": {"text": guess["text"]}, "u": None, "verdict": ""} for guess in guesses]
    places = [order.index(i) + 1 for i in range(len(guesses))] if numbered else None
    return round_figure({"drafted": drafted, "emitted": []}, before, numbered, numbers=places)


def places(follows: list[int]) -> list[tuple[int, float]]:
    """Column and row of the text's last token, then of each guess: a leaf has a row of its own, the others stand in the middle of theirs."""
    found: dict[int, tuple[int, float]] = {}
    leaves = 0

    def place(node: int, depth: int) -> float:
        nonlocal leaves
        below = [place(i, depth + 1) for i, parent in enumerate(follows) if parent == node]
        if not below:
            leaves += 1
        found[node] = depth, (below[0] + below[-1]) / 2 if below else leaves - 1
        return found[node][1]

    place(-1, 0)
    return [found[node] for node in range(-1, len(follows))]


def _drawn(boxes: list[tuple[int, float]], lines: list[tuple[tuple[int, float], tuple[int, float]]]) -> str:
    """Boxes, and lines from the right side of one to the left of another."""
    found = [f"M{x * COLUMN} {y * ROW + 2:g}h{WIDE}v{HIGH}h-{WIDE}z" for x, y in boxes]
    found += [f"M{x * COLUMN + WIDE} {y * ROW + 20:g}L{to * COLUMN} {at * ROW + 20:g}" for (x, y), (to, at) in lines]
    return f'<path class="outline" d="{"".join(found)}"/>'


def _mask(tokens: list[str], follows: list[int], top: float, decided: bool) -> list[str]:
    """A row for each position, with a square for each; filled where it sees that, if it is `decided`."""
    seen, left, n = [{0}], WIDE + 6, len(tokens)
    for i, follow in enumerate(follows):
        seen.append({*seen[follow + 1], i + 1})
    names = [text(WIDE, top + CELL * at + 9, _short(token), "end") for at, token in enumerate(tokens)]
    grid = "".join(f"M{left} {top + CELL * at:g}h{CELL * n}M{left + CELL * at} {top:g}v{CELL * n}" for at in range(n + 1))
    squares = [
        f"M{left + CELL * other} {top + CELL * at:g}h{CELL}v{CELL}h-{CELL}z"
        for at, others in enumerate(seen)
        for other in sorted(others)
    ]
    filled = [f'<path class="filled" d="{"".join(squares)}"/>'] if decided else []
    return [*names, f'<path class="axis" d="{grid}"/>', *filled]


def _short(token: str) -> str:
    shown = token.strip() or "␣"
    return shown if len(shown) <= LONG else shown[: LONG - 1] + "…"


def _chance(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")
