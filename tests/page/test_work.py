"""One address has its answers computed after each other, and the others need not wait for all of them."""

import asyncio

from specviz.page.guard.quota import WorkQueue

from .. import loop


async def settle():
    for _ in range(5):
        await asyncio.sleep(0)


def test_one_address_waits_for_its_own_answers_and_another_for_none_of_them():
    async def run():
        work, done = WorkQueue(of=8, each=2, line=3), {}

        async def ask(name):
            done[name] = await work.begin(name[0])

        tasks = [asyncio.create_task(ask(f"a{n}")) for n in range(6)]
        await settle()
        assert done.keys() == {"a0", "a1", "a5"} and done["a5"] is None  # its line is full
        tasks.append(asyncio.create_task(ask("b0")))
        await settle()
        assert done["b0"]
        done["a0"].leave()
        done["a0"].leave()
        await settle()
        assert "a2" in done and "a3" not in done
        for name in ("a1", "a2", "b0"):
            done[name].leave()
        await settle()
        done["a3"].leave(), done["a4"].leave()
        assert not work._asking and not work._own
        await asyncio.gather(*tasks)

    loop.run(run())


def test_of_many_addresses_each_has_its_turn():
    async def run():
        work, order = WorkQueue(of=1, each=1), []

        async def ask(name):
            done = await work.begin(name[0])
            order.append(name)
            await asyncio.sleep(0)
            done.leave()

        await asyncio.gather(*(ask(name) for name in ("a0", "a1", "a2", "a3", "b0", "c0")))
        assert order.index("b0") < order.index("a3") and order.index("c0") < order.index("a3") and len(order) == 6
        assert not work._asking and not work._own

    loop.run(run())


def test_who_leaves_the_line_leaves_no_gap_in_it():
    async def run():
        work = WorkQueue(of=1, each=1)
        first = await work.begin("a")
        waiting, next_ = (asyncio.create_task(work.begin("a")) for _ in range(2))
        await settle()
        waiting.cancel()
        await settle()
        first.leave()
        (await next_).leave()
        assert not work._asking and not work._own

    loop.run(run())


def test_an_answer_that_waits_for_something_else_gives_its_place_to_another_and_counts_all_the_same():
    async def run():
        work, done = WorkQueue(of=1, each=1, line=1), {}

        async def ask(name):
            done[name] = await work.begin(name[0])

        tasks = [asyncio.create_task(ask(f"a{n}")) for n in range(2)]
        await settle()
        assert done.keys() == {"a0"}
        done["a0"].free()
        await settle()
        assert done.keys() == {"a0", "a1"}
        await ask("a2")
        assert done["a2"] is None  # two of this address are asked for already
        for name in ("a0", "a1"):
            done[name].leave()
        assert not work._asking and not work._own
        await asyncio.gather(*tasks)

    loop.run(run())
