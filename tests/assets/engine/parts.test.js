import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { DraftContext, Eagle } from "../../../assets/engine/draft.js";
import { divergence } from "../../../assets/engine/race.js";
import { draw, Sampler, verifyByMatch, verifyByRejection } from "../../../assets/engine/verify.js";
import { ModelError, pack, readTensors, Weights } from "../../../assets/engine/weights.js";
import { mapped } from "../mapped.js";
import { opened } from "./node.js";

const { compiled } = await opened();
const settings = { temperature: 1, top_k: 0, top_p: 1 };

/** A file of one tensor; `header`: the length that it gives for its header. */
function file(about, bytes, header) {
  const json = new TextEncoder().encode(JSON.stringify(about));
  const all = new Uint8Array(8 + json.length + bytes);
  new DataView(all.buffer).setBigUint64(0, BigInt(header ?? json.length), true);
  all.set(json, 8);
  return all;
}

test("a word holds output i of a panel in its lower half and output 16 + i in its upper one", () => {
  const rows = Array.from({ length: 40 }, (_, n) => Uint16Array.of(n + 1, 100 + n));
  const packed = pack(rows, compiled.memory.allocate("uint32", 2, 2, 16));
  assert.deepEqual([packed.data[0], packed.data[16], packed.data[15]], [1 + (17 << 16), 100 + (116 << 16), 16 + (32 << 16)]);
  assert.deepEqual([packed.data[32], packed.data[32 + 8]], [33, 0]); // the second panel, and what pads it
});

test("a file that is cut, foreign or too large for its bytes is refused in a sentence that names it", () => {
  const tensor = { w: { dtype: "BF16", shape: [2, 2], data_offsets: [0, 8] } };
  assert.deepEqual(readTensors(file(tensor, 8), "a").get("w")?.shape, [2, 2]);
  assert.throws(() => readTensors(file(tensor, 7), "a"), /a: w does not fit in its file/);
  assert.throws(() => readTensors(new Uint8Array(3), "a"), /a is no safetensors file/);
  assert.throws(() => readTensors(file(tensor, 8, 2 ** 40), "a"), /a is no safetensors file/);
  assert.throws(() => readTensors(file({ w: { ...tensor.w, dtype: "F8" } }, 8), "a"), /stored as F8/);
  assert.throws(() => readTensors(file({ w: { ...tensor.w, shape: [2, 3] } }, 8), "a"), /does not fit/);
  assert.throws(() => readTensors(file({ w: { ...tensor.w, data_offsets: [-8, 0] } }, 8), "a"), /no shape or no place/);
  assert.throws(() => readTensors(file({ w: null }, 8), "a"), ModelError);
});

test("weights of another shape, and weights that nobody takes, are refused", () => {
  const weights = new Weights(readTensors(file({ w: { dtype: "BF16", shape: [2], data_offsets: [0, 4] } }, 4), "a"), "a");
  assert.throws(() => weights.take("w", 3), /a: w is \[2\] in the checkpoint and \[3\] by its config/);
  assert.throws(() => weights.take("v", 3), /a: the checkpoint lacks v/);
  assert.throws(() => weights.finish(), /a: the checkpoint holds w/);
});

test("top-k and top-p keep the most probable tokens, and of equals the later ones", () => {
  const logits = compiled.memory.allocate("float32", 1, 6);
  logits.data.set([0, Math.log(4), Math.log(2), Math.log(2), 0, -Infinity]);
  const p = (filters) => {
    const rows = new Sampler(compiled, { ...settings, ...filters }).fillRows(logits, compiled.memory.allocate("float32", 1, 6));
    return Array.from(rows.data, (x) => Math.round(100 * x) / 100);
  };
  assert.deepEqual(p({}), [0.1, 0.4, 0.2, 0.2, 0.1, 0]);
  assert.deepEqual(p({ top_k: 1 }), [0, 1, 0, 0, 0, 0]);
  assert.deepEqual(p({ top_k: 2 }), [0, 0.5, 0.25, 0.25, 0, 0]); // both of two equals
  assert.deepEqual(p({ top_p: 0.55 }), [0, 0.67, 0, 0.33, 0, 0]);
  assert.deepEqual(p({ temperature: 0.5, top_k: 3 }), [0, 0.67, 0.17, 0.17, 0, 0]);
});

test("a token with p = 0 is never drawn", () => {
  const p = Float32Array.of(0, 0.5, 0, 0.5, 0);
  mapped([0, 0.49, 0.5, 1 - 2 ** -53], (u) => draw(p, u), [1, 1, 3, 3]);
});

test("each rule decides one block as its paper says", () => {
  const p = [Float32Array.of(0.5, 0.5), Float32Array.of(0.9, 0.1), Float32Array.of(0.2, 0.8)];
  const q = [Float32Array.of(0.25, 0.75), Float32Array.of(0.5, 0.5)];
  const block = { ids: [0, 1], px: [0.5, Math.fround(0.1)], qx: [0.25, 0.5], p, q };
  const reject = (...u) => verifyByRejection({ ...block, u });
  assert.deepEqual(reject(0.9, 0.3, 0.5), { accepted: 1, after: Float32Array.of(1, 0), last: 0 }); // 0.3 > 0.1 / 0.5
  assert.deepEqual(reject(0.9, 0.19, 0.5), { accepted: 2, after: p[2], last: 1 });
  const match = (...u) => verifyByMatch(block.ids, p, u);
  assert.deepEqual(match(0.4, 0.95, 0.1), { accepted: 2, after: null, last: 0 });
  assert.deepEqual(match(0.4, 0.5, 0.1), { accepted: 1, after: null, last: 0 });
});

