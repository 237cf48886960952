import assert from "node:assert/strict";

/** That a function makes `wanted` of a list, one by one. */
export function mapped(list, makes, wanted) {
  const made = list.map(makes);
  assert.deepEqual(made, wanted);
}
