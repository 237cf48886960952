// A person reads the numbers of a run, opens what they mean, and is told why it was fast or slow.

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, click, count, one, press, text, texts, visible } from "../dom.js";
import { mapped } from "../mapped.js";
import { at, BROKEN, lane, races, seek, speed, tokens } from "./page.js";

const page = races(
  {
    plain: {},
    "K = 4": { K: 4 },
    lookup: { drafter: "lookup" },
    "no drafts": { K: 0 },
    greedy: { temperature: 0 },
    parts: { prompt: "parts here" },
    graphs: { prompt: "graphs on a device" },
    tree: { tree: "3-2-1-1", K: 4, tokens: 60 },
    often: { prompt: "often repeated" },
    busy: { prompt: "busy machine", K: 4 },
    shared: { prompt: "shared machine", K: 4 },
    full: { prompt: "context is short" },
  },
  { styles: true, inspects: false },
);
const FIGURES = [
  "f_speedup",
  "f_per_forward",
  "a_drafted",
  "a_tested",
  "a_alpha",
  "f_c",
  "f_v",
  "f_predicted",
  "f_best",
  "f_texts",
];
const figure = (key) => one(`.sv-figure[data-figure=${key}]`);
const value = (key) => text(one("strong", figure(key)));
const meaning = (key) => text(one("p", figure(key)));
const share = (number) => `${(100 * number).toFixed(1)} %`;
const open = (key) => click(one("summary", figure(key)));

test("each figure is the one of the trace", () => {
  const { account, comparison, lanes } = page.show("K = 4");
  const { numbers } = lanes.speculative;
  for (const [key, wanted] of Object.entries({
    f_speedup: `${comparison.speedup.toFixed(2)}×`,
    f_per_forward: numbers.tokens_per_forward.toFixed(2),
    a_drafted: share(numbers.accepted_of_drafted),
    a_tested: share(numbers.accepted_of_tested),
    a_alpha: share(numbers.alpha),
    f_c: account.c.toFixed(2),
    f_v: account.v.toFixed(2),
    f_predicted: `${account.predicted.toFixed(2)}×`,
    f_best: `K = ${account.best_K}`,
    f_texts: `differ from token ${comparison.common + 1} on`,
  }))
    assert.equal(value(key), wanted, key);
  assert.ok(text(".sv-why").includes(`${account.why.tokens.toFixed(2)} tokens`));
  for (const words of ["accepted / drafted", "accepted / tested", "α, average of β", "tokens per target pass", "rest"])
    assert.ok(text(".sv-numbers").includes(words), words);
  const rows = all(".sv-positions tbody tr").map((row) => texts("td, th", row).slice(0, 3));
  const positions = numbers.by_position.map((at) => [`${at.position}`, `${at.reached} of ${at.drafted}`, `${at.accepted}`]);
  assert.deepEqual(rows, positions);
});

test("every figure says what it is when it is opened, by mouse or by key", () => {
  page.show("plain");
  mapped(all(".sv-figure"), ({ dataset }) => dataset.figure, FIGURES);
  for (const [i, key] of FIGURES.entries()) {
    const note = one("p", figure(key));
    assert.ok(!visible(note));
    if (i % 2) open(key);
    else press("Enter", one("summary", figure(key)));
    assert.ok(visible(note));
    assert.ok(text(note).split(" ").length > 5);
    assert.doesNotMatch(text(note), BROKEN);
  }
});

test("what a figure is stands behind its question mark also where the run has none, and each says how it came about", () => {
  for (const run of ["busy", "no drafts", "K = 4"]) {
    page.show(run);
    for (const key of ["f_speedup", "f_c", "f_v", "f_predicted", "f_best"])
      assert.ok(meaning(key).startsWith(page.words[`${key}_is`]), `${run}: ${key}`);
    const basis = texts(".sv-basis");
    assert.equal(basis.length, all(".sv-figure").length - 1); // all but the two texts
    for (const word of basis) assert.ok(["measured", "counted", "calculated"].includes(word), word);
  }
});

