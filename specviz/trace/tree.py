"""A drafted block that branches, as its tokens tell it: who follows whom, and what must hold of that. Standard library only.

children(round.drafted)[0]      those that follow the text, in the order of their ranks; [i + 1]: those that follow token i
path(round.drafted)             the tokens that stayed
"""

from collections.abc import Iterator, Sequence

from .events import Drafted, Round


def branches(round: Round) -> bool:
    return any(d.parent is not None for d in round.drafted)


def parents(drafted: Sequence[Drafted]) -> list[int]:
    """Of each token the one that it follows, −1 for the text."""
    return [i - 1 if d.parent is None else d.parent for i, d in enumerate(drafted)]


def children(drafted: Sequence[Drafted]) -> list[list[int]]:
    """Of the text, then of each token, those that follow it. Item 0 is the text's."""
    below: list[list[int]] = [[] for _ in range(len(drafted) + 1)]
    for i, parent in enumerate(parents(drafted)):
        below[parent + 1].append(i)
    return below


def path(drafted: Sequence[Drafted]) -> list[int]:
    """The accepted tokens, each of which follows the one before."""
    return [i for i, d in enumerate(drafted) if d.verdict == "accepted"]


def text_nodes(round: Round) -> list[int]:
    """The drafted tokens that stand in the running text: of a chain all, of a tree the path that stayed and the rejected where it ends."""
    if not branches(round):
        return list(range(len(round.drafted)))
    accepted = path(round.drafted)
    return [*accepted, *children(round.drafted)[accepted[-1] + 1 if accepted else 0]]


def depths(drafted: Sequence[Drafted]) -> list[int]:
    """How far each token reaches past the text, from 1."""
    depths: list[int] = []
    for parent in parents(drafted):
        depths.append(1 + (depths[parent] if parent >= 0 else 0))
    return depths


def path_by_depth(drafted: Sequence[Drafted]) -> list[Drafted]:
    """A token for each depth that the tree reaches: that of the path; where it ends the last that was turned down, if any was; then any.
    A chain is its own."""
    by_depth: dict[int, Drafted] = {}
    for depth, d in zip(depths(drafted), drafted, strict=True):
        current = by_depth.get(depth)
        if current is None or d.verdict == "accepted" or (d.verdict == "rejected" and current.verdict == "unexamined"):
            by_depth[depth] = d
    return [by_depth[depth] for depth in sorted(by_depth)]


Problem = tuple[str, str]


def shape_violations(r: Round, depth: int) -> Iterator[Problem]:
    """What makes the tree of a round none, or one that reaches past `depth`: the first field of each token."""
    siblings_of: dict[int, list[Drafted]] = {}
    depths: list[int] = []
    for i, d in enumerate(r.drafted):
        at = f"drafted[{i}]"
        if d.parent is None or d.depth is None or d.rank is None:
            yield f"{at}.parent", "parent, depth and rank must be there: the run drafts trees"
            return
        if not -1 <= d.parent < i:
            yield f"{at}.parent", f"must be from -1, the text, to {i - 1}: a token follows an earlier one"
            return
        depths.append(1 + (depths[d.parent] if d.parent >= 0 else 0))
        if d.depth != depths[-1] or d.depth > depth:
            yield f"{at}.depth", f"must be {depths[-1]}, one more than its parent's, and at most {depth}"
        siblings = siblings_of.setdefault(d.parent, [])
        if d.rank != len(siblings):
            order = "siblings have places of their own, in the order in which they are tested"
            yield f"{at}.rank", f"must be {len(siblings)}: {order}"
        if any(d.token.id == other.token.id for other in siblings):
            yield f"{at}.token", "must be another token than those of its siblings"
        siblings.append(d)


def walk_violations(r: Round, last: bool) -> Iterator[Problem]:
    """Where the verdicts are no walk from the text along accepted tokens, or what was emitted is not that path. `last`: it is the last
    round, which may end on an accepted token."""
    below, at, walk, rejected = children(r.drafted), -1, list[int](), False
    examined: set[int] = set()
    while here := below[at + 1]:
        verdicts = [r.drafted[i].verdict for i in here]
        tested = [v for v in verdicts if v != "unexamined"]
        examined |= set(here)
        accepted = tested[-1:] == ["accepted"]
        if (
            tested != verdicts[: len(tested)]
            or "accepted" in tested[:-1]
            or (tested and not accepted and len(tested) < len(here))
        ):
            where = f"drafted[{here[0]}].verdict"
            yield where, "siblings must be rejected up to one that is accepted, and unexamined after it, or all be rejected"
            return
        rejected = bool(tested) and not accepted
        if not accepted:
            break
        at = here[len(tested) - 1]
        walk.append(at)
    for i, d in enumerate(r.drafted):
        if i not in examined and d.verdict != "unexamined":
            yield f"drafted[{i}].verdict", "must be unexamined: the token before it was not accepted"
            return
    roles, stays = [e.role for e in r.emitted], ["accepted"] * len(walk)
    inside = last and bool(walk) and not rejected and roles == stays
    leaf = not below[at + 1]
    whole = [*stays, "plain" if not r.drafted else "corrected" if rejected else "bonus"]
    if not inside and (roles != whole or not (leaf or rejected)):
        yield "emitted", f"roles must be {', '.join(whole)}; only the last round may end on an accepted token"
    for i, (at, e) in enumerate(zip(walk, r.emitted, strict=False)):
        if r.drafted[at].token != e.token:
            yield f"emitted[{i}].token", "must be the token that was drafted and accepted"
