"""A trace becomes plain values that a screen can show, by the page's own modules, run by node: lanes that never began, tokens as what
they add to the text, the spans of a round, its table, the best tree. A file shows what the page was sent of its run; what another engine
does not tell is named, not guessed; and what Python's reader refuses is refused at the same place.
"""

import base64
import csv
import gzip
import io
import json
import re
import subprocess
from dataclasses import replace
from itertools import combinations, pairwise, product

import pytest

from specviz.config import ASSETS
from specviz.page.keep import recorded
from specviz.picture.replay import BROWSER, MARKUP, engine_facts, json_text, replay_data
from specviz.rules import SAVED
from specviz.site.data import contract
from specviz.trace.events import Round, Token
from specviz.trace.file import dumps, read

from ..fake_trace import fake_trace, reticent, rounds, tree_trace
from ..page_fixtures import SAVED_RUNS
from ..trace.test_grammar import CONTRADICTIONS, forgery
from ..view import call, csv_text, view


def test_a_lane_that_never_began_is_none_and_one_that_was_not_observed_is_drawn():
    picture = view(fake_trace(cancelled=0))
    assert picture["lanes"]["speculative"] is None and picture["comparison"] is None
    assert picture["lanes"]["vanilla"]["numbers"]["tokens"] == 60
    lane = view(fake_trace(observed=False))["lanes"]["speculative"]
    assert lane["numbers"]["alpha"] is None and lane["rounds"][0]["drafted"][0]["position"] is None


def test_a_table_that_nobody_knows_is_no_model():
    trace = fake_trace(drafter="bigram")
    odd = replace(trace.header, draft=replace(trace.header.draft, family="trigram"))
    assert view(replace(trace, header=odd))["header"]["draft"]["kind"] == "table"


@pytest.mark.parametrize("settings", [{"drafter": "lookup"}, {"confidence": 0.4}, {"adaptive": True}])
def test_what_may_stop_a_block_early_is_said(settings):
    assert view(fake_trace(**settings))["header"]["draft"]["fewer"] is True
    assert view(fake_trace())["header"]["draft"]["fewer"] is False


def test_half_a_character_is_shown_as_its_bytes_and_the_other_half_completes_it_in_a_prompt_too():
    lanes = [view(fake_trace(seed=s, max_new_tokens=200))["lanes"]["vanilla"] for s in range(4)]
    spans = [s for lane in lanes for r in lane["rounds"] for s in r["shown"] if s["kind"] != "text"]
    assert {s["text"] for s in spans} >= {"⟨C3⟩", "é"}
    trace = fake_trace()
    parts = [Token(1, "caf"), Token(2, "⟨C3⟩", True), Token(3, "⟨A9⟩", True), Token(4, "⟨E2 80⟩", True), Token(5, "⟨9C⟩", True)]
    picture = view(replace(trace, vanilla=(replace(trace.vanilla[0], prompt=tuple(parts)), *trace.vanilla[1:])))
    prompt = picture["lanes"]["vanilla"]["prompt"]
    assert [t["shown"] for t in prompt] == ["caf", "⟨C3⟩", "é", "⟨E2 80⟩", "“"]
    assert [t["kind"] for t in prompt] == ["text", "bytes", "completes", "bytes", "completes"]


def test_a_token_of_ten_thousand_spaces_is_cut_and_says_so_and_so_is_an_engine_with_a_name_without_end():
    picture = view(fake_trace(hostile=True, max_new_tokens=300))
    longest = max((s["text"] for r in picture["lanes"]["vanilla"]["rounds"] for s in r["shown"]), key=len)
    assert len(longest) < 150 and "10,000 characters" in longest
    header = replace(BARE.header, engine="x" * 1000)
    assert len(json_text(view(replace(BARE, header=header))["header"]["engine"])) < 60


