import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { lastRejected, madeAtOnce, makeClock, nextStop } from "../../../assets/player/clock.js";
import { branches, children, examinedNodes, parents, path } from "../../../assets/trace/events.js";
import { frames, pass } from "../dom.js";
import { drafted, round, span } from "../picture.js";
import { tree } from "./rounds.js";

beforeEach(() => frames.clear());

test("the next stop is past the moment itself, and beyond the last one lies the end", () => {
  const stops = [10, 20, 30];
  assert.equal(nextStop(10, 1, stops, 40), 20);
  assert.equal(nextStop(20, -1, stops, 40), 10);
  assert.equal(nextStop(10, -1, stops, 40), 0);
  assert.equal(nextStop(30, 1, stops, 40), 40);
  assert.equal(nextStop(10, 1, [10.3, 12], 40, 0.5), 12);
});

test("a clock plays frame by frame, rests, goes on, and begins again from its end", () => {
  const painted = [];
  const clock = makeClock(5000, ({ t }) => painted.push(t));
  clock.play();
  pass(1000);
  pass(1000);
  clock.toggle();
  pass(1000);
  assert.deepEqual(painted, [0, 1000, 2000, 2000]);
  clock.play();
  pass(9000);
  assert.deepEqual([clock.t, clock.playing, frames.size], [5000, false, 0]);
  clock.play();
  assert.equal(clock.t, 0);
});

test("at a halt a replay rests at any speed, and goes on from there when it is played again", () => {
  const clock = makeClock(5000, () => {}, { halts: [1500, 4000] });
  clock.play();
  pass(1000);
  pass(1000);
  assert.deepEqual([clock.t, clock.playing, clock.stepping, frames.size], [1500, false, true, 0]);
  clock.play();
  pass(9000);
  assert.deepEqual([clock.t, clock.playing], [4000, false]);
});

test("a speed that is chosen while it plays holds from there on", () => {
  const clock = makeClock(10_000, () => {});
  clock.play();
  pass(1000);
  clock.slow = 10;
  pass(1000);
  assert.equal(clock.t, 1100);
});

test("seeking stays inside the replay, and a replay of no length does not play", () => {
  const clock = makeClock(100, () => {});
  clock.seek(-5);
  assert.equal(clock.t, 0);
  clock.seek(500);
  assert.equal(clock.t, 100);
  const empty = makeClock(0, () => {});
  empty.play();
  assert.equal(empty.playing, false);
});

test("of a late frame a clock that is read by takes a frame's step, and every moment has its time", () => {
  const clock = makeClock(5000, () => {}, {}, 50);
  clock.slow = 1;
  clock.play();
  pass(1700);
  assert.equal(clock.t, 50);
  pass(16, 10);
  assert.equal(clock.t, 210);
});

// A block as a picture holds it: who follows whom, the order of the tests, what was replaced, and when.

const chain = round({ drafted: [drafted({ verdict: "accepted" }), drafted({}), drafted({ verdict: "unexamined" })] });

test("the walk tests siblings by rank, then the children of the one that stayed, and a chain has one child each", () => {
  assert.deepEqual(examinedNodes(chain.drafted), [0, 1]);
  assert.deepEqual(examinedNodes(tree().drafted), [0, 1, 4, 5]);
  assert.deepEqual(examinedNodes(round({}).drafted), []);
  assert.ok(branches(tree()) && !branches(chain));
  assert.deepEqual(parents(chain.drafted), [-1, 0, 1]);
  assert.deepEqual(children(chain.drafted), [[0], [1], [2], []]);
  assert.deepEqual(children(tree().drafted), [[0, 1, 2], [3], [4, 5], [], [], [], []]);
});

test("of a tree the last sibling that was rejected where the path ends is replaced, of a chain its one rejected token", () => {
  const one = tree();
  assert.deepEqual(path(one.drafted), [1]);
  assert.equal(lastRejected(one), one.drafted[5]);
  assert.equal(lastRejected(chain), chain.drafted[1]);
  assert.equal(lastRejected(round({ drafted: [drafted({ verdict: "accepted" })] })), null);
});

test("a block of one draft pass is there at one moment, a chain is not, and where no time is told nothing is said", () => {
  const block = (moments, start = 0) =>
    round({
      start,
      drafted: moments.map(() => drafted({})),
      shown: moments.map((at, i) => span({ role: "rejected", drafted: i, at, decided: 9 })),
    });
  assert.ok(madeAtOnce(block([3, 3, 3])));
  assert.ok(!madeAtOnce(block([2, 3, 4])));
  assert.ok(!madeAtOnce(block([3])));
  assert.ok(!madeAtOnce(block([5, 5], 5)));
  assert.ok(!madeAtOnce(tree()) && !madeAtOnce(round({})));
});
