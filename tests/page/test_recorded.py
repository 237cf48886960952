"""Each recorded run is what its name says. It is read as strictly as a stranger's file."""

import gzip

import pytest

from specviz.page.keep.recorded import FOLDER, header, load, names
from specviz.trace.events import Round
from specviz.trace.file import loads
from specviz.trace.tree import branches, children, path
from specviz.words import page as words

from ..view import view


def rounds(name):
    return [event for event in load(name).speculative if isinstance(event, Round)]


def roles(name):
    return [e.role for r in rounds(name) for e in r.emitted]


def whole(r):
    return bool(r.drafted) and {d.verdict for d in r.drafted} == {"accepted"}


def numbers(name):
    return view(load(name))["lanes"]["speculative"]["numbers"]


def test_every_name_has_a_run_and_every_run_has_a_name():
    """But for those of a GPU and of the assistant, which are there once somebody has recorded them."""
    assert [name for name in words.RECORDED if name in names()] == list(names())
    later = [name for name in words.RECORDED if name not in names()]
    assert all(name.startswith("gpu-") or words.RECORDED[name][0].startswith("Assistant") for name in later)
    assert {path.name for path in FOLDER.iterdir()} == {f"{name}.jsonl.gz" for name in names()}


@pytest.mark.parametrize("name", names())
def test_both_lanes_ran_to_their_end_from_one_prompt(name):
    trace = load(name)
    for lane in (trace.vanilla, trace.speculative):
        assert lane[-1].reason in ("length", "eos") and 48 <= lane[-1].tokens <= 128
    assert trace.vanilla[0].prompt == trace.speculative[0].prompt
    assert all(d.position for r in rounds(name) for d in r.drafted if d.verdict != "unexamined")
    comparison = view(trace)["comparison"]
    assert not comparison["disturbed"]  # times that a visitor sees were measured on a quiet machine
    assert comparison["same"] == trace.header.config.greedy


@pytest.mark.parametrize("name", names())
def test_a_file_is_small_and_says_neither_when_nor_where_it_was_packed(name):
    data = (FOLDER / f"{name}.jsonl.gz").read_bytes()
    assert len(data) < 100_000
    assert data[3] == 0 and data[4:8] == bytes(4)  # RFC 1952: no name of a file follows, no time
    assert loads(gzip.decompress(data)) == load(name) and header(name) == load(name).header


@pytest.mark.parametrize("name", ["../models/fable/config", "/etc/passwd", "", "opening.jsonl", "OPENING"])
def test_a_name_that_is_not_in_the_list_reaches_no_file(name):
    for read in (load, header):
        with pytest.raises(KeyError):
            read(name)


def test_the_opening_run_has_a_rejection_a_correction_and_a_bonus_early_and_is_faster():
    config = load("opening").header.config
    assert not config.greedy and load("opening").header.prompt == words.EXAMPLES[0]
    early = [e.role for r in rounds("opening")[:5] for e in r.emitted]
    assert {"accepted", "corrected", "bonus"} <= set(early) and view(load("opening"))["comparison"]["speedup"] > 1


def test_the_predictable_run_is_greedy_and_mostly_accepted_and_most_blocks_of_the_accepted_one_stay_whole():
    assert load("predictable").header.config.greedy and numbers("predictable")["accepted_of_tested"] >= 0.65
    every = rounds("all-accepted")
    assert whole(every[0]) and every[0].emitted[-1].role == "bonus"
    assert sum(map(whole, every)) > len(every) / 2


def test_the_creative_run_and_the_hot_one_differ_in_temperature_alone_and_the_rejected_one_begins_with_a_rejection():
    creative, hot = load("creative").header, load("hot").header
    assert (creative.config.temperature, hot.config.temperature) == (1.0, 1.5)
    assert creative.prompt == hot.prompt and creative.draft == hot.draft and creative.config.K == hot.config.K
    for name in ("creative", "hot"):
        assert {"corrected", "bonus"} <= set(roles(name))
    first, config = rounds("rejected-first")[0], load("rejected-first").header.config
    assert config.temperature == 1 and config.verifier == "rejection"
    assert first.drafted[0].verdict == "rejected" and first.drafted[0].u >= first.drafted[0].ratio
    assert {d.verdict for d in first.drafted[1:]} == {"unexamined"}
    assert first.residual.entries and [e.role for e in first.emitted] == ["corrected"]


