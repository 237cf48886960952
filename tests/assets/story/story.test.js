// The story of a run is offered beside the replay, and told where a round has one to tell.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isFirstVisit } from "../../../assets/player/mount.js";
import { roleAt, sceneAt, storyOf } from "../../../assets/story/story.js";
import { all, button, click, count, one, pass, press, text, texts } from "../dom.js";
import { mapped } from "../mapped.js";
import { drafted, lane, round, span } from "../picture.js";
import { races } from "../player/page.js";

const RECORDED = ["opening", "tree", "block", "lookup", "all-accepted", "creative", "vllm"];
const page = races({
  drafted: { K: 4 },
  "no drafts": { K: 0 },
  "not exact": { K: 4, verifier: "typical" },
  ...Object.fromEntries(RECORDED.map((recorded) => [recorded, { recorded }])),
});

test("a run without drafts and a run that is not exact have no story", () => {
  page.show("drafted");
  assert.equal(count(".sv-again"), 1);
  for (const run of ["no drafts", "not exact"]) {
    page.arrive(run);
    assert.equal(count(".sv-again"), 0, run);
  }
});

for (const recorded of RECORDED) {
  test(`every recorded run can be told: ${recorded}`, () => {
    page.show(recorded);
    click(one(".sv-again"));
    press("ArrowRight", document.body);
    one(".sv-story-line .sv-token:not([data-final=prompt])");
    press("ArrowRight", document.body);
    assert.match(text(".sv-story-said"), /^The same (target wrote both|words)/);
  });
}

const sentence = () => text(".sv-story-said");
/** The first sentence of a run that a small model drafted. */
const first = () => page.words.story_first.replace("{ahead}", page.words.ahead_model);

test("the story calls a head a head, and both models by the words of the page", () => {
  page.show("block");
  click(one(".sv-again"));
  assert.deepEqual(texts(".sv-story-model"), ["draft (head)", "target (large model)"]);
  assert.match(sentence(), /^The draft, a head with/);
});

test("it is told at first to whoever asks for nothing else, wherever the link was", () => {
  localStorage.clear();
  const isTold = (search) => {
    history.replaceState(null, "", `/${search}`);
    return isFirstVisit();
  };
  for (const search of ["?K=3", "?__theme=dark&recorded=hot", "?chapter=2", "?lab=luck"]) assert.ok(!isTold(search), search);
  for (const search of ["?__theme=dark", "?utm_source=mail", ""]) assert.ok(isTold(search), search);
});

test("the story moves by itself to its end in fifteen to twenty-five seconds", () => {
  const { comparison } = page.show("opening", { still: false });
  click(one(".sv-again"));
  assert.equal(sentence(), first());
  let seconds = 0;
  while (!count(".sv-story[data-over]") && seconds < 60) {
    pass(50);
    seconds += 0.05;
  }
  assert.ok(seconds >= 15 && seconds <= 25, String(seconds));
  assert.ok(sentence().includes(comparison.speedup.toFixed(1)));
  button("Show me again");
});

test("who wants no motion steps through three still pictures", () => {
  const { comparison } = page.show("opening");
  click(one(".sv-again"));
  assert.equal(sentence(), first());
  assert.deepEqual(texts(".sv-story-bar > button"), ["Try your own words", "‹", "›"]);
  click(button("On"));
  assert.equal(sentence(), page.words.story_round);
  assert.equal(text(".sv-story-line .sv-token[data-role=corrected]"), "his");
  press("ArrowRight", document.body);
  assert.ok(sentence().includes(comparison.speedup.toFixed(1)));
  const roles = (within) => all(`${within} .sv-token`).map(({ dataset }) => dataset.role);
  const known = [...roles(".sv-story-keys"), "prompt", "rejected", "unexamined"]; // the last two are struck and gone
  const others = roles(".sv-story [data-lane=speculative] .sv-text").filter((role) => !known.includes(role));
  assert.deepEqual(others, [], "each colour has its key");
  for (let i = 0; i < 2; i++) press("ArrowLeft", document.body);
  assert.equal(sentence(), first());
});

const token = { id: 2, text: " b", partial: false };

/** A run of one round with these verdicts, whose slower lane takes so many ms. */
function shortStory(duration, ...verdicts) {
  const role = verdicts.includes("rejected") ? "corrected" : "bonus";
  const one = round({
    start: 0,
    drafted_at: 1,
    verified_at: 2,
    decided_at: 9,
    end: 10,
    drafted: verdicts.map((verdict) => drafted({ verdict })),
    emitted: [{ token, role }],
    shown: [
      ...verdicts.map((verdict, i) =>
        span({
          role: verdict,
          drafted: i,
          emitted: verdict === "accepted" ? i : null,
          text: ` w${i}`,
          at: 1,
          decided: 3,
        }),
      ),
      span({ role, drafted: null, emitted: verdicts.length, text: " b", at: 10, decided: 10 }),
    ],
  });
  const lanes = {
    vanilla: lane({ rounds: [one], duration }),
    speculative: lane({ rounds: [one], duration: duration / 2 }),
  };
  const picture = {
    header: { config: { exact: true }, prompt: "", chat: false },
    lanes,
    comparison: { speedup: 2, kind: "faster" },
  };
  return storyOf(picture);
}

