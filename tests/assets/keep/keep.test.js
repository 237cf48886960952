import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { cellText, copyLink, decodeHere, linkQuery, linkStatus, siteQuery, withRun } from "../../../assets/keep/visit.js";
import { one, open } from "../dom.js";

const words = { nothing: "nothing", busy: "busy", processor: "{speedup} by processor time" };
const texts = (line) => Object.keys(line.values).map((name) => cellText(line, name, words));

test("settings and numbers are said as a person reads them, of a disturbed run only what was counted", () => {
  const values = { K: 3, draft: null, prompt: "a\nb", speedup: 1.5, alpha: 0.75, tokens_per_forward: null };
  assert.deepEqual(texts({ timed: "wall", values }), ["3", "nothing", "a↵b", "1.50 ×", "75.0 %", "nothing"]);
  const counted = { speedup: 1.5, tokens_per_forward: 2.5 };
  assert.equal(texts({ timed: "processor", values: counted })[0], "1.50 × by processor time");
  assert.deepEqual(texts({ timed: null, values: counted }), ["busy", "2.50"]);
});

const NAMES = ["prompt", "K", "adaptive", "stop"];
const PLAIN = { adaptive: false, stop: "" };

test("a link names what differs from a plain page, zero and false where they are no default", () => {
  assert.equal(String(linkQuery(NAMES, ["a & b", 0, false, ""], PLAIN, "")), "prompt=a+%26+b&K=0");
  assert.equal(String(linkQuery(NAMES, [null, 3, true, "\n"], PLAIN, "opening")), "recorded=opening&K=3&adaptive=true&stop=%0A");
});

test("an address that sets nothing has what this browser kept of the last visit, and a link is read instead", () => {
  localStorage.setItem("specviz.settings", '"K=3"');
  const reads = (search) => {
    history.replaceState(null, "", `/${search}`);
    open('<div id="said"><div class="sv-said"></div></div>');
    const asked = [];
    const mount = { element: one("#said"), props: { value: "{}", words: {} }, watch() {}, linked: (kept) => asked.push(kept) };
    linkStatus(mount);
    return asked;
  };
  for (const search of ["", "?view=lab", "?__theme=dark&chapter=2", "?lab=luck&lab_seeds=9", "?utm_source=mail"])
    assert.deepEqual(reads(search), ["K=3"], search);
  for (const search of ["?K=4", "?__theme=dark&recorded=hot", "?speed=9"]) assert.deepEqual(reads(search), [""], search);
  reads("");
  localStorage.clear();
});

test("the site takes the prompt unless it is too long for a link, the settings, and the drafter of its own models only", () => {
  const [names, plain] = [["prompt", "models", "drafter", "K"], { models: "fable" }];
  assert.equal(String(siteQuery(names, plain, ["Two birds", "fable", "mtp", 2])), "prompt=Two+birds&drafter=mtp&K=2");
  assert.equal(String(siteQuery(names, plain, ["Two birds", "assistant", "eagle", 2])), "prompt=Two+birds&K=2");
  const opened = [];
  globalThis.open = (link) => void opened.push(String(link));
  const state = (prompt) => JSON.parse(decodeHere(["prompt"], {}, 100, [prompt])).state;
  assert.deepEqual([state("Two birds"), state("x".repeat(100))], [undefined, "long"]);
  assert.deepEqual(opened, ["http://127.0.0.1/site/?prompt=Two+birds"]);
});

test("the link is copied, or given to be copied by hand, or too long to be one", async () => {
  const copied = [];
  const link = async (prompt, recorded, writeText) => {
    Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
    return JSON.parse(await copyLink(NAMES, PLAIN, 100, [prompt, 3, false, "", recorded]));
  };
  const { state } = await link("x", "opening", async (text) => void copied.push(text));
  assert.deepEqual([state, copied], ["copied", ["http://127.0.0.1/?recorded=opening&prompt=x&K=3"]]);
  const refuses = () => Promise.reject(new Error("no"));
  assert.deepEqual(await link("x", "", refuses), { state: "refused", link: "http://127.0.0.1/?prompt=x&K=3" });
  assert.deepEqual(await link("x".repeat(100), "", refuses), { state: "long" });
});

const run = (n, size = 3) => ({ id: `run ${n}`, source: "run", data: "x".repeat(size) });
const ids = (runs) => runs.map(({ id }) => Number(id.slice(4)));

test("the last twelve runs are kept, each once, the newest at the end; the first go where there is no room for all", () => {
  let runs = [];
  for (let n = 0; n < 15; n++) runs = withRun(runs, run(n));
  assert.deepEqual(ids(runs), [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
  assert.deepEqual(ids(withRun(runs, run(5))).slice(-2), [14, 5]);
  const large = [run(1, 900_000), run(2, 900_000)];
  assert.deepEqual(ids(withRun(large, run(3, 900_000), 2_000_000)), [2, 3]);
  assert.deepEqual(withRun(large, run(4, 3_000_000), 2_000_000), []);
});

test("recorded runs that are opened push out recorded ones, and none of one's own", () => {
  const recorded = (n) => ({ ...run(n), source: "recorded" });
  let runs = [1, 2, 3].map((n) => run(n));
  for (let n = 10; n < 30; n++) runs = withRun(runs, recorded(n));
  assert.deepEqual(ids(runs), [1, 2, 3, 21, 22, 23, 24, 25, 26, 27, 28, 29]);
  let own = runs;
  for (let n = 40; n < 49; n++) own = withRun(own, run(n));
  assert.deepEqual(ids(withRun(own, recorded(50))), ids(own));
});
