import assert from "node:assert/strict";
import { test } from "node:test";
import { roleAt, sceneAt, storyOf } from "../../../assets/story/script.js";
import { drafted, lane, round, span } from "../picture.js";

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
  assert.deepEqual(
    scenes.map(({ key: says }) => says),
    ["first", "types", "look", "kept", "struck", "replaced", "race_slow", "end"],
  );
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
  assert.deepEqual(
    story?.before.map(({ text }) => text),
    [",", " but"],
  );
  assert.equal(story?.words[0].token.text, " because");
  assert.equal(story?.scenes.at(-1)?.key, "end_same");
});
