"""Who waits is told how many come first and how long that may take."""

from specviz.page.turns import Place, Turns


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_first_runs_at_once_and_the_others_have_their_place():
    clock = Clock()
    turns = Turns(clock)
    first, second, third = (turns.join() for _ in range(3))
    turns.start(first)
    assert turns.place(first) is None
    assert (turns.place(second), turns.place(third)) == (Place(1, None), Place(2, None))
    clock.now += 5
    turns.end(first)
    turns.start(second)
    assert turns.place(third) == Place(1, 5.0)


def test_the_wait_is_what_the_last_runs_took_less_what_the_one_under_way_has_taken():
    clock = Clock()
    turns = Turns(clock)
    for seconds in (4, 10, 90):
        ticket = turns.join()
        turns.start(ticket)
        clock.now += seconds
        turns.end(ticket)
    under_way, last = turns.join(), turns.join()
    assert turns.place(last) == Place(1, 10.0)  # the median
    turns.start(under_way)
    clock.now += 3
    assert turns.place(last) == Place(1, 7.0)
    clock.now += 60
    assert turns.place(last) == Place(1, 0.0)  # longer than thought: no wait below none


def test_whoever_left_is_not_waited_for():
    turns = Turns()
    first, second, third = (turns.join() for _ in range(3))
    turns.leave(first)
    assert turns.place(second) == Place(0, None)
    turns.start(third)  # the second closed its page without a word
    assert turns.place(second) is None and turns.place(turns.join()) == Place(1, None)
    turns.end(second)  # it never began, so it took no time
    turns.leave(second)
    assert turns.place(4) == Place(1, None)


def test_somebody_is_awaited_from_joining_until_the_turn_or_until_leaving():
    turns = Turns()
    first = turns.join()
    assert turns.awaited()
    turns.start(first)
    assert not turns.awaited()
    second = turns.join()
    assert turns.awaited()
    turns.leave(second)
    turns.end(first)
    assert not turns.awaited()
