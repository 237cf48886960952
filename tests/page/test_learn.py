"""The words of Learn, what its pictures are drawn from, and what is printed. No browser needed.

After a change of the table of slow servers: python -m tests.page.test_learn writes it again.
"""

import gzip
import json
import re
from dataclasses import replace
from fractions import Fraction
from html import escape
from math import exp
from pathlib import Path

import pytest

from scripts.costs import main as costs_of_the_pair
from scripts.costs import slug
from scripts.excerpts import all_excerpts
from specviz.acceptance import expected_speedup, expected_tokens
from specviz.config import ASSETS
from specviz.page.classroom.rooms import POLL
from specviz.page.keep import recorded
from specviz.page.learn.chapter import RUNS, Chapter, Question
from specviz.page.learn.chapters import CHAPTERS as LESSONS
from specviz.page.learn.chapters.alone import passes
from specviz.page.learn.chapters.busy import busy
from specviz.page.learn.chapters.residual import parts
from specviz.page.learn.chapters.rounds import state_cost
from specviz.page.learn.lesson import EXCERPTS, RECORDED, excerpts, for_browser, homework, stops
from specviz.page.learn.pack import TASKS, facts, pack, sheet
from specviz.page.learn.tab import Lesson, chapter_link
from specviz.picture.replay import MARKUP, json_text
from specviz.trace.events import Trace
from specviz.words import chapter_pictures, chapters, learn

from ..fake_trace import fake_trace
from ..view import view

CHAPTERS = {chapter.key: chapter for chapter in LESSONS}
each = pytest.mark.parametrize("chapter", LESSONS, ids=lambda chapter: chapter.key)


class Bundled:
    """What the app's own engine offers, without loading it."""

    def models(self):
        return ["fable"]

    def chats(self, models):
        return False

    def drafters(self, models=None):
        from specviz.local import DRAFTERS

        return list(DRAFTERS)


def everything(chapter: Chapter) -> str:
    question = chapter.question
    choices = question.choices if isinstance(question, Question) else ()
    return " ".join([*chapter.text, question.ask, *choices, question.why, *chapter.notes])


@each
def test_what_a_chapter_tries_in_watch_is_there_and_within_bounds(chapter):
    link = chapter_link(chapter, Bundled())
    assert link.problems == ()
    assert chapter.settings.items() <= {key: str(value).removesuffix(".0") for key, value in link.settings.items()}.items()
    assert {"models", "top_p", "top_k", "seed", "stop", "verifier", "confidence"} <= link.settings.keys()


P, Q = (0.4, 0.3, 0.2, 0.1), (0.7, 0.15, 0.1, 0.05)
EXAMPLES = (P, Q), ((0.9, 0.05, 0.05), (0.4, 0.3, 0.3))
EXCESS = [max(p - q, 0) for p, q in zip(P, Q, strict=True)]
SOFT = [exp(each) for each in EXCESS]


def speedup(alpha: float, K: int, c: float) -> float:
    return expected_speedup(expected_tokens(alpha, K), K, c)


def first_token_chance(weights) -> float:
    """The chance of the first token where these replace the residual."""
    return min(P[0], Q[0]) + sum(EXCESS) * weights[0] / sum(weights)


CALCULATED = [  # numbers of a chapter or of its key
    ("alone", f"16 ms: {1000 / (8e9 * 2 / 1e12 * 1000)} tokens"),
    ("draft", f"8 × 0.12 = {8 * 0.12:.2f}"),
    ("accept", f"Their average, {(1 + 0.5 + 0.6) / 3:.1f}."),
    ("residual", f"({', '.join(str(Fraction(each / sum(EXCESS)).limit_denominator(9)) for each in EXCESS)})"),
    ("residual", f"{first_token_chance(P):.2f} instead of 0.40"),
    ("residual", f"{first_token_chance(SOFT):.2f} instead of 0.40"),
    *(("engines", f"{sum(map(min, p, q)):.2f}") for p, q in EXAMPLES),
    *(("engines", f"{sum(a * b for a, b in zip(p, q, strict=True)):.2f}") for p, q in EXAMPLES),
    *(("engines", f"{max(p):.2f}") for p, _ in EXAMPLES),  # at the draft's largest, as at temperature 0
    ("speed", f"= {expected_tokens(0.8, 4):.2f} tokens"),
    ("speed", f"= {speedup(0.8, 4, 0.1):.2f}×"),
    ("speed", f"= {expected_speedup(3, 4, 0.1):.2f}×"),
    ("speed", f"{speedup(0.8, 5, 0.04):.0f}× needs, for example, α = 0.8, c = 0.04, v = 1 and K = 5"),
    ("speed", f"With c = 0.2 it is {speedup(0.8, 5, 0.2):.1f}×"),
    ("ways", f"{max(speedup(0.2, K, 0) for K in range(17)):.2f}× by formula, if c = 0"),  # Leviathan 2022 §4.2: no timing
]


