import assert from "node:assert/strict";
import { test } from "node:test";
import { enumerateOutcomes, positionCase, samplingChance } from "../../../../assets/lab/mistakes/cases.js";
import { distance } from "../../../../assets/lab/mistakes/distributions.js";
import { linesOf } from "../../../../assets/lab/mistakes/panel.js";
import { RULES } from "../../../../assets/lab/mistakes/rules.js";
import {
  EXAMPLES,
  example,
  language,
  placesOf,
  recordedSource,
  typedSource,
} from "../../../../assets/lab/mistakes/sources.js";
import { makeTrial } from "../../../../assets/lab/mistakes/trial.js";
import { mulberry } from "../../../../assets/shared/random.js";

const rule = (key) => RULES.find((one) => one.key === key);
const [P] = EXAMPLES.example;
const SURE = [
  [1, 0, 0],
  [1, 0, 0],
];

test("every way that chance can fall is followed once", () => {
  const ways = enumerateOutcomes((chance) => (chance.below(0.25) ? "sure" : chance.pick([0.5, 0, 0.5])));
  assert.deepEqual(
    ways.map(({ result, chance }) => [result, chance]),
    [
      ["sure", 0.25],
      [0, 0.375],
      [2, 0.375],
    ],
  );
});

test("a right rule follows p, token by token and for whole texts, also where p and q agree or are sure", () => {
  const cases = [example("example"), example("zero"), language(), positionCase(["a", "b"], [0.5, 0.5], [0.5, 0.5])];
  for (const testCase of [...cases, positionCase(["a", "b", "c"], ...SURE)]) {
    for (const one of RULES.filter(({ right }) => right)) {
      assert.ok(distance(testCase.exact(one), testCase.p) < 1e-12, `${one.key} on ${testCase.names}`);
    }
  }
});

test("a mistake is seen somewhere: in whole texts, or where p rules a token out", () => {
  for (const one of RULES.filter(({ right }) => !right)) {
    assert.ok(distance(language().exact(one), language().p) > 1e-3, one.key);
  }
  assert.equal(example("zero").exact(rule("most"))[0], 0.5 / 256);
  assert.equal(example("zero").exact(rule("rejection"))[0], 0);
});

test("two children of one place are accepted more often than one", () => {
  const turned = positionCase(["a", "b", "c"], [0.5, 0.2, 0.3], [0.1, 0.5, 0.4]);
  for (const key of ["recursive", "chosen"]) {
    assert.ok(turned.roundMeans(rule(key)).stays > turned.roundMeans(rule("match")).stays, key);
  }
});

test("a bonus that is not given costs tokens and leaves the distribution", () => {
  const [whole, fewer] = ["rejection", "unrewarded"].map((key) => language().roundMeans(rule(key)).tokens);
  assert.ok(fewer < whole && distance(language().exact(rule("unrewarded")), language().p) < 1e-12);
  assert.ok(language().roundMeans(rule("block")).tokens > whole);
});

test("what is drawn comes near the distribution that was enumerated, for every rule, and the same seed draws the same", () => {
  for (const testCase of [example("example"), example("zero"), language()]) {
    for (const one of RULES) {
      const trial = makeTrial(testCase, one, 3);
      trial.draw(4000);
      const luck = trial.exact.map((x) => 5 * Math.sqrt((x * (1 - x)) / 4000) + 1e-9);
      assert.ok(
        trial.counts.every((k, i) => Math.abs(k / 4000 - trial.exact[i]) < luck[i]),
        one.key,
      );
    }
  }
  const [once, again] = [1, 2].map(() => makeTrial(language(), RULES[0], 9));
  for (let i = 0; i < 4; i++) once.draw(50);
  again.draw(200);
  assert.deepEqual([once.n, once.counts, once.curve], [200, again.counts, again.curve]);
});

test("a u at the end of the scale draws a token that has a chance", () => {
  assert.equal(samplingChance(() => 1 - 2 ** -53).pick([0.1, 0.2, 0.7, 0]), 2);
  assert.equal(samplingChance(mulberry(1)).pick([0, 1]), 1);
});

test("the code that is shown is the code that runs, and one line of a wrong rule is marked", () => {
  for (const one of RULES) {
    const marked = linesOf(one).filter(({ wrong }) => wrong !== null);
    assert.equal(marked.length, one.right && one.key !== "unrewarded" ? 0 : 1, one.key);
    assert.ok(
      linesOf(one).length <= 16 && linesOf(one).every(({ text }) => !text.includes("✗") && !text.includes("@type")),
    );
  }
  const [first, second] = linesOf(rule("rejection"));
  assert.deepEqual([first.text, second.text], ["(p, q, chance) => {", "  const x = chance.pick(q);"]);
});

test("what cannot be p and q is said, and nothing else is changed", () => {
  assert.ok(distance(typedSource(".4 .3; .2, .1", ".7 .15 .1 .05").p, P) < 1e-12);
  const refusals = [
    [["1", "1"], "typed_one"],
    [[".5 .5", "1"], "typed_length"],
    [[".5 .6", ".5 .5"], "typed_sum"],
    [["-.5 1.5", ".5 .5"], "typed_sum"],
    [["a b", ".5 .5"], "typed_sum"],
    [["", ".5 .5"], "typed_sum"],
    [[Array(20).fill(0.05).join(" "), Array(20).fill(0.05).join(" ")], "typed_most"],
  ];
  for (const [[p, q], wrong] of refusals) assert.equal(typedSource(p, q).wrong, wrong, `${p} | ${q}`);
});

test("a position of a run is its largest tokens and all others as one; a bonus and what was not observed have no q", () => {
  const token = (text) => ({ id: 1, text, partial: false });
  const at = { entries: [{ token: token(" a"), p: 0.6, q: 0.2 }], p_rest: 0.4, q_rest: 0.8, beta: 0.5 };
  const source = recordedSource({ name: "a", position: at, bonus: false }, "all others");
  assert.deepEqual([source.names, source.p, source.beta], [["␣a", "all others"], [0.6, 0.4], 0.5]);
  assert.equal(recordedSource({ name: "a", position: at, bonus: true }, "").wrong, "bonus");
  assert.equal(recordedSource({ name: "a", position: null, bonus: false }, "").wrong, "unseen");
  assert.equal(recordedSource({ name: "a", position: { ...at, q_rest: null }, bonus: false }, "").wrong, "unseen");
  const sure = { ...at, entries: [{ token: token("a"), p: 1, q: 1 }], p_rest: 0, q_rest: 0 };
  assert.equal(recordedSource({ name: "a", position: sure, bonus: false }, "").wrong, "certain");
  assert.deepEqual(placesOf(null), []);
  const round = {
    drafted: [{ token: token("x"), position: at }],
    emitted: [{ token: token("y"), role: "bonus", position: at }],
  };
  const places = placesOf({ lanes: { speculative: { rounds: [round] } } });
  assert.deepEqual(
    places.map(({ name, bonus }) => [name, bonus]),
    [
      ["x", false],
      ["y", true],
    ],
  );
});
