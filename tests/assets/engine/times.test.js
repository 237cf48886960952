import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { warmUp } from "../../../assets/engine/costs.js";
import { resolution } from "../../../assets/engine/decode.js";
import { medianRun } from "../../../assets/engine/race.js";
import { stalledShare } from "../../../assets/trace/events.js";
import { mapped } from "../mapped.js";
import { opened } from "./node.js";

const config = {
  K: 3,
  temperature: 0,
  top_k: 0,
  top_p: 1,
  max_new_tokens: 8,
  stop: [],
  seed: 1,
  ignore_eos: true,
  verifier: "rejection",
  confidence: 0,
  drafting: "sample",
};

/** Both lanes of a run, of one round each; `times` of their phases. */
function run(vanilla, speculative) {
  const lane = ([draft, verify, decide, rest] = vanilla) => [
    { event: "round", drafted: [], times: { draft, verify, decide, rest, observe: 5 } },
    { event: "finished", decode_ms: draft + verify + decide + rest },
  ];
  return { vanilla: lane(vanilla), speculative: lane(speculative) };
}

const times = (event) => (event.event === "round" ? event.times : null);

test("of a coarse clock a phase is its mean over the repeats, and all phases take what the lane of the middle run took", () => {
  const runs = [run([0, 1, 0, 0], [0, 3, 0, 0]), run([0, 1, 0, 0], [1, 3, 0, 0]), run([0, 1, 0, 0], [0, 3, 0, 1])];
  const { run: shown, repeats, note } = medianRun(runs, 1);
  const { draft, verify, rest, observe } = times(shown.speculative[0]);
  assert.deepEqual([draft / verify, rest / verify, observe], [1 / 9, 1 / 9, 5]);
  assert.equal(draft + verify + rest, 4);
  mapped(repeats, (each) => each.speculative.decode_ms, [3, 4, 4]);
  assert.match(note, /steps by 1\.0 ms, so a phase of a round is shown as its mean in 3 runs/);
  assert.equal(medianRun(runs, 0).run, runs[2]); // a fine clock has true times of its own
});

test("a round that took one step of the clock more than others did not stall", () => {
  const rounds = [1, 1, 2, 1].map((verify) => ({
    drafted: [],
    times: { draft: 0, verify, decide: 0, rest: 0, observe: 0 },
  }));
  assert.equal(stalledShare(rounds, 1), 0);
  assert.equal(stalledShare(rounds), 0.1);
});

test("a clock that moves every 100 ms is known after two steps", () => {
  let now = 0;
  const clock = () => Math.floor(now++ / 50) * 100;
  assert.equal(resolution(clock), 100);
  assert.ok(now < 300);
});

const real = performance.now;
before(() => {
  let now = 0;
  performance.now = () => now++; // every look at the clock takes a millisecond
});
after(() => {
  performance.now = real;
});

test("what a run will cost is measured in passes over one token", async () => {
  const setup = await (await opened()).setUp("fable", "fable-small");
  const [prompt] = [setup.text.encode("Once upon a time")];
  const costs = warmUp(setup, prompt, config, 0);
  assert.deepEqual([costs.pass, costs.block, costs.v, costs.busy], [1, 3, 1, false]);
  const c = costs.c ?? 0;
  assert.ok(c >= 1 / 3 && c <= 1 / 2, `${c}`); // near the end of a text a block is shorter
  const alone = warmUp(setup, prompt, { ...config, K: 0 }, 0);
  assert.deepEqual([alone.block, alone.c, alone.v], [0, null, null]);
});
