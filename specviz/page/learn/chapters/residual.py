"""What replaces a rejected token keeps the target's distribution."""

from ..chapter import STORY, Chapter, Exercise, Question, Runs, is_sampled, token_before, without_distributions

BARS = 6  # tokens of a distribution that a screen has room for


def excerpt(runs: Runs) -> list[dict]:
    """Three recorded positions of sampled runs, each of a token that was rejected, with its round: where draft and target differ most, where
    they nearly agree, and one between."""
    tested = [
        {**parts(d["position"]), "round": without_distributions(r), "before": token_before(run, r)}
        for run in runs.values()
        if is_sampled(run)
        for r in run["lanes"]["speculative"]["rounds"]
        for d in r["drafted"]
        if d["verdict"] == "rejected" and d["position"] and d["position"]["beta"] is not None and _readable(d["position"])
    ]
    if not tested:
        return []
    tested.sort(key=lambda law: law["beta"])
    apart = [law for law in tested if law["beta"] >= 0.2] or tested
    laws = [apart[0], *(min(tested, key=lambda law: abs(law["beta"] - beta)) for beta in (0.6, 0.9))]
    return [law for i, law in enumerate(laws) if law not in laws[:i]]


def _readable(position: dict) -> bool:
    """What is drawn holds most of both distributions: the rest is one bar, and should not be the longest."""
    return position["p_rest"] < 0.25 and position["q_rest"] < 0.25


def parts(position: dict) -> dict:
    """A position by its largest tokens and one entry for all others, each with p, q, min(p, q) and max(p − q, 0).

    For the rest the shared part is what β leaves: the overlap is known over the whole vocabulary, token by token."""
    ranked = sorted(position["entries"], key=lambda e: -max(e["p"], e["q"]))
    entries = [{"token": e["token"], "p": e["p"], "q": e["q"], "shared": min(e["p"], e["q"])} for e in ranked[:BARS]]
    p_rest, q_rest = (max(0.0, 1 - sum(e[key] for e in entries)) for key in ("p", "q"))
    left = position["beta"] - sum(e["shared"] for e in entries)
    entries.append({"token": None, "p": p_rest, "q": q_rest, "shared": min(max(0.0, left), p_rest, q_rest)})
    for e in entries:
        e["excess"] = max(0.0, e["p"] - e["shared"])
    return {"entries": entries, "beta": sum(e["shared"] for e in entries)}


CHAPTER = Chapter(
    key="residual",
    short="Residual",
    title="The residual makes it exact",
    text=(
        "A rejected token is replaced at once. The replacement is drawn from the residual: max(p − q, 0), scaled to a sum of 1.",
        "So a token comes out in two ways: accepted, with probability min(p, q), or from the residual. Together they give exactly p.",
    ),
    question=Question(
        "Why not simply draw the replacement from p?",
        ("It would be slower", "The draft's favourites would come too often", "It makes no difference"),
        1,
        "The draft's favourites had their chance when they were drafted. With p = (0.4, 0.6) and q = (0.7, 0.3) the first token would come out with "
        "probability 0.52 instead of 0.40.",
    ),
    go="Watch at temperature 1 and look for ↻. Click it to see its residual.",
    settings={"prompt": STORY, "drafter": "small", "K": "3", "temperature": "1", "length": "96"},
    notes=(
        "The 200 draws are a simulation in the page, from recorded p and q, with a fixed seed. Every phone and laptop shows the same draws.",
        "Press again to draw more. The gap of the right rule closes. The gap of the wrong rule stays.",
        "Both rules get the same drafted tokens and the same u. Only the replacement differs.",
        "Published code has made these mistakes: it drew from p, or took a softmax over the residual. With the p and q of the exercise this "
        "gives 0.47 instead of 0.40, with those of the question 0.53.",
    ),
    sources=("leviathan", "chen", "here"),
    exercise=Exercise(
        (
            "p = (0.4, 0.3, 0.2, 0.1) and q = (0.7, 0.15, 0.1, 0.05). Calculate the residual.",
            "How often does the first token come out if replacements are drawn from p instead?",
        ),
        (
            "max(p − q, 0) = (0, 0.15, 0.1, 0.05). Its sum is 0.3, so the residual is (0, 1/2, 1/3, 1/6).",
            "min(0.4, 0.7) + (1 − 0.70)·0.4 = 0.52 instead of 0.40.",
        ),
        ("calculate a residual", "show that accepted and replaced tokens together follow p"),
    ),
    plan=(8, "Draw 200 with both rules, again and again, until the class sees which one is wrong. Then the first exercise."),
    excerpt=excerpt,
    words={
        "position_n": "β = {beta}",
        "part_shared": "accepted: min(p, q)",
        "part_residual": "from the residual: (1 − β) · residual",
        "part_p": "p, the target's distribution",
        "residual_1": "The result must follow p. The draft's q decides how p is cut into two parts.",
        "residual_2": "Accepted drafts: token x comes out this way with probability min(p(x), q(x)). All tokens together: β = {beta}.",
        "residual_3": "Rejections fill the gap. The residual is max(p − q, 0), scaled to a sum of 1. It is used with probability 1 − β = {left}.",
        "residual_4": "min(p, q) + max(p − q, 0) = p, for every token. The two parts end at the line.",
        "residual_wrong": "Drawn from p instead: min(p, q) + (1 − β)·p. {x} would come out with probability {wrong} instead of {p}. The thin bars miss the line.",
        "wrong_value": "p {p} · from p {wrong}",
        "draw": "Draw 200 times",
        "draw_more": "Draw 200 more",
        "draws_value": "p {p} · residual {right} · from p {wrong}",
        "part_wrong": "thin: replaced from p instead, wrong",
        "draws": "Simulation, seed {seed}: {n} draws, {accepted} accepted, {rejected} replaced. Largest distance from p: {gap} with the residual, {wrong} "
        "if replaced from p.",
        "draws_none": "Nothing is drawn yet. A simulation with seed {seed}, in this page.",
    },
)