def test_an_infinite_ratio_does_not_reach_the_page():
    trace = fake_trace()
    first = rounds(trace.speculative)[0]
    odd = replace(first, drafted=(replace(first.drafted[0], ratio=float("inf")), *first.drafted[1:]))
    picture = view(replace(trace, speculative=(trace.speculative[0], odd, trace.speculative[-1])))
    assert picture["lanes"]["speculative"]["rounds"][0]["drafted"][0]["ratio"] is None
    json_text(picture)


def test_each_sentence_told_of_a_position_is_one_of_ours_and_is_filled_in_by_its_numbers():
    for how in ({}, {"drafting": "argmax"}, {"temperature": 0.0}):
        lane = view(fake_trace(**how))["lanes"]["speculative"]
        placed = [token["position"] for r in lane["rounds"] for token in r["drafted"] + r["emitted"]]
        sentences = [sentence for position in placed if position for sentence in position["told"]]
        assert sentences and all(set(re.findall(r"{(\w+)}", BROWSER[name])) == set(numbers) for name, numbers in sentences)


TRACE = fake_trace(K=3)
BARE = reticent(TRACE)


def test_each_thing_that_another_engine_leaves_out_has_a_name_on_the_page_and_ours_leaves_nothing_out():
    left_out = view(BARE)["header"]["left_out"]
    assert left_out == ["p", "q", "u", "chance", "positions", "times", "cache", "passes", "prefill"]
    assert all(f"left_out_{key}" in BROWSER for key in left_out)
    header = view(TRACE)["header"]
    assert header["left_out"] == [] and header["engine"] == "specviz"
    assert not {"u", "chance"} & set(view(reticent(fake_trace(K=3, temperature=0)))["header"]["left_out"])


def test_what_the_prefill_wrote_counts_as_text_and_in_no_rate():
    whole, bare = (view(trace)["lanes"]["speculative"]["numbers"] for trace in (TRACE, BARE))
    assert bare["tokens"] == whole["tokens"] + 1
    for name in ("tokens_per_second", "tokens_per_forward", "tokens_per_round", "drafted_per_round", "undrafted", "by_position"):
        assert bare[name] == whole[name], name


def test_no_number_stands_for_what_was_not_told():
    picture = view(BARE)
    numbers = picture["lanes"]["speculative"]["numbers"]
    assert [numbers[name] for name in ("prefill_ms", "draft_forwards", "alpha", "tokens_per_second_end_to_end")] == [None] * 4
    assert numbers["split"] | {"rest": None} == dict.fromkeys(("draft", "verify", "decide", "rest"))
    assert picture["account"] == {"missing": "untold"} and "missing_untold" in BROWSER
    assert picture["comparison"]["speedup"] == view(TRACE)["comparison"]["speedup"]
    row = csv_text(BARE).splitlines()[-1].split(",")
    assert row[3:6] == ["", "", ""] and "None" not in csv_text(BARE)


def test_a_round_begins_where_the_one_before_ended_and_each_phase_lasts_as_long_as_it_was_measured():
    trace, end = fake_trace(), 0.0
    lane = view(trace)["lanes"]["speculative"]
    marks = ("start", "drafted_at", "verified_at", "decided_at", "end")
    for r, span in zip(rounds(trace.speculative), lane["rounds"], strict=True):
        spans = [span[b] - span[a] for a, b in pairwise(marks)]
        assert spans == pytest.approx([r.times.draft, r.times.verify, r.times.decide, r.times.rest], abs=3e-4)
        assert span["start"] == pytest.approx(end)
        end = span["end"]
    assert lane["duration"] == pytest.approx(end) and lane["numbers"]["observe_ms"] > 0  # which is not on the clock