@pytest.mark.parametrize(("key", "phrase"), CALCULATED)
def test_the_numbers_of_a_chapter_and_of_its_key_can_be_worked_out(key, phrase):
    chapter = CHAPTERS[key]
    assert phrase in " ".join([everything(chapter), *chapter.exercise.key, repr(chapter.tables and chapter.tables())])


def test_what_the_chapter_on_drafters_tries_is_a_text_on_which_lookup_shines():
    """Its prompt is that of the recorded run, most of whose rounds copy."""
    settings, run = CHAPTERS["ways"].settings, view(recorded.load("lookup"))
    assert (settings["prompt"], settings["drafter"]) == (run["header"]["prompt"], "lookup")
    rounds = run["lanes"]["speculative"]["rounds"]
    assert run["lanes"]["speculative"]["numbers"]["tokens_per_round"] > 3
    assert sum(not r["drafted"] for r in rounds) < len(rounds) / 4


def test_where_rounds_start_is_what_was_recorded_at_each_k():
    """Position 1 falls with K, and after a rejection it does not: the key's “about equally”."""
    rows = CHAPTERS["speed"].tables()["by_k"]["rows"]
    assert [row["K"] for row in rows] == list(range(1, 9)) == [len(row["accepted"]) for row in rows]
    first, last = rows[0], rows[-1]
    key = CHAPTERS["speed"].exercise.key[-1]
    assert f"at K = 8, {100 * last['after']:.0f} of 100 rounds" in key and f"at K = 1 only {100 * first['after']:.0f}." in key
    apart = [row["rejected"] for row in rows]
    assert first["accepted"][0] - last["accepted"][0] > 2 * (max(apart) - min(apart))
    assert min(row["whole"] for row in rows) > max(apart) and last["accepted"][-1] > first["accepted"][0]


def test_what_a_state_costs_is_counted_in_passes_over_one_token():
    """A pass takes 10 ms and a copy 1. After a rejection three tokens are read again, in 10."""

    def lane(verify: float, rest: float, replay: float, replayed: int, tokens: int) -> dict:
        times = {"draft": None, "verify": verify, "decide": 0, "rest": rest, "replay": replay}
        return {"rounds": [{"times": times, "target_cache": {"replayed": replayed}, "emitted": [None] * tokens}] * 4}

    lanes = {"vanilla": lane(11, 0, 1, 0, 1), "speculative": lane(11, 10, 11, 3, 3)}
    cost = state_cost({"lanes": lanes, "comparison": {"speedup": 11 / 7}})
    assert cost["copy"] == pytest.approx(0.1) and cost["rejected"] == pytest.approx(1.1)
    assert cost["again"] == [{"n": 3, "passes": pytest.approx(1.1), "rounds": 4}]
    assert cost["cut"] == pytest.approx(3) and cost["speedup"] == 11 / 7


def measured(folder: Path, **more) -> Path:
    """Passes whose costs are easy: a check of n tokens costs 1 + (n − 1)·B/10 one-token passes, a draft step a tenth of one."""
    batches, blocks = [1, 5, 20], list(range(1, 17))
    target = [[10 * B * (1 + (n - 1) * B / 10) for n in blocks] for B in batches]
    draft = [[row[0] / 10] * len(blocks) for row in target]
    both = [
        {"model": name, "dtype": "float32", "context": 128, "batches": batches, "blocks": blocks, "ms": ms}
        for name, ms in (("big", target), ("small", draft))
    ]
    machine = {"device": "Some device", "torch": "2", "date": "2026-11-21", "unit": "ms", "curves": both} | more
    (folder / "some-device.json").write_text(json.dumps(machine))
    return folder


