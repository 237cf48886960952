"""A block that is drafted in one compiled call: between its passes nothing returns to Python, whose own code would have to come from far
away each time, since weights have gone through the caches meanwhile."""

from .compiler import compiled
from .forward import norm, run
from .packed import embed
from .rows import best, drawn, law
from .team import meet


@compiled
def chain(feed, table, hidden, beside, beside_norm, w, held, s, one, rotation, dims, eps, start, until, taps, tapped, weight, head, y,
          known, temperature, argmax, u, q, ids, rank, team, here):  # fmt: skip
    """ids [k] after `feed` [n]: token i drawn with u[i] from q[i] [V], or the largest of its logits, the first `known` of y [1, ·]:
    `argmax`, and where u and q are empty, [0] and [0, V]. n + k − 1 positions join what is held. The rest as of forward.run; `s` has
    room for n rows, `one` for a single one.

    An EAGLE head takes features, `hidden` [n, width], then what left its own last pass, and `beside` them [n, width] the tokens' embeddings, by
    `beside_norm`. A model's own passes take neither: [0, ·] and [1, 0]."""
    for i in range(len(ids)):
        tokens, at = (ids[i - 1 : i], start + len(feed) + i - 1) if i else (feed, start)
        x, fed, others = one if i else s, tokens, beside
        if len(hidden):
            fed, others = tokens[:0], beside[: len(tokens)]
            if rank == 0:
                if i == 0:
                    s.x[:] = hidden
                elif i == 1:
                    one.x[0] = s.x[len(feed) - 1]
                embed(tokens, table, others)
                for m in range(len(tokens)):
                    norm(others[m], beside_norm, eps, others[m], 0)
            meet(here, team)
        run(fed, table, others, w, held, x, rotation, dims, eps, at, until, taps, tapped, weight, head, y, rank, team, here)
        if rank == 0:
            if len(u):
                law(y[0, :known], temperature, q[i])
            ids[i] = best(y[0], known) if argmax or not len(u) else drawn(q[i], u[i])
        meet(here, team)
