// What a test of a component takes from Python: see tests/page_fixtures.py, which says what can be asked for.

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** What was asked for; values of runs by the names of their requests. */
export function fixtures(runs = {}, more = {}) {
  const python = process.env.PYTHON ?? ".venv/bin/python";
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const input = JSON.stringify({ runs, ...more });
  return JSON.parse(execFileSync(python, ["-m", "tests.page_fixtures"], { cwd, input, maxBuffer: 2 ** 28 }).toString());
}
