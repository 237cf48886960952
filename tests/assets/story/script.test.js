import assert from "node:assert/strict";
import { test } from "node:test";
import { roleAt, sceneAt, storyOf } from "../../../assets/story/script.js";
import { drafted, lane, round, shown } from "../picture.js";

const token = { id: 2, text: " b", partial: false };

/** A run of one round with these verdicts, whose slower lane takes so many ms.
 * @param {number} duration @param {import("../../../assets/shared/types.js").Verdict[]} verdicts */
function told(duration, ...verdicts) {
  const role = verdicts.includes("rejected") ? "corrected" : "bonus";
  const one = round({
    start: 0,
    drafted_at: 1,
    verified_at: 2,
    decided_at: 9,
    end: 10,
    drafted: verdicts.map((verdict) => drafted({ verdict })),
    emitted: /** @type {any} */ ([{ token, role }]),
    shown: [
      ...verdicts.map((verdict, i) =>
        shown({
          role: verdict,
          drafted: i,
          emitted: verdict === "accepted" ? i : null,
          text: ` w${i}`,
          at: 1,
          decided: 3,
        }),
      ),
      shown({ role, drafted: null, emitted: verdicts.length, text: " b", at: 10, decided: 10 }),
    ],
  });
  const lanes = {
    vanilla: lane({ rounds: [one], duration }),
    speculative: lane({ rounds: [one], duration: duration / 2 }),
  };
  const made = {
    header: { config: { exact: true }, prompt: "", chat: false },
    lanes,
    comparison: { speedup: 2, kind: "faster" },
  };
  return storyOf(/** @type {any} */ (made));
}

const BLOCKS = /** @type {import("../../../assets/shared/types.js").Verdict[][]} */ ([
  ["accepted"],
  ["rejected"],
  ["accepted", "rejected", "unexamined"],
  Array(64).fill("accepted"),
  ["accepted", ...Array(63).fill("rejected")],
]);

test("whatever the run and however long, it takes fifteen to twenty-five seconds, at a pace that is a round number", () => {
  for (const verdicts of BLOCKS) {
    for (let ms = 0.05; ms < 1e6; ms *= 1.07) {
      const story = told(ms, ...verdicts);
      assert.ok(story && story.duration >= 15_000 && story.duration <= 25_000, `${ms} ms: ${story?.duration}`);
      assert.ok(Math.abs(story.values.n - Math.round(story.values.n)) < 1e-6 * story.values.n || story.values.n < 1);
      assert.ok(story.stops.every((at, i) => at > (story.stops[i - 1] ?? 0)));
    }
  }
});

test("a word flies in, is looked at with all others, and then is what the run says of it", () => {
  const story = told(60, "accepted", "rejected", "unexamined");
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
    scenes.map(({ says }) => says),
    ["first", "types", "look", "kept", "struck", "replaced", "race_slow", "end"],
  );
  assert.equal(sceneAt(scenes, story.duration).says, "end");
});

test("a block that is kept whole strikes nothing, one that is rejected at once keeps nothing", () => {
  const says = (/** @type {ReturnType<typeof told>} */ story) => story?.scenes.map((scene) => scene.says).slice(3, 5);
  assert.deepEqual(says(told(60, "accepted", "accepted")), ["kept_all", "free"]);
  assert.deepEqual(says(told(60, "rejected")), ["struck_one", "replaced"]);
});

test("a round of whole words is told, after the question that a chat model was asked", () => {
  const prompt = ["<user>", "Why", " so?", "<end>"].map((shown, i) => ({ shown, kind: i % 3 ? "text" : "special" }));
  const block = (/** @type {number} */ index, /** @type {string} */ first) =>
    round({
      index,
      drafted: [drafted({ verdict: "accepted" }), drafted({ verdict: "rejected" })],
      emitted: /** @type {any} */ ([{ token, role: "corrected" }]),
      shown: [
        shown({ role: "accepted", drafted: 0, emitted: 0, text: first }),
        shown({ role: "rejected", drafted: 1, emitted: null, text: " not" }),
        shown({ role: "corrected", drafted: null, emitted: 1, text: " but" }),
      ],
    });
  const own = lane({ rounds: [block(0, ","), block(1, " because")], duration: 10 });
  const told = storyOf(
    /** @type {any} */ ({
      header: { config: { exact: true }, prompt: "Why so?", chat: true },
      lanes: { vanilla: lane({ rounds: own.rounds, duration: 20 }), speculative: { ...own, prompt } },
      comparison: { speedup: 2, kind: "faster", same: true },
    }),
  );
  assert.equal(told?.question, "Why so?");
  assert.deepEqual(
    told?.before.map(({ text }) => text),
    [",", " but"],
  );
  assert.equal(told?.words[0].shown.text, " because");
  assert.equal(told?.scenes.at(-1)?.says, "end_same");
});
