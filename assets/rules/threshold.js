// Rejection with a threshold below 1: servers offer it to keep more tokens (specviz/rules/rejection.py).

import { byRatio } from "./rejection.js";

export const threshold = byRatio(({ theta }) => theta);