@pytest.mark.parametrize("settings", [{}, {"short": True, "K": 4}, {"ends_inside": True}, {"temperature": 0.0}], ids=str)
def test_phases_follow_each_other_and_what_happens_in_one_stays_inside_it(settings):
    for r in view(fake_trace(**settings))["lanes"]["speculative"]["rounds"]:
        assert r["start"] <= r["drafted_at"] < r["verified_at"] < r["decided_at"] < r["end"]
        drafted = [s for s in r["shown"] if s["drafted"] is not None]
        for moments in ([s["at"] for s in drafted], [s["decided"] for s in drafted if s["role"] != "unexamined"]):
            assert moments == sorted(set(moments))  # one after the other
        assert all(r["start"] < s["at"] < r["drafted_at"] for s in drafted)
        assert all(r["verified_at"] < s["decided"] < r["decided_at"] for s in drafted)
        assert all(s["at"] == s["decided"] == r["decided_at"] for s in r["shown"] if s["drafted"] is None)


def test_moments_keep_their_order_in_a_run_of_hours():
    trace = fake_trace()
    slow = [replace(r, times=replace(r.times, rest=400_000.0)) if i % 2 else r for i, r in enumerate(rounds(trace.speculative))]
    picture = view(replace(trace, speculative=(trace.speculative[0], *slow, trace.speculative[-1])))
    for r in picture["lanes"]["speculative"]["rounds"]:
        decided = [s["decided"] for s in r["shown"] if s["role"] in ("accepted", "rejected")]
        assert decided == sorted(set(decided))


def test_the_kept_spans_of_a_lane_are_its_text():
    trace = fake_trace()
    for name in ("vanilla", "speculative"):
        lane = view(trace)["lanes"][name]
        spans = [s for r in lane["rounds"] for s in r["shown"] if s["emitted"] is not None and s["kind"] != "bytes"]
        assert "".join(s["text"] for s in spans) == getattr(trace, name)[-1].text


def test_a_rejected_token_stays_on_screen_before_what_replaced_it_and_what_was_never_examined_falls_with_it():
    r = next(r for r in view(fake_trace())["lanes"]["speculative"]["rounds"] if r["residual"])
    roles = [s["role"] for s in r["shown"]]
    assert "rejected" in roles and roles[-1] == "corrected"
    for r in view(fake_trace())["lanes"]["speculative"]["rounds"]:
        rejected = [s["decided"] for s in r["shown"] if s["role"] == "rejected"]
        assert all([s["decided"]] == rejected for s in r["shown"] if s["role"] == "unexamined")


def test_a_round_without_a_draft_in_the_middle_of_a_run_is_one_plain_token():
    lane = view(fake_trace(short=True, K=4))["lanes"]["speculative"]
    sizes = [len(r["drafted"]) for r in lane["rounds"]]
    assert sizes[:8] == [4, 0, 1, 2, 4, 0, 1, 2]
    for r in lane["rounds"]:
        if not r["drafted"]:
            assert [s["role"] for s in r["shown"]] == ["plain"] and r["drafted_at"] == r["start"]
    assert lane["numbers"]["drafted_per_round"] == pytest.approx(sum(sizes) / len(sizes), rel=1e-5)


def test_draft_tokens_after_the_one_that_ended_the_run_are_shown_unexamined():
    last = view(fake_trace(ends_inside=True))["lanes"]["speculative"]["rounds"][-1]
    assert [s["role"] for s in last["shown"]] == ["accepted"] + ["unexamined"] * (len(last["drafted"]) - 1)
    assert [s["emitted"] for s in last["shown"]][:2] == [0, None]


def test_a_block_of_one_pass_is_drafted_at_once_a_chain_one_after_the_other_and_a_tree_level_by_level():
    trace = fake_trace(K=4, drafter="eagle")
    passes = iter(range(1, 99))
    block = tuple(replace(e, draft_forwards=next(passes)) if isinstance(e, Round) else e for e in trace.speculative)
    for events, moments in ((trace.speculative, 4), (block, 1)):
        first = view(replace(trace, speculative=events))["lanes"]["speculative"]["rounds"][0]
        assert len({s["at"] for s in first["shown"] if s["drafted"] is not None}) == moments
    tree = view(tree_trace("3-2-1", K=3))["lanes"]["speculative"]["rounds"][0]["drafted"]
    assert len({d["at"] for d in tree}) == 3 and all(d["at"] > tree[d["parent"]]["at"] for d in tree if d["parent"] >= 0)