def test_what_drafting_gains_in_a_batch_is_the_formula_with_that_batchs_times(tmp_path):
    [machine] = busy(measured(tmp_path))
    assert [machine[key] for key in ("device", "target", "draft", "batches")] == ["Some device", "big", "small", [1, 5, 20]]
    assert machine["v"] == pytest.approx([1 + 4 * B / 10 for B in (1, 5, 20)])
    for row in machine["rows"]:
        for B, best in zip((1, 5, 20), row["best"], strict=True):
            speedups = {K: expected_speedup(expected_tokens(row["alpha"], K), K, 0.1, 1 + K * B / 10) for K in range(1, 16)}
            assert best["speedup"] == pytest.approx(max(speedups.values())) == pytest.approx(speedups[best["K"]])


def test_the_row_that_is_told_is_the_best_draft_that_a_full_machine_makes_slower(tmp_path):
    """So the last thing said is what the chapter's answer says: no arithmetic is idle."""
    [machine] = busy(measured(tmp_path))
    slower = [row["alpha"] for row in machine["rows"] if row["best"][-1]["speedup"] < 1]
    assert machine["rows"][machine["spoken"]]["alpha"] == max(slower)
    assert machine["alone"] == pytest.approx([100.0] * 3)  # ten milliseconds a text, whatever the batch


def test_measurements_that_leave_a_size_of_block_out_are_refused_and_without_any_there_is_no_picture(tmp_path):
    [file] = measured(tmp_path).glob("*.json")
    machine = json.loads(file.read_text())
    machine["curves"][0]["blocks"].remove(3)
    file.write_text(json.dumps(machine))
    with pytest.raises(ValueError, match=r"some-device\.json: .*every size from 1 on"):
        busy(tmp_path)
    file.unlink()
    assert busy(tmp_path) == busy(tmp_path / "missing") == [] and passes(tmp_path) == []


def test_a_page_that_cannot_measure_has_passes_that_were_recorded(tmp_path):
    [machine] = passes(measured(tmp_path))
    assert (machine["device"], machine["target"], machine["context"]) == ("Some device", "big", 128)
    assert machine["ms"]["8"] / machine["ms"]["1"] == pytest.approx(1.7)
    assert all({"1", "2", "4", "8", "16"} <= set(one["ms"]) for one in passes())  # what chapter 2 draws


def test_curves_are_measured_from_the_bundled_pair_as_the_page_reads_them(tmp_path):
    costs_of_the_pair(tmp_path, context=8, repeats=1, most=2)
    [machine] = busy(tmp_path)
    assert (machine["target"], machine["draft"], machine["context"], machine["batches"]) == ("fable", "fable-small", 8, [1, 2])
    assert slug("NVIDIA H200 (80 GB)") == "nvidia-h200-80-gb"


def test_the_notes_on_the_h100_say_what_its_passes_give():
    [card] = [one for one in busy() if "H100" in one["device"]]
    best = dict(zip(card["batches"], card["rows"][0]["best"], strict=True))
    sentence = (
        f"α = {card['rows'][0]['alpha']} gives {best[1]['speedup']:.1f}× for one text and {best[64]['speedup']:.1f}× for 64."
    )
    assert sentence in " ".join(CHAPTERS["busy"].notes) and card["context"] == 1024


def views(trace: Trace) -> dict:
    return dict.fromkeys(RECORDED, view(trace))


def test_what_was_made_of_the_recorded_runs_is_not_old():
    assert all_excerpts() == json.loads(gzip.decompress(EXCERPTS.read_bytes())), "python -m scripts.excerpts"


@pytest.fixture(scope="module")
def bundled():
    return excerpts()


def test_the_recorded_runs_have_something_to_show_in_every_chapter_and_the_tab_is_sent_little(bundled):
    assert set(bundled) == set(CHAPTERS) and all(bundled.values())
    assert len(bundled["residual"]) == 3 and len(json_text(bundled).encode()) < 400_000


def test_in_the_answer_of_the_chapter_on_drafting_easy_guesses_are_accepted_more_often_than_hard_ones(bundled):
    """As its sentences say; they need a run above temperature 0, where p has an entropy."""
    answer = bundled["draft"]["answer"]
    tested = [d for round_ in answer["rounds"] for d in round_["drafted"] if d["position"]]
    easy, hard = (
        [d["verdict"] == "accepted" for d in tested if (d["position"]["p_entropy"] < bound) is below]
        for bound, below in ((0.1, True), (1, False))
    )
    assert len(easy) > len(hard) > 0 and sum(easy) / len(easy) > 0.5 > sum(hard) / len(hard)
    assert answer["temperature"] > 0 and "square root of 7" in answer["asked"]


