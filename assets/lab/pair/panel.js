// The panel Your pair: two models, a card and what is assumed; what that promises, and what it makes of measurements.

import { el, setText } from "../../shared/dom.js";
import { explain } from "../../shared/glossary.js";
import { milliseconds, number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { memoryOf, room, servedBy } from "../../shared/serving.js";
import { expertsReason } from "../experts.js";
import { makeForm } from "../form.js";
import { addPanel } from "../panels.js";
import { promise } from "./arithmetic.js";
import { drawByK } from "./chart.js";
import { assumptions, checkTable } from "./checks.js";
import { askedPair, fields, ownChances } from "./form.js";

/** @import { Drawn, PanelContext, Words } from "../types.js" */
/** @import { Hardware, Size } from "../../shared/hardware.js" */
/** @import { Asked } from "./arithmetic.js" */

/** @param {PanelContext} bench @returns {Drawn} */
function pair(bench) {
  const { words } = bench;
  const picture = el("div.lab-stack", null, el("p.lab-empty", null, words.opening));
  const controls = el("div.lab-controls");
  const below = el("div.lab-stack");
  const own = ownChances(bench.picture());
  /** @type {{ hardware: Hardware, form: ReturnType<typeof makeForm> } | null} */
  let ready = null;
  /** @type {(string | number)[][]} */
  let rows = [];

  bench.server
    .hardware("")
    .then((text) => {
      const { hardware } = /** @type {{ hardware: Hardware }} */ (JSON.parse(text));
      const form = makeForm(fields(hardware, own, words), bench.asked, (values) => {
        bench.keep(values);
        draw();
      });
      ready = { hardware, form };
      controls.replaceChildren(...form.nodes);
      draw();
    })
    .catch(() => setText(picture, words.lost));

  function draw() {
    if (!ready) return;
    const { hardware, form } = ready;
    const values = form.values();
    form.show((name) => ["parameters", "layers"].includes(name), values.target === "other");
    form.show((name) => ["draft_parameters", "draft_layers"].includes(name), values.draft === "other");
    const { asked, chances, wrong } = askedPair(values, hardware, words);
    bench.say(wrong);
    picture.toggleAttribute("data-stale", Boolean(wrong));
    if (wrong) return;
    const got = promise(asked, chances);
    const all = servedBy(got.passes, chances[1], asked.work.texts);
    const said = {
      K: got.K,
      speedup: number(got.speedup, 2),
      low: number(got.low, 2),
      high: number(got.high, 2),
      one: number(all[1].speedup, 2),
      target: milliseconds(got.target_ms),
      draft: milliseconds(got.draft_ms),
      c: number(got.c, 3),
      v: number(got.v, 2),
      n: got.K + 1,
    };
    const ends = (/** @type {number} */ K) => promise({ ...asked, K }, chances);
    rows = all.slice(0, 13).map(({ K, speedup }) => {
      const { low, high } = ends(K);
      return [K, low, speedup, high];
    });
    const lent = own !== null && values.alpha === own.text; // of another pair: no result of this one
    const sentence = !got.K ? words.promise_none : lent ? words.promise_run : words.promise;
    const none = full(asked, words);
    const bestFor = (/** @type {Size} */ target) => promise({ ...asked, target }, chances);
    const reason = expertsReason(asked.target, asked.work.texts, bestFor, words);
    picture.replaceChildren(
      ...none.map((line) => el("p.lab-sentence", null, line)),
      el(lent || none.length ? "p" : "p.lab-sentence", null, fillText(sentence, { ...said, source: own?.source })),
      ...reason.map((line) => el("p.lab-note", null, line)),
      el("p.lab-note", null, fillText(words[`limit_${got.limit}`], said)),
      el("p.lab-note", null, memory(asked, words)),
      ...(lent ? [el("p.lab-note", null, words.from_run)] : []),
      el(
        "div.lab-pair",
        null,
        drawByK(rows, got.K, words, Math.min(bench.width(), 760)),
        assumptions(asked, values, hardware, words),
      ),
    );
    below.replaceChildren(checkTable(hardware, words));
  }

  return {
    controls,
    picture,
    numbers: [below, el("p.lab-note", null, explain(words.note))],
    draw,
    table: () => (rows.length ? [words.csv.split("|"), ...rows] : null),
    chart: () => picture.querySelector("svg"),
  };
}

/** What both models take. @param {Asked} asked @param {Words} words */
function memory({ target, draft, work: { context }, assumed: { width, draftWidth } }, words) {
  const [own, drafts] = [memoryOf(target, context, width), memoryOf(draft, context, draftWidth)];
  return fillText(words.memory, {
    parameters: draft.parameters,
    width: draftWidth,
    weights: number(drafts.weights, 1),
    cache: number(drafts.cache, 2),
    context: number(context, 0),
    target_weights: number(own.weights, 1),
    target_cache: number(own.cache, 2),
  });
}

/** What the memory does not hold, if so. @param {Asked} asked @param {Words} words */
function full({ target, draft, card, devices, work, assumed }, words) {
  const where = { card, devices, reach: 1, launch: 0 };
  const holds = room(target, draft, where, Math.max(1, work.context), assumed.width, assumed.draftWidth);
  if (holds >= work.texts) return [];
  return [fillText(words.full, { devices, card: card.name, holds: number(holds, 0), texts: number(work.texts, 0) })];
}

addPanel("pair", pair);
