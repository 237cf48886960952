"""People draft as any drafter does: what comes out is the target's, whatever they guess, and the numbers said of them are theirs."""

import pytest
import torch

import specviz.engine.decode
from specviz.config import ConfigError, DecodeConfig
from specviz.engine.draft.choose import Setup
from specviz.engine.draft.model import SmallModel
from specviz.engine.text import PromptError
from specviz.lab.classroom import DraftCounts, play_round
from tests.fakes import Chances, FakeText, Markov

P = [[0.25, 0.25, 0.25, 0.25], [0.5, 0.25, 0.25, 0], [0.25, 0.25, 0.5, 0], [0, 0.5, 0, 0.5]]
ROOM = [[1], [1], [2, 0], [3]]  # q = (0, 1/2, 1/4, 1/4), and after 2 all of it on 0


def setup(chain=P, **text):
    return Setup(Markov(chain), None, FakeText("abcd", **text))


def emitted(played):
    return [each.token.id for each in played.round.emitted]


def test_a_text_that_a_room_drafts_follows_the_target(monkeypatch):
    chances = Chances(lambda n: (4, 1, 2, 4, 12)[:n])  # two to draft with, two to decide with, one for what follows
    monkeypatch.setattr(specviz.engine.decode, "Uniforms", lambda seed, device: chances)
    distribution = torch.zeros(4, 4)
    for weight, played in chances.every(lambda: play_round(setup(), [0], ROOM, DecodeConfig())):
        first, *rest = emitted(played)
        distribution[first] += weight * (torch.eye(4)[rest[0]] if rest else torch.tensor(P)[first])
    assert (distribution - torch.tensor(P[0])[:, None] * torch.tensor(P)).abs().max() < 1e-6


def test_a_room_is_accepted_as_often_as_its_guesses_and_p_overlap():
    [first, *_] = play_round(setup(), [0], ROOM, DecodeConfig()).round.drafted
    q = {entry.token.id: entry.q for entry in first.position.entries}
    assert q == {0: 0, 1: 0.5, 2: 0.25, 3: 0.25}
    assert first.position.beta == pytest.approx(0.75)  # Σ min(p, q)


def test_what_one_person_says_is_kept_with_chance_p_and_corrected_from_the_rest_of_p():
    counts = set()
    for seed in range(40):
        played = play_round(setup(), [0], [[1, 0]], DecodeConfig(seed=seed))
        for drafted, p in zip(played.round.drafted, (0.25, 0.5), strict=True):
            assert (drafted.q, drafted.p) == (1, p)
            if drafted.verdict != "unexamined":
                assert (drafted.verdict == "accepted") == (drafted.u < p)
                assert drafted.position.beta == pytest.approx(p)
        accepted = played.people.accepted
        if accepted < 2:
            left = {entry.token.id: entry.probability for entry in played.round.residual.entries}
            assert not left.get((1, 0)[accepted]) and sum(left.values()) == pytest.approx(1)
        counts.add(accepted)
    assert counts == {0, 1, 2}


def test_at_temperature_0_a_guess_is_kept_if_it_is_what_the_target_writes_and_of_a_room_the_most_frequent_is_taken():
    greedy = DecodeConfig(temperature=0)
    played = play_round(setup(), [1], [[0, 1]], greedy)  # after b the target writes a, after a it writes a
    assert [d.verdict for d in played.round.drafted] == ["accepted", "rejected"] and emitted(played) == [0, 0]
    played = play_round(setup(), [1], [[2], [0], [0]], greedy)
    assert [d.token.id for d in played.round.drafted] == [0]


def test_other_drafters_draft_as_many_tokens_after_the_same_text():
    same = SmallModel(Markov(P))
    played = play_round(setup(), [0], [[1, 0, 2]], DecodeConfig(seed=5), {"same": same})
    assert played.others == {"same": DraftCounts(drafted=3, tested=3, accepted=3, beta=pytest.approx(3))}
    short = play_round(setup(), [0], [[1]] * 9 + [[2, 0, 3]], DecodeConfig(temperature=0), {"same": same})  # most have said all
    assert (short.people.drafted, short.others["same"].drafted) == (1, 1)


def test_each_place_of_a_text_has_uniforms_of_its_own_and_the_same_place_the_same():
    def u(text):
        return play_round(setup(), text, [[1]], DecodeConfig(seed=7)).round.drafted[0].u

    assert u([0]) == u([0]) != u([2, 0])


def test_a_text_that_is_over_says_why():
    certain = [[0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]]
    played = play_round(setup(certain, eos=("d",)), [0], [[1, 3, 3]], DecodeConfig())
    assert emitted(played) == [1, 3] and played.ended == "eos"
    full = play_round(setup(), [0] * 63, [[1, 2]], DecodeConfig())
    assert full.ended == "context" and len(full.round.emitted) == 1
    with pytest.raises(PromptError, match="64"):
        play_round(setup(), [0] * 64, [[1]], DecodeConfig())
    assert play_round(setup(), [0], [[1]], DecodeConfig()).ended is None


def test_a_guess_longer_than_a_block_may_be_is_refused():
    with pytest.raises(ConfigError, match="K is 33"):
        play_round(setup(), [0], [[1] * 33], DecodeConfig())
