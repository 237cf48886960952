import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { advanced, fitting, makeClock, nextStop, STEPWISE } from "../../../assets/shared/clock.js";

/** @type {Map<number, (now: number) => void>} */
const waiting = new Map();
let last = 0;

// One frame of the screen, `passed` milliseconds after the one before.
function frame(/** @type {number} */ passed) {
  now += passed;
  const due = [...waiting.values()];
  waiting.clear();
  for (const act of due) act(now);
}
let now = 0;

beforeEach(() => {
  now = 0;
  waiting.clear();
  globalThis.requestAnimationFrame = (act) => {
    waiting.set(++last, act);
    return last;
  };
  globalThis.cancelAnimationFrame = (id) => void waiting.delete(id);
  globalThis.performance.now = () => now;
});
afterEach(() => waiting.clear());

test("a run of more than a second is shown in real time, a shorter one as fast as still takes four seconds", () => {
  assert.deepEqual([60_000, 4000, 1001, 1000, 400, 160, 60, 20].map(fitting), [1, 1, 1, 5, 25, 25, 100, 100]);
  for (let ms = 40; ms <= 1000; ms++) assert.ok(fitting(ms) * ms >= 4000 && fitting(ms) * ms <= 20_000);
});

test("time passes as many times slower as was chosen, and ends at the end", () => {
  assert.equal(advanced(100, 50, 1, 1000, []), 150);
  assert.equal(advanced(100, 50, 10, 1000, []), 105);
  assert.equal(advanced(990, 50, 1, 1000, []), 1000);
});

test("step by step every step holds equally long, however far apart they were measured", () => {
  const steps = [10, 20, 100];
  const at = (/** @type {number} */ t, /** @type {number} */ passed) => advanced(t, passed, STEPWISE, 100, steps);
  assert.deepEqual(
    [200, 400, 1199].map((passed) => at(0, passed)),
    [5, 10, 10],
  );
  assert.deepEqual(
    [1400, 1600, 2399].map((passed) => at(0, passed)),
    [15, 20, 20],
  );
  assert.deepEqual(
    [200, 400, 1199].map((passed) => at(20, passed)),
    [60, 100, 100],
  );
  assert.equal(at(15, 10_000), 100);
});

test("the next stop is past the moment itself, and beyond the last one lies the end", () => {
  const stops = [10, 20, 30];
  assert.equal(nextStop(10, 1, stops, 40), 20);
  assert.equal(nextStop(20, -1, stops, 40), 10);
  assert.equal(nextStop(10, -1, stops, 40), 0);
  assert.equal(nextStop(30, 1, stops, 40), 40);
  assert.equal(nextStop(10, 1, [10.3, 12], 40, 0.5), 12);
});

test("a clock plays frame by frame, rests, goes on, and begins again from its end", () => {
  /** @type {number[]} */
  const painted = [];
  const clock = makeClock(5000, ({ t }) => painted.push(t));
  clock.play();
  frame(1000);
  frame(1000);
  clock.toggle();
  frame(1000);
  assert.deepEqual(painted, [0, 1000, 2000, 2000]);
  clock.play();
  frame(9000);
  assert.deepEqual([clock.t, clock.playing, waiting.size], [5000, false, 0]);
  clock.play();
  assert.equal(clock.t, 0);
});

test("a clock steps to the ends of rounds, in fine steps to all that a round does, and rests there", () => {
  const clock = makeClock(100, () => {}, { moments: [30, 60, 100], steps: [10, 20, 30, 60] });
  clock.play();
  clock.step(1);
  assert.deepEqual([clock.t, clock.playing], [30, false]);
  clock.step(-1, true);
  assert.equal(clock.t, 20);
  clock.step(1);
  clock.step(1);
  clock.step(-1);
  assert.equal(clock.t, 30);
});

test("a replay that goes step by step passes where its arrows stop, and holds there", () => {
  const clock = makeClock(100, () => {}, { moments: [30, 100], steps: [10, 20, 30, 31, 100] });
  clock.slow = STEPWISE;
  clock.play();
  const held = [10, 20, 30, 31].map(() => {
    frame(600);
    const before = clock.t;
    frame(600);
    return [before, clock.t, clock.stepping];
  });
  assert.deepEqual(held, [
    [10, 10, true],
    [20, 20, true],
    [30, 30, true],
    [31, 31, true],
  ]);
  clock.step(-1, true);
  assert.deepEqual([clock.t, clock.playing, clock.stepping], [30, false, true]);
  clock.seek(50);
  assert.equal(clock.stepping, false);
});

test("at a halt a replay rests at any speed, and goes on from there when it is played again", () => {
  const clock = makeClock(5000, () => {}, { halts: [1500, 4000] });
  clock.play();
  frame(1000);
  frame(1000);
  assert.deepEqual([clock.t, clock.playing, clock.stepping, waiting.size], [1500, false, true, 0]);
  clock.play();
  frame(9000);
  assert.deepEqual([clock.t, clock.playing], [4000, false]);
});

test("a speed that is chosen while it plays holds from there on", () => {
  const clock = makeClock(10_000, () => {});
  clock.play();
  frame(1000);
  clock.slow = 10;
  frame(1000);
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