test("where nothing is left of p by its rounding, the token is drawn from p", () => {
  const p = [Float32Array.of(0.5, 0.5), Float32Array.of(1, 0)];
  const { after } = verifyByRejection({
    ids: [0],
    px: [0.5],
    qx: [1],
    p,
    q: [Float32Array.of(0.5, 0.5)],
    u: [0.9, 0.6],
  });
  assert.deepEqual(after, p[0]);
});

// EAGLE heads with a vocabulary of their own: what they draft from is theirs alone.
const FOLDER = new URL("../../../assets/models/fable-eagle/", import.meta.url);
const config = { K: 2, temperature: 1, top_k: 0, top_p: 1, drafting: "sample", confidence: 0 };
const cache = await opened();
const { target, text } = await cache.setUp("fable", null);

/** The tensor d2t: what to add to an id of the head's. */
function shifts(ids) {
  const numbers = Int32Array.from(ids, (id, r) => id - r);
  return { dtype: "I32", shape: [ids.length], bytes: new Uint8Array(numbers.buffer) };
}

/** The bundled head, with other tensors beside its own. */
function head(more = {}) {
  const tensors = readTensors(new Uint8Array(readFileSync(new URL("model.safetensors", FOLDER))), "fable-eagle");
  for (const [key, tensor] of Object.entries(more)) tensors.set(key, tensor);
  const about = JSON.parse(readFileSync(new URL("config.json", FOLDER), "utf8"));
  return Eagle.ofCheckpoint(target, new Weights(tensors, "fable-eagle"), "fable-eagle", about);
}

/** What the first token of a block is drawn from, and the block. */
function draft(drafter, filters = {}) {
  const { compiled } = target;
  const mark = compiled.memory.mark();
  const tokens = text.encode("Once upon a time there was");
  const sequence = target.sequence(64);
  const context = new DraftContext({ ...config, ...filters }, target.vocabulary, 64, sequence);
  const session = drafter.begin(context);
  sequence.append(tokens.slice(0, -1), 1);
  session.prefill(tokens.slice(0, -1));
  const { ids, q } = session.propose(tokens, 2, [0.3, 0.6]);
  const rows = q.map((row) => Float32Array.from(row));
  compiled.memory.release(mark);
  return { ids, q: rows };
}

test("without rows of its own a head with d2t draws from the target's rows that d2t names", () => {
  const all = draft(head()).q[0];
  const ids = Array.from({ length: 1000 }, (_, r) => 3 * r + (r % 3)); // in other panels than the head's own rows
  const mass = ids.reduce((sum, id) => sum + all[id], 0);
  const own = draft(head({ d2t: shifts(ids) }));
  assert.ok(own.ids.every((id) => ids.includes(id)));
  for (const [id, q] of own.q[0].entries()) {
    if (ids.includes(id)) assert.ok(Math.abs(q - all[id] / mass) < 1e-5, `${id}: ${q} and ${all[id] / mass}`);
    else assert.equal(q, 0);
  }
});

test("with top-k it draws from the likeliest of its own tokens", () => {
  const ids = Array.from({ length: 1000 }, (_, r) => 4 * r);
  const own = head({ d2t: shifts(ids) });
  const likeliest = [...draft(own).q[0].entries()].sort((a, b) => b[1] - a[1]).slice(0, 5);
  const { q } = draft(own, { top_k: 5 });
  const kept = [...q[0].keys()].filter((id) => q[0][id] > 0);
  assert.deepEqual(
    kept,
    likeliest.map(([id]) => id).sort((a, b) => a - b),
  );
});

test("a map that leads out of the target's vocabulary, or back, is refused", () => {
  for (const ids of [
    [0, 1, target.vocabulary],
    [0, 2, 1],
  ])
    assert.throws(
      () => head({ d2t: shifts(ids) }),
      (error) => error instanceof ModelError && /d2t does not map its 3 tokens/.test(error.message),
    );
});

// Where two greedy lanes part: the logits are those of the passes that wrote both tokens.
const token = (id) => ({ id, text: String(id), partial: false });
const round = (drafted, ids) => ({ event: "round", drafted, emitted: ids.map((id) => ({ token: token(id) })) });

test("the pass over the block is made again, and the row is that of the token before", () => {
  const passes = [];
  const sequence = {
    append(fed, keep) {
      passes.push(fed);
      return { row: (at) => Array.from({ length: 10 }, (_, id) => (keep === 1 ? id : 100 * at + id)) };
    },
  };
  const target = { compiled: { memory: { mark: () => 0, release() {} } }, sequence: () => sequence };
  const drafted = [3, 4, 5].map((id, i) => ({ token: token(id), verdict: i < 2 ? "accepted" : "rejected" }));
  const lanes = { vanilla: [3, 6].map((id) => round([], [id])), speculative: [round(drafted, [3, 4, 7])] };
  const parting = divergence(target, [1, 2], lanes);
  assert.equal(parting?.at, 1);
  assert.deepEqual(parting?.block, { vanilla: 106, speculative: 104 });
  assert.deepEqual(passes.at(-1), [2, 3, 4, 5]);
});