test("one line joins the accepted share, the tokens of a round, its cost and the speedup", () => {
  const { account, comparison, lanes } = page.show("K = 4");
  const { tokens, cost } = account.why;
  const division = `${tokens.toFixed(2)} ÷ ${cost.all.toFixed(2)} = ${comparison.speedup.toFixed(2)}×`;
  const accepted = `${share(lanes.speculative.numbers.accepted_of_tested)} were accepted`;
  for (const part of [division, accepted]) assert.ok(text(".sv-why").includes(part), part);
});

test("where the texts of both lanes part is said, with the logits of both tokens if they are greedy", () => {
  const { comparison } = page.show("plain");
  for (const token of comparison.parted) assert.ok(meaning("f_texts").includes(token.text.trim()));
  assert.match(text(".sv-texts"), /two samples of one distribution/);
  page.arrive("greedy");
  assert.equal(value("f_texts"), "identical");
  assert.equal(text(".sv-texts"), "Both lanes wrote the same 48 tokens.");
  page.arrive("parts");
  for (const logit of ["7.1250", "7.1240", "7.1234", "7.1249"]) assert.ok(text(".sv-texts").includes(logit));
});

test("a full context, the time of recording graphs and what slows a device down are said where they are", () => {
  page.show("plain");
  assert.equal(count(".sv-full, .sv-captured, .sv-eager, .sv-device"), 0);
  page.arrive("full");
  assert.match(text(".sv-full"), /context was full after 48 tokens/);
  page.arrive("graphs");
  assert.match(text(".sv-captured"), /800 ms/);
  assert.equal(text(".sv-eager"), "Slower than this device allows: no memory for <b>a graph</b>.");
  assert.equal(text(".sv-device"), "On this device: the driver is <b>too old</b>.");
  assert.ok(text(".sv-numbers").includes("story-draft: its config names what is not read: <b>norm</b>."));
});

test("a run of trees tells the best tree and beside it the best chain", () => {
  const { account } = page.show("tree");
  const { best_tree: tree, best_chain: chain } = account;
  assert.equal(value("f_c"), account.c.toFixed(2));
  assert.equal(value("f_v"), account.v.toFixed(2));
  assert.equal(value("f_predicted"), `${account.predicted.toFixed(2)}×`);
  assert.equal(value("f_tree"), `${tree.nodes} tokens`);
  const best = `best tree has ${tree.nodes} tokens in ${tree.levels} levels: ${tree.speedup.toFixed(2)}×.`;
  assert.ok(meaning("f_tree").includes(`${best} The best chain has K = ${chain.nodes}: `));
  assert.equal(count("[data-figure=f_best]"), 0);
  assert.equal(text(".sv-why"), page.words.missing_tree);
});

test("without drafts the prices are said to be missing, and why", () => {
  page.show("no drafts");
  assert.ok(text(".sv-verdict").includes(page.words.kind_alike));
  assert.equal(one(".sv-verdict").dataset.kind, "alike");
  assert.equal(text(".sv-why"), page.words.missing_zero);
  for (const key of ["f_c", "f_v", "f_predicted", "f_best"]) {
    assert.equal(value(key), "–");
    assert.ok(meaning(key).includes(page.words.missing_zero));
  }
  assert.doesNotMatch(text(".sv-numbers"), BROKEN);
});

for (const [run, says] of Object.entries({ "K = 4": "Faster: ", lookup: "The main limit is" })) {
  test(`why the run was as fast as it was stands before the figures: ${run}`, () => {
    page.show(run);
    const why = one(".sv-why");
    assert.ok(text(why).includes(says));
    assert.match(text(why), /It takes as long as/);
    assert.ok(why.compareDocumentPosition(figure("f_speedup")) & Node.DOCUMENT_POSITION_FOLLOWING);
  });
}

test("a speedup stands with its interval, and says what was timed and how often", () => {
  const { low, high } = page.show("plain").comparison;
  assert.ok(text(".sv-verdict").includes(`${low.toFixed(2)}–${high.toFixed(2)}`));
  assert.ok(!visible(".sv-timed p"));
  click(one(".sv-timed summary"));
  assert.ok(visible(".sv-timed p"));
  assert.match(text(".sv-timed p"), /Each lane ran once\./);
  assert.ok(text(".sv-timed p").includes(page.words.luck));
  page.arrive("often");
  assert.match(text(".sv-timed p"), /Both lanes ran 7 times alternately/);
  assert.doesNotMatch(text(".sv-facts"), BROKEN);
});

