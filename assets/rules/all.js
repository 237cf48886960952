// Made from specviz/rules by `python -m scripts.made_docs`: the record of each rule, with the forms in its file here.

import { block } from "./block.js";
import { match } from "./match.js";
import { places } from "./places.js";
import { rejection } from "./rejection.js";
import { siblings } from "./siblings.js";
import { threshold } from "./threshold.js";
import { typical } from "./typical.js";

/** @import { Rule } from "./types.js" */

const BASE = { draws_each: false, tests_u: true, from_residual: true, whole_block: false, tests_softmax: false };

/** @type {Record<string, Rule>} */
export const RULES = {
  rejection: { ...BASE, exact: true, trees: "also", ...rejection },
  match: { ...BASE, exact: true, trees: "also", draws_each: true, tests_u: false, from_residual: false, ...match },
  block: { ...BASE, exact: true, trees: "no", whole_block: true, ...block },
  typical: { ...BASE, exact: false, trees: "no", tests_u: false, from_residual: false, ...typical },
  threshold: { ...BASE, exact: false, trees: "also", ...threshold },
  siblings: { ...BASE, exact: false, trees: "only", tests_softmax: true, ...siblings },
  places: { ...BASE, exact: false, trees: "only", ...places },
};