def rows(trace):
    return list(csv.DictReader(io.StringIO(csv_text(trace).removeprefix("\ufeff"))))


def test_there_is_a_row_for_every_round_of_both_lanes_and_they_add_up():
    trace = fake_trace()
    table = rows(trace)
    for lane in ("vanilla", "speculative"):
        mine, end = [r for r in table if r["lane"] == lane], getattr(trace, lane)[-1]
        assert [int(r["round"]) for r in mine] == list(range(1, end.rounds + 1))
        assert sum(int(r["drafted"]) for r in mine) == end.drafted
        assert sum(int(r["accepted"]) for r in mine) == end.accepted
        assert sum(int(r["emitted"]) for r in mine) == end.tokens
        assert "".join(r["emitted_text"].removeprefix("'") for r in mine) == end.text
        parts = ("draft_ms", "verify_ms", "decide_ms", "rest_ms")
        assert sum(float(r[part]) for r in mine for part in parts) == pytest.approx(end.decode_ms, abs=0.1)
    assert csv_text(trace).startswith("\ufefflane,round,")


def test_of_a_disturbed_run_there_are_counts_and_no_times_and_of_a_drafter_without_a_cache_no_positions():
    trace = fake_trace()
    last = trace.speculative[-1]
    busy = replace(trace, speculative=(*trace.speculative[:-1], replace(last, processor_ms=0.6 * last.decode_ms)))
    (quiet, *_), (masked, *_) = rows(trace), rows(busy)
    times = {name for name in quiet if name.endswith("_ms")}
    assert len(times) == 5 and {masked[name] for name in times} == {""} != {quiet[name] for name in times}
    assert (quiet["disturbed"], masked["disturbed"]) == ("no", "yes")
    others = set(quiet) - times - {"disturbed"}
    assert {name: masked[name] for name in others} == {name: quiet[name] for name in others}
    assert {r["draft_cache_peak"] for r in rows(fake_trace(drafter="lookup"))} == {""}


OPENINGS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"]
INSIDE = ["a;=1", "a; =1", "a;;-1", "a\t=1", "a\n+1", "a\r\n@b", ";＝1"]


def rows_of(text):
    """The table of a trace whose first round wrote this text, as a reader of commas sees it."""
    trace = fake_trace()
    prefill, first, *rest = trace.vanilla
    first = replace(first, emitted=tuple(replace(e, piece=text) for e in first.emitted))
    return rows(replace(trace, vanilla=(prefill, first, *rest)))


@pytest.mark.parametrize("text", [*OPENINGS, *INSIDE])
def test_no_cell_begins_like_a_formula_whichever_mark_ends_cells(text):
    cell = rows_of(text)[0]["emitted_text"]
    assert cell.replace("'", "") == text and cell.startswith("'") == (text in OPENINGS)
    parts = [part.lstrip(" ") for end in ",;\t\n\r" for part in cell.split(end)]
    assert not [part for part in parts if part.startswith(("=", "+", "-", "@", "＝"))]


def test_quotes_commas_and_line_ends_stay_inside_their_cell_and_numbers_stay_numbers():
    text, trace = ' a "b", c;\r\nd', fake_trace()
    table = rows_of(text)
    assert table[0]["emitted_text"] == text and len(table) == len(rounds(trace.vanilla)) + len(rounds(trace.speculative))
    assert call("player/rounds.js", "csv", [[-1.5, 0, "plain", None]]) == "-1.5,0,plain,\r\n"


