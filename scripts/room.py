"""How long a phone waits until its guess is taken, in a full room of the page as it is served: every player polls as a phone does and
guesses at a moment of its own, and between two rounds the target scores what was drawn.

python -m scripts.room                # 40 players, three rounds; the last line is JSON
python -m scripts.room --players 10
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from statistics import median, quantiles
from time import monotonic, perf_counter, sleep

ROOT = Path(__file__).parent.parent
PROMPT = "Lily had a red kite. One windy day, she"
GUESSES = (" went to the park", " was very happy", " saw a dog", " flew", " wanted to fly it", ", then", " xylophone")
POLL = 1.5  # seconds, as assets/join/join.js
PATIENCE = 120.0  # seconds for all of a round to guess


def votes(players: int = 40, rounds: int = 3, spread: float = 4.0, engine=None) -> dict:
    """Milliseconds of the guesses of `players` in `rounds`, each made within `spread` seconds of the round's beginning, by
    `engine`, the bundled family's by default. Players are a process of their own, as phones are."""
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    from specviz.config import DecodeConfig
    from specviz.local import LocalEngine
    from specviz.page.build import build, launch_settings
    from specviz.page.classroom.rooms import OPEN

    engine = engine or LocalEngine()
    page = build(engine)
    _, url, _ = page.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **launch_settings(engine))
    room = OPEN.begin(PROMPT, engine.cut(PROMPT))

    def play(text, guesses):
        played = engine.score([t.id for t in text], [[t.id for t in guess] for guess in guesses], DecodeConfig(seed=room.round))
        return {}, [each.token for each in played.round.emitted], None

    command = [sys.executable, "-m", "scripts.room", "--at", f"{url.rstrip('/')}/room/{room.code}"]
    options = [f"--{name}={value}" for name, value in (("players", players), ("rounds", rounds), ("spread", spread))]
    phones = subprocess.Popen([*command, *options], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        for _ in range(rounds):
            until = monotonic() + PATIENCE
            while room.watch()["guessed"] < players:
                if monotonic() > until or phones.poll() not in (None, 0):
                    raise RuntimeError(f"{room.watch()['guessed']} of {players} players have guessed")
                sleep(0.05)
            room.play(play)
        times = json.loads(phones.communicate(timeout=PATIENCE)[0])
    finally:
        phones.kill()
        OPEN.close(room)
        page.close(verbose=False)
    return summary(players, rounds, times)


def summary(players: int, rounds: int, times: dict[str, list[float]]) -> dict:
    guess, look = times["guess"], times["look"]
    last = {f"p95_{name}_ms": round(quantiles(ms, n=20)[-1], 1) for name, ms in (("vote", guess), ("look", look))}
    return {"players": players, "rounds": rounds, "votes": len(guess), "p50_vote_ms": round(median(guess), 1), **last}


async def sit(at: str, players: int, rounds: int, spread: float) -> dict[str, list[float]]:
    """Milliseconds of all guesses and of all looks."""
    import httpx

    found: dict[str, list[float]] = {"guess": [], "look": []}
    async with httpx.AsyncClient(timeout=PATIENCE, limits=httpx.Limits(max_connections=players)) as client:

        async def ask(what: str, n: int, **sent) -> dict:
            began = perf_counter()
            here = {"X-Forwarded-For": f"192.0.2.{n % 2}"}  # two addresses: one has no more than its share of the seats
            answer = (await client.post(f"{at}/{what}", json=sent, headers=here)).json()
            if "error" in answer:
                raise RuntimeError(answer["error"])
            if what in found:
                found[what].append((perf_counter() - began) * 1e3)
            return answer

        async def play(n: int) -> None:
            chance = random.Random(n)
            look = await ask("join", n, name=f"Player {n}")
            seat = look["seat"]
            for number in range(1, rounds + 1):
                while look["round"] < number:
                    await asyncio.sleep(POLL)
                    look = await ask("look", n, seat=seat)
                await asyncio.sleep(spread * chance.random())
                look = await ask("guess", n, seat=seat, round=number, words=chance.choice(GUESSES))

        await asyncio.gather(*map(play, range(players)))
    return found


def main() -> None:
    read = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    read.add_argument("--players", type=int, default=40)
    read.add_argument("--rounds", type=int, default=3)
    read.add_argument("--spread", type=float, default=4.0, help="seconds within which all guess")
    read.add_argument("--at", help="a room that is open, for the players' own process")
    options = read.parse_args()
    if options.at:
        print(json.dumps(asyncio.run(sit(options.at, options.players, options.rounds, options.spread))))
    else:
        print(json.dumps(votes(options.players, options.rounds, options.spread)))


if __name__ == "__main__":
    main()
