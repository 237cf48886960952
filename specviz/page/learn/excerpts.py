"""What each chapter of Learn is drawn from: a few rounds of recorded runs, chosen by a rule, never by number.

    excerpts(recorded.load)      # plain values, a fraction of the runs' size

A run may be recorded again from other models at any time. A chapter asks for what it has to show ("a round that keeps a token
and rejects one"), in the run that should have it first, then in the others.
"""

from collections.abc import Callable, Iterator
from statistics import median

from ...picture.chances import RULES
from ...picture.view import picture
from ...trace.header import Trace
from .busy import busy, passes

RUNS = ("creative", "rejected-first", "hot", "opening", "all-accepted", "predictable", "code", "poor-draft", "lookup")
BEFORE = 7  # tokens of text shown before a round
SINGLES = 14  # vanilla tokens in the first chapter
BARS = 6  # tokens of a distribution that a screen has room for
PLACE_BARS = 4  # beside the chances of every rule
BYTES = {"float32": 4, "float64": 8, "int8": 1}  # of a weight; 2 of any other type

Run = dict  # what view.picture gives


def excerpts(load: Callable[[str], Trace]) -> dict:
    """By chapter, in JSON's own types. A chapter that finds nothing in any run is None and says so on the page."""
    runs = {name: picture(load(name)) for name in RUNS}
    return {
        "alone": _alone(runs["opening"]),
        "guess": _scene(runs, _keeps_then_rejects, "opening"),
        "draft": _scene(runs, _all_kept, "opening", best=_spread),
        "verify": _scene(runs, _all_kept, "creative", best=_length),
        "accept": _tested(runs),
        "residual": _positions(runs),
        "rounds": _rounds(runs["creative"]),
        "whole": {"K": 2, "length": 3},  # of a language that the page makes up
        "speed": _speed(runs["creative"]),
        "ways": {"c": {name: costs(runs[name])["c"] for name in ("poor-draft", "lookup")}},
        "busy": {"measured": busy()},
        "engines": _engines(runs),
    }


def costs(run: Run) -> dict:
    """α, c and v as measured in a run (specviz/picture/account.py), None for what the run does not hold; `predicted`: the speedup by these
    and by the tokens a round that it gave; `one_ms`: the vanilla lane's median pass."""
    account, numbers = run["account"], run["lanes"]["speculative"]["numbers"]
    return {
        "alpha": numbers["alpha"],
        "K": run["header"]["config"]["K"],
        "c": account.get("c"),
        "v": account.get("v"),
        "tokens_per_round": numbers["tokens_per_round"],
        "predicted": account.get("predicted"),
        "speedup": run["comparison"]["speedup"],
        "one_ms": median(r["times"]["verify"] for r in run["lanes"]["vanilla"]["rounds"]),
    }


def _models(run: Run) -> dict:
    header = run["header"]

    def model(info: dict) -> dict:
        return {"name": info["name"], "bytes": weigh(info["parameters"], info["dtype"])}

    return {
        "target": model(header["target"]),
        "draft": model(header["draft"]),
        "device": header["machine"]["device"],
        "temperature": header["config"]["temperature"],
    }


def weigh(parameters: int, dtype: str) -> int:
    """Bytes of all weights."""
    return parameters * BYTES.get(dtype, 2)


def _prompt(lane: dict) -> list[dict]:
    return [{"text": t["shown"], "role": "prompt"} for t in lane["prompt"]]


def _alone(run: Run) -> dict:
    """The first tokens of a vanilla lane; `recorded`: what passes over blocks took somewhere, for a page that cannot measure."""
    lane = run["lanes"]["vanilla"]
    text = _prompt(lane)
    spans = [{"text": s["text"], "role": "plain"} for r in lane["rounds"][:SINGLES] for s in r["shown"]]
    return {**_models(run), "before": text[-BEFORE:], "tokens": spans, "recorded": passes()}


# ---- rounds that show something ----


def _verdicts(round_: dict) -> list[str]:
    return [d["verdict"] for d in round_["drafted"]]