@pytest.mark.parametrize(
    ("settings", "values"),
    [
        ({}, ("sample", "rejection", "yes")),
        ({"drafting": "argmax", "verifier": "block"}, ("argmax", "block", "yes")),
        ({"verifier": "typical"}, ("sample", "typical", "no")),
        ({"verifier": "threshold"}, ("sample", "threshold", "no")),
        ({"verifier": "typical", "temperature": 0}, ("sample", "equality", "yes")),
    ],
    ids=str,
)
def test_a_round_says_its_rule_and_where_that_is_not_exact(settings, values):
    table = rows(fake_trace(**settings))
    assert {(r["drafting"], r["verifier"], r["exact"]) for r in table if int(r["drafted"])} == {values}
    assert {(r["verifier"], r["exact"]) for r in table if r["lane"] == "vanilla"} == {("", "yes")}


SHARES = (
    [[0.6, 0.3], [0.5, 0.2], [0.4]],
    [[0.4, 0.35, 0.2], [0.9, 0.05]],
    [[0.2, 0.2], [0.2, 0.2]],
    [[1.0], [1.0, 0.0], [0.5, 0.5]],
)


def places(share):
    """Every place there is: the ranks on its path."""
    return [path for depth in range(1, len(share) + 1) for path in product(*(range(len(ranks)) for ranks in share[:depth]))]


def trees(share, n):
    """Every tree of at most n nodes: a place stands after its parent, and after the siblings that are tested before it."""
    for count in range(n + 1):
        for nodes in combinations(places(share), count):
            some = set(nodes)
            if all(
                (len(path) == 1 or path[:-1] in some) and (path[-1] == 0 or (*path[:-1], path[-1] - 1) in some) for path in some
            ):
                yield some


def expected_nodes(tree, share, at=()):
    """Tokens a round on average, by every walk that there is: one of the children is kept, or none."""
    if len(at) == len(share):
        return 1.0
    below = [rank for rank in range(len(share[len(at)])) if (*at, rank) in tree]
    chances = [share[len(at)][rank] for rank in below]
    kept = (chance * (1 + expected_nodes(tree, share, (*at, rank))) for chance, rank in zip(chances, below, strict=True))
    return 1 - sum(chances) + sum(kept)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("n", range(6))
def test_no_tree_of_so_many_tokens_promises_more_than_the_best_one(share, n):
    most = max(expected_nodes(tree, share) for tree in trees(share, n))
    assert call("player/account.js", "bestShape", share, n)["tokens"] == pytest.approx(most, abs=1e-12)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(("c", "more"), [(0.0, 0.0), (0.1, 0.05), (0.3, 0.0), (0.02, 0.3), (2.0, 0.5)])
def test_no_tree_within_the_budget_is_faster_than_the_fastest_one(share, c, more):
    v = [1 + more * k for k in range(6)]
    speeds = [expected_nodes(tree, share) / (max(map(len, tree), default=0) * c + v[len(tree)]) for tree in trees(share, 5)]
    assert fastest(share, 5, c, v)["speed"] == pytest.approx(max(speeds), abs=1e-12)
    chain = fastest([ranks[:1] for ranks in share], 5, c, v)
    assert chain["guesses"] == chain["passes"] and chain["speed"] <= max(speeds) + 1e-12


def fastest(*options):
    return call("player/account.js", "fastestShape", *options)


def test_a_run_of_trees_says_what_tree_and_what_chain_would_have_been_fastest():
    trace = tree_trace("3-2-1-1", tokens=60)
    shape = view(trace)["account"]
    assert shape["missing"] == "tree" and shape["block"] == max(len(r.drafted) for r in rounds(trace.speculative))
    assert shape["predicted"] == pytest.approx(shape["tokens"] / shape["cost"]["all"] / shape["of_predicted"], rel=1e-4)
    tree, chain = shape["best_tree"], shape["best_chain"]
    assert tree["speedup"] >= chain["speedup"] >= 1 and chain["nodes"] == chain["levels"] <= 4
    assert tree["nodes"] <= shape["block"]


