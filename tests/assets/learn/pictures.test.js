// A visitor works with the picture of a chapter: sliders, views, draws, another position; all as the recorded run has it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, click, count, fill, one, pass, press, text, texts } from "../dom.js";
import { mapped } from "../mapped.js";
import { button, caption, chapter, EXCERPTS, PAGE, PLACE, slider, time } from "./page.js";

const near = (a, b, by) => assert.ok(Math.abs(a - b) <= by, `${a} is not ${b}`);
const share = (node, side) => Number.parseFloat(node.style[side]);
const visible = (node) => !node.closest("[hidden]");
const back = () => press(",", document.body);

/** The papers' formula: tokens per round over what it costs, in target passes. */
const speedup = (alpha, K, c, v) => (1 - alpha ** (K + 1)) / (1 - alpha) / (K * c + v);

test("when not to draft is told batch by batch, and then by arithmetic", async () => {
  await chapter(PLACE.busy, { still: false });
  const [batches, server] = [one(".lrn-busy"), one(".lrn-server")];
  assert.ok(visible(batches) && !visible(server));
  const costs = EXCERPTS.busy.measured;
  const [cpu, ...others] = costs;
  click(button("Measured: CPU"));
  const sizes = texts("thead th", batches).slice(1);
  assert.deepEqual(sizes, cpu.batches.map(String));
  const row = one("tbody tr", batches);
  assert.equal(text(one("td span", row)), cpu.rows[0].best[0].speedup.toFixed(2));
  assert.equal(count("td[data-later]", batches), 0);
  assert.match(caption(), /don't draft/); // as the answer to the question says
  for (let later = 1; later < sizes.length; later++) {
    back(); // from the last batch, by the keys of a lesson
    assert.equal(count("td[data-later]", row), later);
    assert.ok(caption().includes(cpu.v[sizes.length - 1 - later].toFixed(2)));
  }
  for (const other of others) {
    click(button("Measured: NVIDIA H100")); // a card that is not full at the last batch
    assert.ok(!visible(batches));
    const best = other.rows[other.spoken].best.at(-1).speedup.toFixed(2);
    assert.ok(caption().includes(`${best}×. That is less than for one text, but this machine is not full yet`));
  }
  click(button(PAGE.server));
  assert.ok(!visible(batches));
  assert.equal(count(".sv-bar-row", server), 3);
  assert.equal(button(PAGE.server).getAttribute("aria-pressed"), "true");
});

test("the server by arithmetic follows its sliders", async () => {
  await chapter(PLACE.busy);
  const set = (texts, context) => {
    fill(slider(PAGE.server_context), context);
    fill(slider(PAGE.server_texts), texts);
  };
  const [result, room] = [() => text(".lrn-server .sv-strong"), () => text(".lrn-server > .sv-note")];
  set(9, 9);
  assert.match(result(), /Don't draft: K = 0 is best\. K = 1 would be 0\.77 times as fast/);
  set(0, 9);
  assert.match(result(), /Best K: 4, 1\.9/);
  assert.match(room(), /The memory holds/);
  set(10, 17);
  assert.match(result(), /Don't draft: the memory holds/);
});

test("a block of a mixture reads each expert that any of its tokens uses, and the chart waits for the answer", async () => {
  await chapter(PLACE.busy);
  click(button(PAGE.experts_view));
  const { block, blocks, experts } = EXCERPTS.busy.experts;
  const picture = one(".lrn-experts");
  const lit = () => all(".lrn-experts-row", picture).map((row) => count("[data-on]", row));
  const union = (n) => block.chosen.map((layer) => new Set(layer.slice(0, n).flat()).size);
  const later = () => one(".sv-chart", picture).hasAttribute("data-later");
  assert.deepEqual(lit(), union(block.tokens.length));
  assert.ok(!later());
  back();
  assert.ok(caption().includes(`verifying 2 tokens costs v = ${blocks[1].v.toFixed(2)} here`));
  assert.match(caption(), /In Mixtral 8x7B .* 2 tokens cost v = 1\.66, and 5 tokens v = 2\.79/);
  back();
  assert.ok(caption().includes(`use ${blocks[block.tokens.length - 1].union.toFixed(1)} experts on average`));
  for (let beat = 0; beat < 3; beat++) back();
  assert.match(caption(), /How many experts does it read\? Guess first/);
  assert.ok(later());
  assert.deepEqual(lit(), union(1));
  fill(slider(PAGE.experts_tokens, picture), 2);
  assert.deepEqual(lit(), union(2));
  const first = one(".lrn-cells", picture);
  assert.equal(first.getAttribute("aria-label"), `layer 1: ${union(2)[0]} of ${experts}`);
  const used = block.chosen[0].slice(0, 2).map((experts) => experts.map((e) => text(first.children[e])));
  assert.ok(used[0].every((number) => number === "1") && used[1].every((number) => number === "1" || number === "2"));
  assert.equal(caption(), PAGE.by_hand);
});

test("why a server is slow is listed by its four numbers, the likeliest cause first", async () => {
  await chapter(PLACE.busy);
  click(button(PAGE.slow_view));
  const [accepted, K, requests] = all(".sv-slow input");
  const causes = () => texts(".sv-causes li");
  assert.ok(causes().length && causes().every((cause) => cause.includes("Measure ")));
  fill(requests, "512");
  assert.match(causes()[0], /^The server is busy\..* likely/);
  fill(requests, "1");
  fill(accepted, "0.2");
  assert.match(causes()[0], /^The draft guesses badly\./);
  assert.ok(!causes().some((cause) => cause.includes("server is busy")));
  fill(K, "");
  assert.deepEqual(causes(), []); // until its number is known
});

test("the rules follow p and q of three tokens, and recorded positions", async () => {
  await chapter(PLACE.engines);
  click(button(PAGE.view_trio));
  const [trio, places] = all(".lrn-rules");
  const rows = () => texts(".lrn-by-rule .sv-value", trio);
  assert.deepEqual(rows(), ["0.80, most", "0.37", "0.30", "never"]);
  fill(slider("p(a)", trio), 0.9); // p(b) gives way
  assert.deepEqual(rows(), ["0.60", "0.49", "0.90, most", "always"]);
  assert.deepEqual(texts("output", trio), ["0.90", "0.10", "0.50", "0.40"]);
  assert.equal(caption(), PAGE.by_hand); // the sentence of the moment is of other values
  fill(slider("q(a)", trio), 0.2);
  assert.equal(text(one("output", trio)), "0.90"); // and stays
  click(button(PAGE.on));
  assert.notEqual(caption(), PAGE.by_hand);
  click(button(PAGE.view_places));
  EXCERPTS.engines.recorded.places.forEach(({ chances, equal }, i) => {
    click(all("label input", places)[i]);
    const values = texts(".lrn-by-rule .sv-value", places).map((value) => value.replace(", most", ""));
    const wanted = ["rejection", "match", "argmax"].map((rule) => chances[rule].toFixed(2));
    assert.deepEqual(values, [...wanted, equal ? "always" : "never"]);
  });
});

test("at one position the slider gives chain and tree the same number of guesses", async () => {
  await chapter(PLACE.ways);
  click(button(PAGE.position_view));
  const parent = (guesses, { parent: at }) => (at >= 0 ? guesses[at] : null);
  const chance = (guesses, guess) => (guess ? guess.p * chance(guesses, parent(guesses, guess)) : 1);
  const depth = (guesses, guess) => (guess ? 1 + depth(guesses, parent(guesses, guess)) : 0);
  const tokens = (guesses, budget = guesses) => 1 + budget.reduce((sum, guess) => sum + chance(guesses, guess), 0);
  EXCERPTS.ways.shapes.positions.forEach((position, at) => {
    click(all(".lrn-picture .sv-pick label input")[at]);
    for (const n of [1, 3, 8]) {
      fill(one(".lrn-guesses input[type=range]"), n);
      ["chain", "tree"].forEach((kind, i) => {
        const nodes = all(".sv-node[data-look=lit]:not([data-at='0'])", all(".lrn-guesses .sv-round")[i]);
        assert.equal(nodes.length, n);
        const lit = nodes.map(({ dataset }) => position[kind][Number(dataset.at) - 1]);
        assert.ok(texts(".lrn-guesses .sv-value")[i].includes(`${tokens(position[kind], lit).toFixed(2)} tokens`));
      });
    }
    const deep = Math.max(...position.tree.map((guess) => depth(position.tree, guess)));
    const names = all(".lrn-guesses .sv-round [role=tree]").map((tree) => tree.getAttribute("aria-label"));
    mapped(["8 guesses", `a tree of 8 guesses, ${deep} deep`], (what) => `Round 1: ${what}, then one target pass`, names);
  });
  const last = EXCERPTS.ways.shapes.positions.at(-1);
  assert.ok(tokens(last.chain) > tokens(last.tree));
});

test("every text ends at the line, and misses it with replacements from p", async () => {
  await chapter(PLACE.whole);
  const rows = () => all(".lrn-texts .sv-bar-row");
  assert.equal(rows().length, 27);
  const bars = (row) => all(".sv-fill", row).reduce((sum, bar) => sum + share(bar, "width"), 0);
  const misses = () => Math.max(...rows().map((row) => Math.abs(bars(row) - share(one(".lrn-p-line", row), "left"))));
  assert.ok(misses() < 0.001);
  const numbers = text(".lrn-way-list")
    .match(/0\.\d+/g)
    .map(Number);
  const whole = numbers.pop();
  assert.equal(numbers.length, 7);
  near(
    numbers.reduce((a, b) => a + b),
    whole,
    0.004,
  );
  back();
  assert.ok(misses() > 5);
  one(".sv-bar-row[data-off]");
});

test("what the formula takes for granted is drawn beside the run", async () => {
  await chapter(PLACE.speed);
  click(button(PAGE.view_run));
  const { alpha, K, c, v, stayed, predicted, speedup: measured, given } = EXCERPTS.speed;
  const values = texts(".lrn-run .sv-value");
  for (let i = 0; i < K; i++) {
    const [formula, run] = [alpha ** (i + 1), stayed[i]].map((chance) => (100 * chance).toFixed(1));
    assert.equal(values[i], `formula ${formula} % · run ${run} %`);
  }
  const wanted = [speedup(alpha, K, c, v), predicted, measured].map((value) => value.toFixed(2));
  mapped(values.slice(K), (value) => value.split("×")[0], wanted);
  assert.ok(values.at(-1).endsWith(`${given.toFixed(2)} tokens per round`));
});

test("position 1 by K is asked first, then drawn for every K, then explained by where rounds start", async () => {
  const { rows } = EXCERPTS.speed.by_k;
  const percent = (part) => `${(100 * part).toFixed(1)} %`;
  const dots = () => all(".lrn-by-k svg").map((plot) => count("circle", plot));
  await chapter(PLACE.speed);
  click(button(PAGE.view_k));
  for (let i = 0; i < 4; i++) back();
  assert.match(caption(), /Decide before you go on/);
  assert.deepEqual(dots(), [1, 0, 0, 0, 0, 0, 0, 0]);
  const on = () => click(button(PAGE.on));
  on();
  assert.deepEqual(dots(), [1, 1, 1, 1, 1, 1, 1, 1]);
  assert.ok(caption().includes(percent(rows[0].accepted[0])) && caption().includes(percent(rows[7].accepted[0])));
  on();
  assert.deepEqual(dots(), [1, 2, 3, 4, 5, 6, 7, 8]);
  on();
  assert.ok(text(".lrn-by-k").includes(`${percent(rows[7].after)} after a rejection`));
  on();
  assert.ok(caption().includes(percent(rows[0].after)) && caption().includes(percent(rows[7].after)));
});

test("the map is the formula, begins with the recorded draft, and follows its sliders", async () => {
  await chapter(PLACE.speed);
  const { c, v, K } = EXCERPTS.speed;
  fill(time(), 0);
  assert.ok(caption().startsWith(`c = ${c.toFixed(2)}: at α = `));
  click(button(PAGE.view_map));
  const row = all(".lrn-map tbody tr").find((each) => text(one("th", each)).includes("4"));
  const cell = () => text(all("td", row)[7]); // K = 4, α = .8
  assert.equal(texts(".lrn-map thead th")[8], ".8");
  const formula = (c, v) => speedup(0.8, 4, c, 1 + ((v - 1) * 4) / K).toFixed(2);
  assert.equal(cell(), formula(c, v));
  fill(slider("c, a draft step"), 0.5);
  assert.equal(cell(), formula(0.5, v));
  fill(slider("v, verifying"), 2);
  assert.equal(cell(), formula(0.5, 2));
  one(".lrn-map td[data-level=slower]");
  fill(time(), time().value); // also at the same moment the chapter's values come back with its sentence
  assert.equal(cell(), formula(c, v));
  assert.notEqual(caption(), PAGE.by_hand);
  fill(slider("c, a draft step"), 0.5);
  const signs = () => [one(".lrn-own > span").hidden, one(".lrn-spot").hasAttribute("data-elsewhere")];
  assert.deepEqual(signs(), [true, true]); // no sign is explained that is not on the map
  click(button("This run"));
  assert.equal(cell(), formula(c, v));
  assert.deepEqual(signs(), [false, false]);
  assert.ok(text(".sv-strong.lrn-own").includes(`c ${c.toFixed(2)}, v ${v.toFixed(2)}`));
});

test("a u of one's own changes the verdict exactly at p/q", async () => {
  await chapter(PLACE.accept);
  back(); // from α, of the whole run, back to the verdict
  const { p, q, u } = EXCERPTS.accept.round.drafted.find(({ verdict }) => verdict === "rejected");
  const [result, moment] = [() => text(".lrn-coin > p"), caption()];
  fill(slider("Your own u"), Math.max(0, p / q - 0.005).toFixed(3));
  assert.match(result(), /would be accepted/);
  fill(slider("Your own u"), (p / q + 0.005).toFixed(3));
  assert.match(result(), /would be rejected/);
  assert.match(caption(), /You moved this yourself/);
  click(button("Back to the recorded u"));
  assert.equal(result(), "");
  assert.equal(caption(), moment);
  assert.ok(text(".sv-u-mark").includes(`u = ${u.toFixed(3)}`));
});

test("draws by the algorithm come near p, and are the same at each visit", async () => {
  const result = () => text(".lrn-draws p");
  const results = [];
  for (let visit = 0; visit < 2; visit++) {
    await chapter(PLACE.residual);
    click(button("Draw 200 times"));
    assert.match(result(), /Simulation, seed 1: 200 draws/);
    results.push(result());
  }
  assert.equal(results[0], results[1]);
  for (const n of [400, 600, 800, 1000]) {
    click(button("Draw 200 more"));
    assert.ok(result().replace(",", "").includes(`${n} draws`));
  }
  const [, right, wrong] = /p: ([\d.]+) with the residual, ([\d.]+) with corrections from p/.exec(result()).map(Number);
  assert.ok(right < 0.05 && 0.05 < wrong); // 3 standard deviations of the most uncertain share after 1000 draws
  const accepted = Number(/draws, (\d+) accepted/.exec(result())[1]);
  near(accepted / 1000, EXCERPTS.residual[1].beta, 0.05);
});

test("draws asked for faster than they fall are all drawn, and no more", async () => {
  await chapter(PLACE.residual, { still: false });
  const press = (times) => {
    for (let i = 0; i < times; i++) one(".lrn-draws button").click();
    pass(100, 60);
  };
  press(3);
  assert.match(text(".lrn-draws p"), /seed 1: 600 draws/);
  press(1);
  assert.match(text(".lrn-draws p"), /seed 1: 800 draws/);
});

test("another recorded position is drawn when it is chosen", async () => {
  await chapter(PLACE.residual);
  const before = text(".lrn-picture");
  click(one(".lrn-picture .sv-pick label input"));
  assert.notEqual(text(".lrn-picture"), before);
  const [{ entries, beta }] = EXCERPTS.residual;
  const row = () => one(".lrn-residual .sv-bar-row");
  const wrong = entries[0].shared + (1 - beta) * entries[0].p;
  assert.equal(text(one(".sv-value", row())), `p ${entries[0].p.toFixed(3)} · from p ${wrong.toFixed(3)}`);
  assert.match(caption(), /Drawn from p instead/);
  click(button("Step back"));
  assert.ok(text(one(".sv-value", row())).includes(`= ${entries[0].p.toFixed(3)}`));
  const [shared, residual] = ["shared", "residual"].map((series) => share(one(`[data-series=${series}]`, row()), "width"));
  near(shared + residual, share(one(".lrn-p-line", row()), "left"), 0.01);
});

test("the round of a position shows the rejected token, then what the residual put in its place", async () => {
  await chapter(PLACE.residual);
  const nodes = () => all(".lrn-residual .sv-node:not([data-look=''])");
  EXCERPTS.residual.forEach(({ round: { drafted, emitted } }, at) => {
    click(all(".lrn-picture .sv-pick label input")[at]);
    assert.equal(emitted.at(-1).role, "corrected");
    assert.equal(nodes().length, drafted.length + 2);
    const extra = one(".lrn-residual .sv-node[data-at='-1']");
    assert.equal(extra.dataset.look, "corrected");
    assert.ok(text(extra).includes(emitted.at(-1).token.text.trim()));
    for (let i = 0; i < 3; i++) click(button("Step back"));
    assert.equal(nodes().length, drafted.length + 1);
    const rejected = drafted.findIndex(({ verdict }) => verdict === "rejected");
    assert.equal(one(`.lrn-residual .sv-node[data-at='${rejected + 1}']`).dataset.look, "rejected");
    for (let i = 0; i < 3; i++) click(button("Step on"));
  });
});

test("every round of the run falls into its column", async () => {
  await chapter(PLACE.rounds);
  click(button(PAGE.view_bonus));
  const { rounds, K } = EXCERPTS.rounds;
  const tokensByRound = rounds.map((spans) => spans.filter(({ role }) => role !== "rejected" && role !== "unexamined").length);
  for (let n = 1; n <= K + 1; n++)
    assert.equal(count(".lrn-square[data-on]", all(".lrn-stack")[n - 1]), tokensByRound.filter((each) => each === n).length);
  const mean = tokensByRound.reduce((a, b) => a + b) / tokensByRound.length;
  assert.ok(caption().includes(`${mean.toFixed(2)} tokens per target pass`));
});

test("after a round the caches are drawn as the run has them", async () => {
  await chapter(PLACE.rounds);
  click(button(PAGE.view_bonus));
  const { drawn } = EXCERPTS.rounds;
  const [bonus] = all(".lrn-bonus");
  for (const round of [drawn.at(-1), drawn.at(-2)]) {
    assert.ok(text(one(".sv-round > summary h4", bonus)).includes(`Round ${round.index + 1}:`));
    for (const model of ["target", "draft"]) {
      const { before, peak, after } = round[`${model}_cache`];
      const row = one(`.sv-cache-row[data-model=${model}]`, bonus);
      assert.equal(text(one(".sv-cache-counts", row)), [before, peak, after].join(" → "));
      assert.equal(count(".sv-cell[data-state=rolled]:not([hidden])", row), peak - after);
    }
    back();
    if (round === drawn.at(-1)) back(); // past the closing sentence
  }
});

test("a state goes back to its copy and reads again what an attention cache only keeps", async () => {
  await chapter(PLACE.rounds);
  const { state, ask } = EXCERPTS.rounds;
  const view = one(".lrn-state");
  const row = one(".sv-cache-row[data-model=state]", view);
  const cells = (kind) => count(`.sv-cell[data-state=${kind}]:not([hidden])`, row);
  const steps = () => text(one(".sv-cache-counts", row)).split(" → ").map(Number);
  const [{ before, peak, after }, whole] = state.drawn.map((round) => round.target_cache);
  click(button(PAGE.view_state));
  for (let beat = state.cost ? 3 : 2; beat > 2; beat--) back();
  assert.deepEqual(steps(), [whole.before, whole.peak, whole.after]);
  assert.deepEqual(["state", "copy", "again", "undone"].map(cells), [1, 0, 0, 0]);
  back();
  assert.deepEqual(steps(), [before, peak, before, after]);
  assert.deepEqual(["state", "copy", "again", "undone"].map(cells), [1, 1, after - before - 1, 1]);
  back();
  assert.deepEqual(steps(), [before, peak]);
  assert.deepEqual(["state", "copy", "again", "undone"].map(cells), [1, 1, 0, 0]);
  assert.ok(!caption().includes("accepted")); // the question comes first
  click(all(".lrn-choices button", view)[ask.right]);
  assert.ok(text(one(".lrn-why", view)).includes(ask.why));
});
