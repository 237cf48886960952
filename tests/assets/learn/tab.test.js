// The tab Learn as a class meets it: chapters that are turned, move when they are asked to, and ask.

import assert from "node:assert/strict";
import { test } from "node:test";
import { currentRun } from "../../../assets/player/page.js";
import { all, click, count, fill, focused, one, pass, press, settled, text, texts } from "../dom.js";
import { mapped } from "../mapped.js";
import {
  button,
  CHAPTERS,
  caption,
  chapter,
  EXCERPTS,
  LAST,
  MEASURED,
  PAGE,
  PLACE,
  slider,
  TERMS,
  time,
  title,
  turn,
  why,
} from "./page.js";

const CHOICES = CHAPTERS.flatMap(({ question }, i) => ("choices" in question ? [i + 1] : []));
const path = () => `${location.pathname}${location.search}`;
const body = document.body;

const MANY = /(?<![\d.,]|\+ )1 (?:tokens|drafts|drafted tokens|draft steps|steps|texts|rounds|passes|positions|runs|seeds)\b/;

for (const [i, { title: name, sources }] of CHAPTERS.entries()) {
  test(`chapter ${i + 1} opens by its address at its beginning, with its sources, and moves to its end`, async () => {
    await chapter(i + 1, { still: false });
    assert.equal(title(), name);
    assert.match(one(".lrn-chapters [aria-current]").getAttribute("aria-label"), new RegExp(`^${i + 1} [A-Z]`));
    assert.equal(time().value, "0"); // until it comes into view
    assert.ok(text(".lrn-sources").split("·").length >= sources.length);
    click(button("Play"));
    assert.equal(text(button("Pause")), PAGE.pause);
    const pictures = new Set();
    for (let beat = 0; beat <= 140 && time().value !== time().max; beat++) {
      pictures.add(one(".lrn-picture").outerHTML);
      pass(500);
    }
    assert.ok(pictures.size > 2);
    assert.equal(time().value, time().max);
  });

  test(`chapter ${i + 1} without motion is at its end, is stepped back, explains a term once and says one singular`, async () => {
    await chapter(i + 1);
    assert.equal(text(button("Play again")), PAGE.again);
    assert.equal(time().value, time().max);
    const terms = all(".lrn-text .sv-term").map(({ dataset }) => dataset.term);
    assert.equal(terms.length, new Set(terms).size);
    assert.equal(count(".sv-chip .sv-term, .lrn-token .sv-term"), 0); // what a model wrote is no term
    const last = caption();
    click(button("Step back"));
    assert.notEqual(caption(), last);
    assert.ok(Number(time().value) < Number(time().max));
    click(button("Step on"));
    assert.equal(caption(), last);
    while (Number(time().value) > 0) {
      for (const sentence of texts("#learn :is(h2, p, li, th, td, label, summary, button)")) assert.doesNotMatch(sentence, MANY);
      click(button("Step back"));
    }
  });
}

test("a picture plays when it comes into view, unless the visitor was there first", async () => {
  const seen = [];
  const Observer = class {
    constructor(act) {
      seen.push((height) => act([{ intersectionRect: { height }, boundingClientRect: { height: 3 * innerHeight } }]));
    }
    observe() {}
    disconnect() {}
  };
  const { IntersectionObserver } = globalThis;
  globalThis.IntersectionObserver = Observer;
  await chapter(PLACE.verify, { still: false });
  assert.equal(text(".lrn-player button"), PAGE.play);
  seen.at(-1)(0.4 * innerHeight); // of a picture that no window shows whole
  assert.equal(text(".lrn-player button"), PAGE.play);
  seen.pop()(0.7 * innerHeight);
  assert.equal(text(".lrn-player button"), PAGE.pause);
  await chapter(PLACE.accept, { still: false });
  click(button("Step on"));
  const stood = time().value;
  seen.pop()(innerHeight);
  assert.equal(text(".lrn-player button"), PAGE.play);
  assert.equal(time().value, stood);
  globalThis.IntersectionObserver = IntersectionObserver;
});

test("arrow keys turn the page, and the address keeps up", async () => {
  await chapter(4);
  press("ArrowRight", body);
  assert.equal(title(), CHAPTERS[4].title);
  assert.equal(path(), "/?chapter=5");
  for (let i = 0; i < 2; i++) press("ArrowLeft", body);
  assert.equal(title(), CHAPTERS[2].title);
  assert.equal(path(), "/?chapter=3");
});

test("arrow keys inside a control are the control's", async () => {
  await chapter(PLACE.speed);
  click(button(PAGE.view_map));
  press("ArrowRight", slider("c, a draft step"));
  assert.equal(title(), CHAPTERS[PLACE.speed - 1].title);
  await chapter(PLACE.verify);
  for (const [key, at] of Object.entries({ ArrowRight: "1", ArrowLeft: "0" })) {
    one(".sv-node[tabindex='0']").focus();
    press(key);
    assert.ok(focused(one(`.sv-node[data-at='${at}']`)));
  }
  assert.equal(title(), CHAPTERS[PLACE.verify - 1].title);
});