CODE = """
import { readFileSync } from "node:fs";
import { readTrace } from "./trace/read.js";
import { pictureOf } from "./player/picture.js";
const { files, contract, about } = JSON.parse(readFileSync(0, "utf-8"));
const found = [];
for (const file of files) {
  try {
    found.push({ picture: pictureOf(await readTrace(Uint8Array.from(Buffer.from(file, "base64")), contract), about) });
  } catch (error) {
    found.push({ error: `${error.constructor.name}: ${error.message}` });
  }
}
console.log(JSON.stringify(found));
"""


def views(*files: bytes) -> list[dict]:
    request = {"files": [base64.b64encode(file).decode() for file in files], "contract": contract(), "about": engine_facts()}
    command = ["node", "--input-type=module", "-e", CODE]
    run = subprocess.run(command, input=json_text(request), capture_output=True, text=True, cwd=ASSETS, encoding="utf-8")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_the_file_of_every_recorded_run_shows_what_the_page_is_sent():
    files = [gzip.decompress((ASSETS / "traces" / f"{name}.jsonl.gz").read_bytes()) for name in recorded.names()]
    for name, answer in zip(recorded.names(), views(*files), strict=True):
        assert answer == {"picture": view(recorded.load(name))}, name


RUNS = [
    fake_trace(),
    fake_trace(temperature=0, K=5),
    fake_trace(K=0),
    fake_trace(cancelled=0),
    fake_trace(cancelled=2),
    fake_trace(observed=False),
    fake_trace(verifier="block", K=4, seed=8),
    fake_trace(verifier="typical"),
    fake_trace(drafting="argmax"),
    fake_trace(drafter="lookup", short=True),
    fake_trace(drafter="eagle", hostile=True, ends_inside=True),
    reticent(fake_trace(seed=5)),
    tree_trace("3-2-1-1", K=4),
    tree_trace("2-2", K=3, temperature=0),
    *(read(SAVED_RUNS / f"{name}.jsonl") for name in SAVED),
]


def test_what_pythons_reader_refuses_is_refused_at_the_same_place():
    files = [dumps(forgery(trace, change)) for trace, change, _ in CONTRADICTIONS]
    for (*_, problem), answer in zip(CONTRADICTIONS, views(*files), strict=True):
        field = re.escape(problem.split(": ")[0])
        assert re.match(rf"TraceError: line \d+, {field}: .*[^\n]$", answer.get("error", "")), (problem, answer)


def test_a_file_with_whatever_may_be_in_a_trace_shows_what_the_page_is_sent():
    for i, (trace, answer) in enumerate(zip(RUNS, views(*map(dumps, RUNS)), strict=True)):
        assert answer == {"picture": view(trace)}, i


KINDS = [
    {"K": 4},
    {"temperature": 0.0},
    {"verifier": "match"},
    {"observed": False},
    {"hostile": True},
    {"cancelled": 0},
    {"K": 0},
]


@pytest.mark.parametrize("name", ["opening", "question", "tree"])
def test_a_run_is_sent_in_less_than_half_of_its_file(name):
    trace = recorded.load(name)
    assert 2 * len(json_text(replay_data(trace)).encode()) < len(dumps(trace))


def test_every_token_is_sent_once():
    tokens = replay_data(fake_trace(seed=7))["tokens"]
    assert len(tokens) == len(set(tokens))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_what_is_sent_is_json_without_markup_and_reads_back_the_same(kind):
    data = replay_data(fake_trace(**kind))
    text = json_text(data)
    assert not MARKUP.search(text) and json.loads(text) == json.loads(json.dumps(data))


def test_a_text_of_angle_brackets_grows_by_nothing_and_no_tag_comment_or_end_of_a_script_is_left_in_it():
    assert len(json_text("<" * 1000)) == 1002 and "<" not in json_text("<b></b><!-- <?x ?> <SCRIPT>")
