// EAGLE heads with a vocabulary of their own: what they draft from is theirs alone.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { DraftContext } from "../../../assets/engine/draft/base.js";
import { Eagle } from "../../../assets/engine/draft/eagle.js";
import { ModelError, readTensors, Weights } from "../../../assets/engine/weights.js";
import { opened } from "./node.js";

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
  const tensors = readTensors(new Uint8Array(readFileSync(new URL("model.safetensors", FOLDER))).buffer, "fable-eagle");
  for (const [key, tensor] of Object.entries(more)) tensors.set(key, tensor);
  const about = JSON.parse(readFileSync(new URL("config.json", FOLDER), "utf8"));
  return new Eagle(target, new Weights(tensors, "fable-eagle"), "fable-eagle", about);
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