test("while a dialog is open no key is the lesson's", async () => {
  await chapter(5);
  press("p", body);
  click(button("Glossary"));
  for (const key of ["ArrowRight", "n", "p"]) press(key, one("dialog"));
  assert.equal(title(), CHAPTERS[4].title);
  assert.equal(count("dialog[open]"), 1);
  assert.ok(body.hasAttribute("data-lrn-projector")); // still on the projector
});

test("keys of a chapter do nothing where another tab is open", async () => {
  await chapter(4);
  one("#learn").hidden = true;
  for (const key of ["p", "n", "ArrowRight"]) press(key, body);
  assert.ok(!body.hasAttribute("data-lrn-projector"));
  one("#learn").hidden = false;
  assert.equal(title(), CHAPTERS[3].title);
});

test("the bar and the buttons below turn the page too", async () => {
  await chapter(1);
  assert.ok(button("Previous").disabled);
  click(button("Next"));
  assert.equal(title(), CHAPTERS[1].title);
  turn(LAST);
  assert.equal(title(), CHAPTERS.at(-1).title);
  assert.ok(focused(all(".lrn-chapters button")[LAST - 1]));
  assert.throws(() => button("Next"));
  button("Finish");
});

test("space plays and pauses", async () => {
  await chapter(7, { still: false });
  for (const word of ["Play", "Pause", "Play"]) {
    assert.equal(text(".lrn-player button"), word);
    press(" ", body);
  }
});

test("comma and full stop step the picture", async () => {
  await chapter(5);
  const last = caption();
  assert.match(last, /the acceptance rate/);
  for (const sentence of ["is not below p/q", "u is drawn", "the overlap β"]) {
    press(",", body);
    assert.ok(caption().includes(sentence));
  }
  for (let i = 0; i < 3; i++) press(".", body);
  assert.equal(caption(), last);
});

test("a prediction is answered with the reason, and stays answered", async () => {
  for (const n of CHOICES) {
    await chapter(n);
    const { question } = CHAPTERS[n - 1];
    const choices = () => all(".sv-choice");
    assert.ok(!why().includes(question.why));
    const wrong = (question.right + 1) % question.choices.length;
    const marks = () =>
      choices()
        .map(({ dataset }, at) => [at, dataset.state])
        .filter(([, state]) => state);
    press("Enter", choices()[wrong]);
    assert.equal(why(), `${PAGE.wrong} ${question.why}`);
    assert.deepEqual(Object.fromEntries(marks()), { [question.right]: "right", [wrong]: "wrong" });
    click(choices()[question.right]);
    assert.equal(why(), `${PAGE.right} ${question.why}`);
    assert.deepEqual(marks(), [[question.right, "right"]]);
    assert.ok(text(".sv-choice[aria-pressed=true]").includes(question.choices[question.right]));
    click(button(n < LAST ? "Next" : "Previous"));
    turn(n);
    assert.ok(why().includes(question.why));
    await chapter(n, { anew: false }); // in another tab, or after a reload
    assert.ok(why().includes(question.why));
  }
});

test("while a class votes nothing answers here; its answer stays until it is asked again or somebody answers here", async (t) => {
  const { right, choices, why: reason } = CHAPTERS[PLACE.accept - 1].question;
  const state = { code: "abc", key: "x", left: 60, lan: null, here: 1, poll: null, gone: false };
  const answer = (change) => async (sent) => JSON.stringify(Object.assign(state, change?.(sent)));
  const [room_open, room_look, room_picture] = [answer(), answer(), answer()];
  const room_ask = answer(({ about }) => ({ poll: about && { about, choices, voted: 0, counts: [], right: null } }));
  const room_reveal = answer(() => ({ poll: { ...state.poll, right } }));
  t.after(() => Object.assign(state, { gone: true })); // nothing looks at the room any more
  await chapter(PLACE.accept, { room: { room_open, room_look, room_picture, room_ask, room_reveal } });
  const { phones_ask: ask, phones_answer: show, phones_end: end, predict_first: first } = PAGE;
  const own = `${PAGE.right} ${reason}`;
  const sentences = ["", "", reason, reason, "", first, own, "", own];
  for (const [i, pressed] of [ask, null, show, end, ask, end, null, ask, end].entries()) {
    click(pressed ? button(pressed) : all(".sv-choice")[right]);
    await settled();
    const mark = all(".sv-choice").findIndex(({ dataset }) => dataset.state);
    assert.equal(mark, sentences[i].includes(reason) ? right : -1);
    assert.equal(one(".lrn-why").hidden ? "" : why(), sentences[i]);
  }
});

