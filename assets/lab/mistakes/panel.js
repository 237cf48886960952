// Break it: a rule, right or wrong, is drawn from again and again, and what comes is held against the law that must
// come.

import { el } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { mulberry } from "../../shared/random.js";
import { filled } from "../../shared/sentences.js";
import { choice } from "../button.js";
import { bars } from "./bars.js";
import { drawn } from "./chance.js";
import { distance } from "./laws.js";
import { example, language } from "./sources.js";
import { RULES } from "./table.js";

/** @import { Bench, Drawn } from "../types.js" */
/** @import { Case, Chance } from "./types.js" */

const DRAWS = 1000;
const SOURCES = ["example", "zero", "language"];

/** @param {Bench} bench @returns {Drawn} */
export function mistakes(bench) {
  const { words, asked } = bench;
  const picture = el("div.brk-picture");
  let source = SOURCES.includes(asked.from) ? asked.from : SOURCES[0];
  let rule = RULES.find(({ key }) => key === asked.rule) ?? RULES[0];
  let [now, counts, chance] = begin();

  /** @returns {[Case, number[], Chance]} */
  function begin() {
    const found = source === "language" ? language() : example(source);
    return [found, found.p.map(() => 0), drawn(mulberry(1))];
  }

  function again() {
    [now, counts, chance] = begin();
    bench.keep({ from: source, rule: rule.key });
    run();
  }

  function run() {
    for (let i = 0; i < DRAWS; i++) counts[now.draw(rule, chance)] += 1;
    draw();
  }

  function draw() {
    const n = counts.reduce((a, b) => a + b, 0);
    const law = now.law(rule);
    picture.replaceChildren(bars(now, law, counts, bench.width(), words));
    bench.say(filled(words.told, { n: number(n, 0), off: number(distance(law, now.p), 3) }));
  }

  const offered = SOURCES.map((key) => /** @type {[string, string]} */ ([key, words[`from_${key}`]]));
  const sources = choice(words.from, offered, source, (value) => {
    source = value;
    again();
  });
  const named = RULES.map(
    ({ key, right }) => /** @type {[string, string]} */ ([key, `${right ? "✓" : "✗"} ${words[`rule_${key}`]}`]),
  );
  const rules = choice(words.rule, named, rule.key, (value) => {
    rule = RULES.find(({ key }) => key === value) ?? rule;
    again();
  });
  run();
  return {
    controls: [sources.root, rules.root],
    picture,
    run,
    draw,
    table: () => [
      ["outcome", "p", "law", "draws"],
      ...now.names.map((name, i) => [name, now.p[i], now.law(rule)[i], counts[i]]),
    ],
    chart: () => picture.querySelector("svg"),
  };
}