def test_the_lookup_run_copies_from_its_own_text():
    assert load("lookup").header.prompt == words.EXAMPLES[-1]  # which chapter 10 leads to
    text = load("lookup").header.prompt + load("lookup").speculative[-1].text
    assert load("lookup").header.draft.family == "n-gram"
    blocks = ["".join(d.token.text for d in r.drafted) for r in rounds("lookup") if len(r.drafted) > 1 and whole(r)]
    assert len(blocks) >= 4 and all(text.count(block) > 1 for block in blocks)


def first_guesses(r):
    """Tokens that a chain of the first guess at each place would have brought."""
    below, at, tokens = children(r.drafted), -1, 1
    while below[at + 1] and r.drafted[at := below[at + 1][0]].verdict == "accepted":
        tokens += 1
    return tokens


def test_a_second_choice_stays_in_half_of_the_trees_rounds_and_the_wide_tree_verifies_52_guesses_for_little_more_than_one():
    every = rounds("tree")
    assert all(branches(r) and len(r.drafted) <= 16 for r in every)
    assert sum(any(r.drafted[i].rank for i in path(r.drafted)) for r in every) >= len(every) / 2
    assert numbers("tree")["tokens"] >= 1.3 * sum(map(first_guesses, every))
    counts = numbers("wide-tree")
    assert load("wide-tree").header.draft.family == "bigram" and counts["draft_forwards"] == 0
    assert counts["drafted_per_round"] == 52 and 1 < counts["accepted"] / counts["rounds"] < 1.5


def test_the_hybrid_reads_kept_tokens_again_after_each_rejection_and_copies_its_states_in_every_round():
    target = load("hybrid").header.target
    assert 0 < target.state_layers < target.layers
    for r in rounds("hybrid"):
        cache = r.target_cache
        assert cache.replayed == (cache.after - cache.before if cache.after < cache.peak else 0)
        assert r.times.replay > 0


def test_the_block_is_one_draft_pass_a_round_and_its_later_guesses_stay_less_often():
    counts = numbers("block")
    assert load("block").header.draft.family == "block head" and load("block").header.config.K == 6
    assert counts["draft_forwards"] == sum(bool(r.drafted) for r in rounds("block"))
    stays = [place["of_blocks"] for place in counts["by_position"]]
    assert len(stays) == 6 and stays == sorted(stays, reverse=True) and stays[0] > 4 * stays[-1]


def test_what_is_said_of_the_assistants_runs_is_so():
    names = ("answer-capital", "answer-code", "answer-sums", "rewriting", "answer-hot", "answer-tree")
    tested = {name: [d for r in rounds(name) for d in r.drafted if d.verdict != "unexamined"] for name in names}
    share = {name: sum(d.verdict == "accepted" for d in of) / len(of) for name, of in tested.items()}
    assert 0.7 < share["answer-code"] < 0.9 and share["answer-hot"] < 0.4
    digits = [d for d in tested["answer-sums"] if d.token.text.strip().isdigit()]
    prompt = load("answer-sums").header.prompt
    assert len(digits) > 3 and all(d.verdict == "accepted" and d.token.text.strip() in prompt for d in digits)
    names_in = [e.role for r in rounds("answer-capital") for e in r.emitted if e.token.text in (" Norway", " Oslo")]
    assert len(names_in) == 2 and "accepted" not in names_in
    assert any(whole(r) and len(r.drafted) == 6 for r in rounds("rewriting"))
    second = [r for r in rounds("answer-tree") if any(r.drafted[i].rank for i in path(r.drafted))]
    assert len(second) >= len(rounds("answer-tree")) / 2