test("chapter 2 takes a number and measures it", async () => {
  await chapter(2);
  const field = () => one(".lrn-question input");
  const guess = (value) => {
    fill(field(), value);
    press("Enter", field());
  };
  assert.equal(why(), PAGE.guess_first);
  for (const wrong of ["0", "-3", "1000", ""]) {
    guess(wrong);
    assert.equal(why(), PAGE.guess_bounds.replace("{most}", "99"));
  }
  guess("6");
  const took = (MEASURED.ms[8] / MEASURED.ms[1]).toFixed(2);
  const wanted = `You said 6.00×, measured here: ${took}×. ${CHAPTERS[1].question.why}`;
  assert.equal(why(), wanted);
  const shares = all(".lrn-blocks .sv-fill[data-series=target]").map(({ style }) => Number.parseFloat(style.width));
  const elsewhere = EXCERPTS.alone.recorded.map(({ ms }) => ms[8] / ms[1]); // a bar of each machine that was recorded
  const ratios = [...Object.values(MEASURED.ms).map((ms) => ms / MEASURED.ms[1]), ...elsewhere];
  mapped(ratios, (ratio) => Math.round((100 * ratio) / 16), shares.map(Math.round));
  click(button("Next"));
  click(button("Previous"));
  assert.equal(field().value, "6");
  assert.equal(why(), wanted);
});

test("a busy machine answers a guess by what others took, which is beside it before and after", async () => {
  const busy = { error: "The machine was busy." };
  await chapter(2, { measured: busy });
  const elsewhere = () => texts(".lrn-blocks .sv-bar-row").filter((row) => row.includes("recorded"));
  const { recorded } = EXCERPTS.alone;
  assert.equal(elsewhere().length, recorded.length);
  for (const row of elsewhere()) assert.ok(row.endsWith(PAGE.blocks_say), row);
  fill(one(".lrn-question input"), "4");
  click(one(".lrn-guessed"));
  for (const { device, ms } of recorded) {
    const took = `${(ms[8] / ms[1]).toFixed(2)}×`;
    assert.ok(why().includes(`${took} (${device})`), why());
    assert.ok(elsewhere().some((row) => row.includes(took)));
  }
  assert.ok(why().startsWith(busy.error) && why().includes("You said 4.00×") && why().endsWith(CHAPTERS[1].question.why));
});

test("the large server has a stated acceptance with its source, and that of the run in Watch if it is asked for", async () => {
  const chosen = () => slider("α").value;
  await chapter(PLACE.busy);
  click(button(PAGE.server));
  assert.equal(chosen(), "0.7");
  assert.match(text(".lrn-server"), /Leviathan 2022 measured 0\.53 to 0\.82/);
  currentRun.picture = { lanes: { speculative: { numbers: { alpha: 0.31 } } } };
  await chapter(PLACE.busy);
  currentRun.picture = null;
  click(button(PAGE.server));
  assert.equal(chosen(), "0.7");
  click(button("α of the run in Watch: 0.31"));
  assert.equal(chosen(), "0.31");
});

test("a page that cannot measure holds a guess against what was recorded", async () => {
  await chapter(2, { measures: false });
  assert.equal(count(".lrn-blocks .sv-fill[data-series=target]"), 0);
  fill(one(".lrn-question input"), "4");
  click(one(".lrn-guessed"));
  const [{ ms }, ...others] = EXCERPTS.alone.recorded;
  assert.ok(why().includes(`You said 4.00×, recorded: ${(ms[8] / ms[1]).toFixed(2)}×.`));
  assert.equal(count(".lrn-blocks .sv-fill[data-series=target]"), 5 + others.length);
  assert.match(text(".lrn-blocks"), /Recorded: this page does not measure/);
});

test("where nothing was recorded to show, or to measure with, the words still stand", async () => {
  const nothing = { ...EXCERPTS, alone: { ...EXCERPTS.alone, recorded: [] }, accept: null };
  await chapter(2, { measures: false, excerpts: nothing });
  assert.match(text(".lrn-blocks"), /not measured yet/);
  assert.throws(() => button("Measure on this machine"));
  await chapter(5, { excerpts: nothing });
  assert.match(text("#learn"), /No recorded run shows this yet\./);
  for (const key of [" ", ","]) press(key, body);
  click(one(".sv-choice"));
  assert.ok(why().includes(CHAPTERS[4].question.why));
  press("ArrowRight", body);
  assert.equal(title(), CHAPTERS[5].title);
});

test("where no window may open that is said", async () => {
  await chapter(2);
  const open = globalThis.open;
  globalThis.open = () => null;
  for (const [name, sentence] of Object.entries({ Notes: PAGE.notes_blocked, "To print": PAGE.pack_blocked })) {
    click(button(name));
    await new Promise((done) => setTimeout(done));
    assert.equal(text("#learn [role=alert]"), sentence);
  }
  globalThis.open = open;
  assert.ok(!text("#learn").includes(CHAPTERS[1].notes[0]));
});

test("a chapter shows its exercise, and hides the answers until they are asked for", async () => {
  await chapter(PLACE.accept);
  const { task, key } = CHAPTERS[PLACE.accept - 1].exercise;
  const says = (words) => words.every((each) => text(".sv-exercise").includes(each));
  assert.ok(!says(task.slice(0, 1)));
  click(one(".sv-exercise summary"));
  assert.ok(says(task) && !says(key.slice(0, 1)));
  click(one(".sv-answers summary"));
  assert.ok(says(key));
});

test("the glossary opens over the chapter with every term", async () => {
  await chapter(1);
  click(button(PAGE.glossary));
  mapped(TERMS, ({ name }) => name, texts("dialog dt"));
  click(button("Close"));
  assert.equal(count("dialog"), 0);
});