const BLOCKS = [
  ["accepted"],
  ["rejected"],
  ["accepted", "rejected", "unexamined"],
  Array(64).fill("accepted"),
  ["accepted", ...Array(63).fill("rejected")],
];

test("whatever the run and however long, it takes fifteen to twenty-five seconds, at a pace that is a round number", () => {
  for (const verdicts of BLOCKS) {
    for (let ms = 0.05; ms < 1e6; ms *= 1.07) {
      const story = shortStory(ms, ...verdicts);
      assert.ok(story && story.duration >= 15_000 && story.duration <= 25_000, `${ms} ms: ${story?.duration}`);
      assert.ok(Math.abs(story.values.n - Math.round(story.values.n)) < 1e-6 * story.values.n || story.values.n < 1);
      assert.ok(story.stops.every((at, i) => at > (story.stops[i - 1] ?? 0)));
    }
  }
});

test("a word flies in, is looked at with all others, and then is what the run says of it", () => {
  const story = shortStory(60, "accepted", "rejected", "unexamined");
  assert.ok(story);
  const { words, look, race, scenes } = story;
  assert.deepEqual(
    words.map((word) => [roleAt(word, 0), roleAt(word, look.from), roleAt(word, race)]),
    [
      ["", "drafted", "accepted"],
      ["", "drafted", "rejected"],
      ["", "drafted", "unexamined"],
      ["", "", "corrected"],
    ],
  );
  mapped(scenes, ({ key: says }) => says, ["first", "types", "look", "kept", "struck", "replaced", "race_slow", "end"]);
  assert.equal(sceneAt(scenes, story.duration).key, "end");
});

test("a block that is kept whole strikes nothing, one that is rejected at once keeps nothing", () => {
  const says = (story) => story?.scenes.map((scene) => scene.key).slice(3, 5);
  assert.deepEqual(says(shortStory(60, "accepted", "accepted")), ["kept_all", "free"]);
  assert.deepEqual(says(shortStory(60, "rejected")), ["struck_one", "replaced"]);
});

test("a round of whole words is told, after the question that a chat model was asked", () => {
  const prompt = ["<user>", "Why", " so?", "<end>"].map((shown, i) => ({ shown, kind: i % 3 ? "text" : "special" }));
  const block = (index, first) =>
    round({
      index,
      drafted: [drafted({ verdict: "accepted" }), drafted({ verdict: "rejected" })],
      emitted: [{ token, role: "corrected" }],
      shown: [
        span({ role: "accepted", drafted: 0, emitted: 0, text: first }),
        span({ role: "rejected", drafted: 1, emitted: null, text: " not" }),
        span({ role: "corrected", drafted: null, emitted: 1, text: " but" }),
      ],
    });
  const own = lane({ rounds: [block(0, ","), block(1, " because")], duration: 10 });
  const story = storyOf({
    header: { config: { exact: true }, prompt: "Why so?", chat: true },
    lanes: { vanilla: lane({ rounds: own.rounds, duration: 20 }), speculative: { ...own, prompt } },
    comparison: { speedup: 2, kind: "faster", same: true },
  });
  assert.equal(story?.question, "Why so?");
  mapped(story?.before, ({ text }) => text, [",", " but"]);
  assert.equal(story?.words[0].token.text, " because");
  assert.equal(story?.scenes.at(-1)?.key, "end_same");
});

test("a draft that made it slower is said to have, and of a busy machine only counts are told", () => {
  const whole = round({ drafted: [drafted({ verdict: "accepted" })], shown: [span({ role: "accepted", drafted: 0 })] });
  const lanes = { vanilla: lane({ rounds: [whole], duration: 10 }), speculative: lane({ rounds: [whole], duration: 20 }) };
  const endOf = (kind, same) =>
    storyOf({ header: { config: { exact: true }, prompt: "a" }, lanes, comparison: { speedup: 0.5, kind, same } })?.scenes.at(-1)
      ?.key;
  assert.equal(endOf("faster", false), "end");
  assert.equal(endOf("slower", false), "end_slower");
  assert.equal(endOf("slower", true), "end_same_slower");
  assert.equal(endOf("disturbed", true), "end_same_counts");
});
