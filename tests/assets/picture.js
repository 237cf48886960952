// Rounds and lanes for tests: what is not said is empty.

export const span = (fields) => ({
  role: "plain",
  text: " a",
  kind: "text",
  drafted: null,
  emitted: 0,
  at: 0,
  decided: 0,
  ...fields,
});

export const drafted = (drafted) => ({
  token: { id: 1, text: " a", partial: false },
  p: 0.2,
  q: 0.4,
  ratio: 0.5,
  u: 0.7,
  verdict: "rejected",
  position: null,
  ...drafted,
});

export const round = (round) => ({
  index: 0,
  start: 0,
  drafted_at: 0,
  verified_at: 0,
  decided_at: 0,
  end: 0,
  times: { draft: 0, verify: 0, decide: 0, rest: 0, observe: 0 },
  drafted: [],
  emitted: [],
  residual: null,
  target_cache: { before: 0, peak: 0, after: 0 },
  draft_cache: null,
  target_forwards: 1,
  draft_forwards: 0,
  asked: null,
  fewer: null,
  shown: [],
  ...round,
});

export const lane = (lane) => ({
  name: "speculative",
  prompt: [],
  rounds: [],
  duration: 0,
  stopped: null,
  numbers: {},
  ...lane,
});

/**
 * Two tokens drafted until 10, checked until 30, one kept at 31, one rejected at 32, one corrected at 33; then one
 * plain token.
 */
export const twoRounds = () =>
  lane({
    duration: 60,
    prompt: [{ id: 0, text: "x", partial: false, shown: "x", kind: "text" }],
    rounds: [
      round({
        drafted_at: 10,
        verified_at: 30,
        decided_at: 33,
        end: 35,
        drafted: [drafted({ verdict: "accepted" }), drafted({})],
        shown: [
          span({ role: "accepted", drafted: 0, at: 3, decided: 31 }),
          span({ role: "rejected", drafted: 1, emitted: null, at: 6, decided: 32 }),
          span({ role: "corrected", emitted: 1, at: 33, decided: 33 }),
        ],
      }),
      round({
        index: 1,
        start: 35,
        drafted_at: 35,
        verified_at: 55,
        decided_at: 58,
        end: 60,
        target_forwards: 2,
        shown: [span({ at: 58, decided: 58 })],
      }),
    ],
  });