def verdicts(scene: dict) -> list[str]:
    return [d["verdict"] for d in scene["round"]["drafted"]]


def test_each_chapter_shows_the_round_that_its_words_speak_of(bundled):
    for key in ("draft", "verify"):
        assert set(verdicts(bundled[key])) == {"accepted"}
        assert bundled[key]["round"]["emitted"][-1]["role"] == "bonus"
    for key in ("guess", "accept"):
        assert verdicts(bundled[key])[0] == "accepted" and {"rejected", "unexamined"} <= set(verdicts(bundled[key]))
        assert bundled[key]["round"]["emitted"][-1]["role"] == "corrected"
    tested = [d for d in bundled["accept"]["round"]["drafted"] if d["verdict"] != "unexamined"]
    assert all((d["u"] < d["p"] / d["q"]) == (d["verdict"] == "accepted") for d in tested)
    tokens = [sum(s["role"] not in ("rejected", "unexamined") for s in spans) for spans in bundled["rounds"]["rounds"]]
    assert min(tokens) >= 1 and max(tokens) == bundled["rounds"]["K"] + 1


def test_a_law_is_whole_and_its_two_parts_add_up_to_p(bundled):
    for law in bundled["residual"]:
        for e in law["entries"]:
            assert e["shared"] + e["excess"] == pytest.approx(e["p"], abs=1e-6)
            assert e["shared"] <= min(e["p"], e["q"]) + 1e-9
        assert sum(e["p"] for e in law["entries"]) == pytest.approx(1, abs=1e-4)
        assert sum(e["q"] for e in law["entries"]) == pytest.approx(1, abs=1e-4)
        assert sum(e["excess"] for e in law["entries"]) == pytest.approx(1 - law["beta"], abs=1e-4)


def test_the_rest_of_a_law_has_the_overlap_that_beta_leaves():
    entries = [{"token": {"id": i}, "p": p, "q": q} for i, (p, q) in enumerate([(0.5, 0.3), (0.2, 0.4)])]
    law = parts({"entries": entries, "beta": 0.6})
    rest = law["entries"][-1]
    assert (rest["token"], law["beta"]) == (None, pytest.approx(0.6))
    # 0.3 of each is left, of which the tokens share 0.1 one by one, not min(0.3, 0.3)
    assert (rest["p"], rest["q"], rest["shared"], rest["excess"]) == tuple(map(pytest.approx, (0.3, 0.3, 0.1, 0.2)))


@pytest.mark.parametrize(
    "kind", [{"temperature": 0.0}, {"drafter": "oracle"}, {"observed": False}, {"drafter": "lookup", "short": True}]
)
def test_runs_without_what_a_chapter_needs_leave_it_empty_and_break_nothing(kind):
    by_chapter = excerpts(views(fake_trace(seed=4, **kind)))
    assert by_chapter["alone"] and by_chapter["speed"]
    if "temperature" in kind or "observed" in kind:
        assert by_chapter["draft"] is None and by_chapter["accept"] is None and by_chapter["residual"] == []
        assert by_chapter["engines"]["recorded"] is None


def test_a_run_is_looked_for_in_the_others_if_its_own_does_not_show_it():
    quiet, loud = fake_trace(seed=4, temperature=0.0), fake_trace(seed=3, K=4)
    by_chapter = excerpts(views(quiet) | {RUNS[-1]: view(loud)})
    assert by_chapter["accept"]["run"] == RUNS[-1]


def test_every_word_that_a_script_asks_for_exists_and_is_asked_for_and_every_chapter_has_its_own():
    scripts = [path.read_text("utf-8") for path in (ASSETS / "learn").rglob("*.js")]
    assert words_of("PAGE", *scripts) | POLL.keys() == set(for_browser()["page"])
    assert words_of("words", *(path.read_text("utf-8") for path in (ASSETS / "poll").glob("*.js"))) == POLL.keys()
    assert chapters.TEXTS.keys() == chapter_pictures.PICTURES.keys() == CHAPTERS.keys()


