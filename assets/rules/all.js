// Made from specviz/rules by `python -m scripts.made_docs`: the record of each rule, with the form in its file here.

import { block } from "./block.js";
import { rejection } from "./rejection.js";
import { threshold } from "./threshold.js";
import { typical } from "./typical.js";

/** @import { Rule } from "./types.js" */

const BASE = { draws_each: false, tests_u: true, from_residual: true, whole_block: false, tests_softmax: false };

/** @type {Record<string, Rule>} */
export const RULES = {
  rejection: { ...BASE, exact: true, ...rejection },
  match: { ...BASE, exact: true, draws_each: true, tests_u: false, from_residual: false },
  block: { ...BASE, exact: true, whole_block: true, ...block },
  typical: { ...BASE, exact: false, tests_u: false, from_residual: false, ...typical },
  threshold: { ...BASE, exact: false, ...threshold },
  siblings: { ...BASE, exact: false, tests_softmax: true, ...rejection },
  places: { ...BASE, exact: false, ...rejection },
};