test("beside a disturbed run stand its counts, a warning and no cause", () => {
  const { lanes, comparison } = page.show("busy");
  assert.equal(comparison.clock, null); // by no clock: its times are withheld
  assert.equal(text(".sv-verdict strong"), lanes.speculative.numbers.tokens_per_forward.toFixed(2));
  assert.ok(text(".sv-facts").includes(page.words.disturbed));
  assert.equal(count(".sv-rate, .sv-clock"), 0);
  assert.ok(!visible("#timeline"));
  speed("1/25");
  assert.equal(text(".sv-takes"), page.words.takes_busy);
  assert.ok(!one(".sv-scrub").getAttribute("aria-valuetext").includes("ms"));
  click(tokens("rejected")[0]);
  assert.match(text(".sv-inspector"), /Target cache/);
  assert.doesNotMatch(text(".sv-inspector"), /This round:/);
  assert.match(text(".sv-facts"), /The lane with a draft ran on a processor for 60\.0 % of its time\./);
  assert.equal(text(".sv-why"), page.words.missing_disturbed);
  for (const key of ["f_c", "f_v", "f_predicted", "f_best"]) assert.equal(value(key), "–");
  const sentences = [".sv-headline", ".sv-facts", ".sv-why", ".sv-figures"].map(text).join(" ");
  const causes = /\b(because|faster|slower|holds it back|costs only|no clear difference|reached)\b/i;
  assert.doesNotMatch(sentences.replaceAll(page.words.missing_disturbed, ""), causes);
  assert.doesNotMatch(sentences, BROKEN);
});

test("beside other programs a run is replayed and compared by processor time, which says so and tells no cause", () => {
  const alone = page.show("busy"); // the same run, by its own clock
  const { lanes, comparison } = page.show("shared");
  for (const [name, share] of Object.entries({ vanilla: 0.5, speculative: 0.4 }))
    assert.ok(Math.abs(lanes[name].duration - share * alone.lanes[name].duration) < 1);
  assert.ok(Math.abs(comparison.speedup - alone.comparison.speedup * (0.5 / 0.4)) < 0.01);
  assert.equal(parseFloat(text(".sv-verdict strong")), Number(comparison.speedup.toFixed(2)));
  assert.ok(text(".sv-verdict").includes(page.words.by_processor));
  assert.ok(text(".sv-facts").includes(page.words.by_processor_is));
  assert.match(text(".sv-facts"), /The lane with a draft ran on a processor for 40\.0 % of its time\./);
  assert.ok(meaning("f_speedup").includes(page.words.f_speedup_is));
  assert.ok(visible("#timeline"));
  assert.match(text(".sv-timed p"), /reaches a tenth to each side/);
  for (const rate of texts(".sv-rate")) assert.match(rate, /tokens\/s by processor time$/);
  assert.equal(count(".sv-rate .sv-term[data-term='processor time']"), 2);
  assert.match(text(".sv-takes"), /ms of processor time/);
  assert.equal(text(".sv-why"), page.words.missing_disturbed);
  assert.equal(value("f_v"), "–");
  assert.doesNotMatch(text(".sv-headline") + text(".sv-figures"), BROKEN);
});

test("while it plays a rate is that of the moment, and the result is told at the end", () => {
  page.show("plain", { still: false });
  const rate = one(".sv-rate strong", lane("vanilla"));
  seek(20);
  assert.equal(text(rate), "–"); // of so few tokens it would jump
  seek(100);
  assert.ok(!visible(".sv-verdict"));
  assert.ok(visible(".sv-at"));
  const tokens = Number(/tokens (\d+)/.exec(text(one(".sv-counter", lane("vanilla"))))[1]);
  assert.ok(Math.abs(Number(text(rate)) - tokens / 0.1) <= 0.01 * Number(text(rate)));
  press("End", document.body);
  assert.ok(visible(".sv-verdict"));
  assert.ok(!visible(".sv-at"));
  const row = all(".sv-numbers tr").find((each) => text(each).includes("tokens/s, decoding"));
  assert.equal(Number(text(rate)), Math.round(Number(text(one("td", row)))));
  assert.equal(at(), Number(one(".sv-scrub").max));
});