def _sampled(run: Run) -> bool:
    config = run["header"]["config"]
    return not config["greedy"] and config["verifier"] == "rejection" and config["drafting"] == "sample"


def _all_kept(run: Run, round_: dict) -> bool:
    seen = all(d["position"] and d["position"]["q_entropy"] is not None for d in round_["drafted"])
    return _sampled(run) and len(round_["drafted"]) >= 3 and seen and _verdicts(round_) == ["accepted"] * len(round_["drafted"])


def _keeps_then_rejects(run: Run, round_: dict) -> bool:
    verdicts = _verdicts(round_)
    return _sampled(run) and round_["residual"] is not None and verdicts[0] == "accepted" and "unexamined" in verdicts


def _coin_decides(run: Run, round_: dict) -> bool:
    """A rejection after a token that was kept, both in sight, where p/q left the coin something to decide."""
    if not _keeps_then_rejects(run, round_):
        return False
    tested = [d for d in round_["drafted"] if d["verdict"] != "unexamined"]
    return all(d["position"] and d["u"] is not None for d in tested) and tested[-1]["ratio"] > 0.02


def _spread(round_: dict) -> float:
    """How much a draft had to choose from: the entropy of its most certain position."""
    return min(d["position"]["q_entropy"] for d in round_["drafted"])


def _length(round_: dict) -> int:
    return len(round_["drafted"])


def _found(runs: dict[str, Run], fits: Callable[[Run, dict], bool], first: str) -> Iterator[tuple[str, int]]:
    for name in (first, *(name for name in runs if name != first)):
        lane = runs[name]["lanes"]["speculative"]
        yield from ((name, i) for i, round_ in enumerate(lane["rounds"]) if round_["drafted"] and fits(runs[name], round_))


def _scene(
    runs: dict[str, Run], fits: Callable[[Run, dict], bool], first: str, best: Callable[[dict], float] | None = None
) -> dict | None:
    """The first round that fits, or the `best` of the run that has one: the round, the text before it, and its run's costs."""
    found = list(_found(runs, fits, first))
    if not found:
        return None
    name, i = found[0]
    if best:
        i = max((i for run, i in found if run == name), key=lambda i: best(runs[name]["lanes"]["speculative"]["rounds"][i]))
    run = runs[name]
    lane = run["lanes"]["speculative"]
    text = _prompt(lane)
    for round_ in lane["rounds"][:i]:
        text += [{"text": s["text"], "role": s["role"]} for s in round_["shown"] if s["emitted"] is not None]
    return {**_models(run), **costs(run), "run": name, "before": text[-BEFORE:], "round": _cut(lane["rounds"][i])}


def _tested(runs: dict[str, Run]) -> dict | None:
    """A round that a coin decides, and β at every position that was tested in its run: their mean is its α."""
    scene = _scene(runs, _coin_decides, "creative")
    if scene is None:
        return None
    rounds = runs[scene["run"]]["lanes"]["speculative"]["rounds"]
    tested = [d["position"] for r in rounds for d in r["drafted"] if d["verdict"] != "unexamined"]
    return {**scene, "betas": [round(at["beta"], 3) for at in tested if at and at["beta"] is not None]}


def _cut(round_: dict) -> dict:
    return {key: round_[key] for key in ("times", "drafted", "emitted")}


# ---- the law of the output ----


def _positions(runs: dict[str, Run]) -> list[dict]:
    """Three recorded positions of sampled runs: where draft and target differ most, where they nearly agree, and one between."""
    tested = [
        d
        for run in runs.values()
        if _sampled(run)
        for r in run["lanes"]["speculative"]["rounds"]
        for d in r["drafted"]
        if d["position"] and d["position"]["beta"] is not None and _readable(d["position"])
    ]
    if not tested:
        return []
    tested.sort(key=lambda d: d["position"]["beta"])
    apart = [d for d in tested if d["position"]["beta"] >= 0.2] or tested
    picked = [
        apart[0],
        min(tested, key=lambda d: abs(d["position"]["beta"] - 0.6)),
        min(tested, key=lambda d: abs(d["position"]["beta"] - 0.9)),
    ]
    return [law(d["position"]) for i, d in enumerate(picked) if d not in picked[:i]]