def words_of(name: str, *scripts: str) -> set[str]:
    return {word for script in scripts for word in re.findall(rf"\b{name}\.(?!js\b)(\w+)", script)}


@pytest.fixture(scope="module")
def printed():
    return pack(excerpts())


def test_the_lesson_takes_fifty_minutes_in_six_stops_and_the_other_chapters_are_homework():
    assert stops()[-1].end == 50
    met = [LESSONS[stop.chapter - 1].key if stop.chapter else None for stop in stops()]
    assert met == ["alone", "verify", "accept", "residual", None, "speed", "busy"]  # accept and residual are one stop
    assert sorted([*homework(), *(stop.chapter for stop in stops() if stop.chapter)]) == [*range(1, len(LESSONS) + 1)]


@each
def test_the_students_pages_hold_the_tasks_and_no_answer(printed, chapter):
    students, _, teachers = printed.partition('<section class="teacher">')
    exercise = chapter.exercise
    assert all(escape(task) in students for task in (*exercise.task, *exercise.able, chapter.question.ask))
    for hidden in (*exercise.key, *chapter.notes, chapter.question.why):
        assert escape(hidden) not in students and escape(hidden) in teachers
    if isinstance(chapter.question, Question):
        assert escape(chapter.question.choices[chapter.question.right]) in teachers


def test_the_file_is_whole_runs_nothing_and_asks_nobody(printed):
    assert "<script" not in printed and "default-src 'none'" in printed
    assert re.findall(r"(?:src|href)=|url\(|@import", printed) == []
    assert "{" not in re.sub(r"<style>.*?</style>", "", printed, flags=re.DOTALL)  # every name is filled in
    assert len(printed.encode()) < 4_500 * len(LESSONS)


def test_names_of_a_run_are_text_where_they_are_sent_and_printed():
    trace = fake_trace(seed=3)
    hostile = replace(trace, header=replace(trace.header, target=replace(trace.header.target, name="<b>target</b> {x}")))
    text = pack(excerpts(dict.fromkeys(RECORDED, view(hostile))))
    assert "<b>" not in text and "&lt;b&gt;target&lt;/b&gt; {x}" in text
    trace = fake_trace("hostile <script>", seed=3, hostile=True)
    hostile = replace(trace, header=replace(trace.header, target=replace(trace.header.target, name="<b>target</b>")))
    assert not MARKUP.search(json_text(excerpts(views(hostile))))


def test_what_a_chapter_says_of_its_run_is_the_same_on_the_page_and_on_paper():
    """The c of chapter 3 is that of the run that it shows."""
    by_chapter = excerpts()
    drafting = next(chapter for chapter in LESSONS if chapter.key == "draft")
    assert facts(by_chapter, drafting)["c"] == f"{by_chapter['draft']['c']:.2f}" != f"{by_chapter['speed']['c']:.2f}"
    assert f"takes c = {by_chapter['draft']['c']:.2f} of a target pass" in pack(by_chapter)


@pytest.fixture(scope="module")
def students():
    return sheet(excerpts())


def test_the_sheet_asks_what_the_work_sheets_ask_and_holds_no_answer(students):
    for chapter in LESSONS:
        for i in TASKS.get(chapter.key, ()):
            assert escape(chapter.exercise.task[i]) in students
        assert not any(escape(key) in students for key in chapter.exercise.key)
        assert escape(chapter.question.why) not in students


CASES = Path(__file__).parents[1] / "assets" / "learn" / "slow.json"


def test_the_page_judges_by_the_same_table():
    assert json.loads(CASES.read_text("utf-8")) == json.loads(json.dumps(learn.SLOW))
    assert {"likely", "possible"} <= set(learn.SLOW["words"])


@pytest.mark.parametrize("number", [0, len(CHAPTERS) + 1, None, "4"])
def test_a_chapter_that_there_is_not_is_refused_by_its_number(number):
    with pytest.raises(ValueError, match=f"chapter {number!r}: there are 1 to {len(CHAPTERS)}"):
        Lesson(number)
    with pytest.raises(ValueError, match=f"chapter {number!r}: there are 1 to {len(CHAPTERS)}"):
        Lesson(4).postprocess(number)  # an event gives it


if __name__ == "__main__":
    CASES.write_text(json.dumps(learn.SLOW, ensure_ascii=False) + "\n", "utf-8")
