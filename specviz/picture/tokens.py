"""A token as running text shows it and as an inspector does: its face, the distributions it was drawn from. Plain values.

Text is data from here to the page. Standard library only.
"""

import codecs
from collections.abc import Iterator

from ..trace.events import Drafted, Emitted, Own, Position, Residual, Token
from .chances import at
from .plain import short

LONGEST_TOKEN = 120  # characters of one token that a screen shows; what is longer is cut and says so


def face(token: Token, piece: str) -> tuple[str, str]:
    """What a token looks like in running text: what it adds, or its own name when it adds nothing yet."""
    if piece:
        return _clip(piece), "completes" if token.partial else "text"
    return _clip(token.text), "bytes" if token.partial else "text"


def _clip(text: str) -> str:
    if len(text) <= LONGEST_TOKEN:
        return text
    return f"{text[: LONGEST_TOKEN - 1]}… ({len(text):,} characters)"


def prompt_tokens(tokens: tuple[Token, ...]) -> list[dict]:
    """The prompt's tokens with their faces. No piece comes with them, so characters are put together here from named bytes."""
    decoder, shown = codecs.getincrementaldecoder("utf-8")("replace"), []
    for token in tokens:
        try:
            piece = decoder.decode(bytes.fromhex(token.text.strip("⟨⟩"))) if token.partial else ""
        except ValueError:
            piece = ""
        text, kind = face(token, piece)
        shown.append({**named(token), "shown": text, "kind": kind})
    return shown


def named(token: Token) -> dict:
    """Which token it is, whatever text it stands in."""
    return {"id": token.id, "text": _clip(token.text), "partial": token.partial}


def drafted_token(d: Drafted, parent: int | None) -> dict:
    """`parent`: of a tree, where its parent stands in the picture."""
    numbers = {"q": short(d.q), "p": short(d.p), "ratio": short(d.ratio), "u": short(d.u)}
    block = {"joint": short(d.joint), "chance": short(d.chance)}
    place = {} if d.parent is None else {"parent": parent, "depth": d.depth, "rank": d.rank}
    return {"token": named(d.token), **numbers, **block, **place, "verdict": d.verdict, "position": distributions(d.position)}


def emitted_token(e: Emitted) -> dict:
    return {"token": named(e.token), "role": e.role, "u": short(e.u), "position": distributions(e.position)}


def distributions(position: Position | None) -> dict | None:
    """p and q where a token was tested or drawn; None in a run that was not observed."""
    if position is None:
        return None
    return {
        "entries": [{"token": named(e.token), "p": short(e.p), "q": short(e.q)} for e in position.entries],
        "p_rest": short(position.p_rest),
        "q_rest": short(position.q_rest),
        "beta": short(position.beta),
        "p_entropy": short(position.p_entropy),
        "q_entropy": short(position.q_entropy),
        "chances": at(position),
        "own": _own(position.own),
        "told": list(_told(position)),
    }


def _told(position: Position) -> Iterator[tuple[str, dict]]:
    """Sentences under the bars: which one of words.py, and the numbers in it. A number more is a line here and its sentence there."""
    p, q, own = short(position.p_entropy), short(position.q_entropy), position.own
    if q is None:
        yield "entropy", {"p": p}
    elif own is None:
        yield "entropies", {"p": p, "q": q}
    else:
        yield "entropies_own", {"p": p, "s": short(own.entropy)}


def _own(own: Own | None) -> dict | None:
    """The draft's own softmax at each entry and over the rest, where its largest was drafted."""
    if own is None:
        return None
    return {"entries": [short(s) for s in own.entries], "rest": short(own.rest)}


def residual_of(residual: Residual | None) -> dict | None:
    """What a corrected token was drawn from; None in a round without one."""
    if residual is None:
        return None
    entries = [{"token": named(e.token), "p": short(e.probability)} for e in residual.entries]
    return {"entries": entries, "rest": short(residual.rest), "mass": short(residual.mass)}
