// A drafter drawn on the target's layers: filled is what a draft step runs, a dot stands at each layer that it reads.

import { el } from "../../shared/dom.js";

/** @import { Stack } from "./types.js" */

const LAYERS = 6;

/**
 * `own`: so many of the target's own layers run; `reads`: the layers, from below, whose output a step takes; `above`:
 * modules of its own on top, one after the other; `again`: the last of them runs on what it made; `beside`: what stands
 * apart.
 * @type {Record<Stack, { own?: number, reads?: number[], above?: number, again?: boolean, beside?: string[] }>}
 */
const LIT = {
  beside: { beside: ["i", "i"] },
  first: { own: 2 },
  heads: { reads: [5], above: 3 },
  feature: { reads: [0, 2, 4], above: 1, again: true },
  text: { beside: ["em"] },
  table: { beside: ["b"] },
};

/** @param {Stack} kind */
export function layers(kind) {
  const { own = 0, reads = [], above = 0, again = false, beside = [] } = LIT[kind];
  const stack = Array.from({ length: LAYERS }, (_, i) => layer(i < own, reads.includes(i)));
  const modules = Array.from({ length: above }, () => el("i", { "data-lit": "" }));
  const joined = modules.flatMap((module, i) => (i ? [el("s", null, "→"), module] : [module]));
  const loop = again ? el("s", null, "↻") : null;
  const tower = el(
    "span.lrn-tower",
    null,
    el("span.lrn-above", null, joined, loop),
    el("span.lrn-stack-target", null, stack),
  );
  const parts = beside.map((tag) => el(`i.lrn-own-${tag}`, { "data-lit": "" }));
  return el("span.lrn-layers", { "data-kind": kind, "aria-hidden": "true" }, tower, el("span.lrn-beside", null, parts));
}

/** @param {boolean} lit @param {boolean} read */
function layer(lit, read) {
  return el("i", { "data-lit": lit ? "" : null, "data-read": read ? "" : null });
}
