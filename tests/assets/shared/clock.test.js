import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { makeClock, nextStop } from "../../../assets/shared/clock.js";
import { frames, pass } from "../dom.js";

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