def _readable(position: dict) -> bool:
    """What is drawn holds most of both distributions: the rest is one bar, and should not be the longest."""
    return position["p_rest"] < 0.25 and position["q_rest"] < 0.25


def law(position: dict) -> dict:
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


# ---- what each rule keeps ----


def _engines(runs: dict[str, Run]) -> dict:
    """Of the first sampled run the positions at which rules differ most, and the mean of each rule over all that it tested."""
    run = next((run for run in runs.values() if _sampled(run) and run["rules"]), None)
    if run is None:
        return {**_models(runs["creative"]), "recorded": None}
    rounds = run["lanes"]["speculative"]["rounds"]
    tested = [d["position"] for r in rounds for d in r["drafted"] if d["verdict"] != "unexamined"]
    places = [_place(position) for position in tested if position and position["chances"]]
    means = {rule: run["rules"][rule] for rule in RULES}
    recorded = {"places": _apart(places), "means": means, "positions": run["rules"]["positions"]}
    return {**_models(run), "recorded": recorded}


def _place(position: dict) -> dict:
    entries = [{key: e[key] for key in ("token", "p", "q")} for e in position["entries"]]
    first_p, first_q = (max(entries, key=lambda e: e[key]) for key in ("p", "q"))
    shown = sorted(entries, key=lambda e: -max(e["p"], e["q"]))[:PLACE_BARS]
    return {"entries": shown, "chances": position["chances"], "equal": first_p is first_q}


def _apart(places: list[dict]) -> list[dict]:
    """Where the argmax leads most, where sampling leads most, and where draft and target prefer different tokens."""
    lead = [place["chances"]["argmax"] - place["chances"]["rejection"] for place in places]
    parted = [i for i, place in enumerate(places) if not place["equal"]]
    found = [max(range(len(places)), key=lead.__getitem__), min(range(len(places)), key=lead.__getitem__)]
    found += [max(parted, key=lambda i: places[i]["chances"]["rejection"])] if parted else []
    return [places[i] for i in dict.fromkeys(found)]


# ---- many rounds, many runs ----


def _rounds(run: Run) -> dict:
    """Every whole round of a run by what it gave: its roles in reading order, and what each cache holds of them after it."""
    whole = [[_cached(r, s) for s in r["shown"]] for r in _whole(run)]
    return {**_models(run), "K": run["header"]["config"]["K"], "rounds": whole}


def _whole(run: Run) -> list[dict]:
    """Rounds that drafted K and that no end of the text cut short."""
    K = run["header"]["config"]["K"]
    ends = ("corrected", "bonus")
    return [r for r in run["lanes"]["speculative"]["rounds"] if len(r["drafted"]) == K and r["shown"][-1]["role"] in ends]


def _cached(round_: dict, span: dict) -> dict:
    """A span, and by cache whether the round left it there: `held`, rolled `back`, or `none` if it was not fed in this round."""
    fed = round_["target_cache"]["before"] + 1  # the last token of the text goes first

    def state(cache: dict | None) -> str:
        if cache is None or span["drafted"] is None or fed + span["drafted"] >= cache["peak"]:
            return "none"
        return "held" if fed + span["drafted"] < cache["after"] else "back"

    shown = {"text": span["text"], "role": span["role"]}
    return {**shown, "target": state(round_["target_cache"]), "draft": state(round_["draft_cache"])}


def _speed(run: Run) -> dict:
    """The point on the map; `stayed`: of the whole rounds, the share in which the first i drafts stayed, for i from 1 to K."""
    whole = _whole(run)
    kept = [_verdicts(r).count("accepted") for r in whole]
    stayed = [sum(n >= i for n in kept) / len(kept) for i in range(1, run["header"]["config"]["K"] + 1)] if kept else []
    return {**_models(run), **costs(run), "stayed": stayed, "whole": len(whole)}
