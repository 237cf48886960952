// Chapter 2: a processor that guesses branches, and a round of a recorded run, step for step the same.

const GUESS_MS = 700;

function guess({ round }) {
  const drafted = round.drafted, K = drafted.length;
  const end = round.emitted[round.emitted.length - 1];
  const branches = drafted.map((_, i) => tokenBox(filled(T.branch, { n: i + 1 }), "")), other = tokenBox(T.branch_other, "");
  const tokens = drafted.map((d) => tokenBox(d.token.text, "")), corrected = tokenBox(end.token.text, "");
  const stages = [T.stage_guess, T.stage_check, T.stage_end].map((word) => el("li", null, word));
  const checks = [T.branch_known, T.pass_runs].map((word) => el("div.lrn-check", null, word));
  const lane = (word, check, boxes) => el("section.lrn-lane", null, el("h4", null, word), check, el("div.lrn-boxes", null, boxes));
  const node = el("div.lrn-guess", null, el("ol.lrn-stages", null, stages),
    lane(T.processor, checks[0], [...branches, other]), lane(T.decoding, checks[1], [...tokens, corrected]));
  const check = K * GUESS_MS + 600, verdict = check + 1600, after = verdict + K * GUESS_MS + 300;
  const beats = [{ at: 0, say: [T.guess_1, { n: K }] }, { at: check, say: [T.guess_2] }, { at: verdict, say: [T.guess_3] }, { at: after, say: [T.guess_4] }];
  const roleAt = (t, i) => (t >= verdict + i * GUESS_MS ? drafted[i].verdict : t >= i * GUESS_MS + 200 ? "drafted" : "");
  return {
    node, beats, tail: 1600,
    paint(t, i) {
      drafted.forEach((_, k) => [branches[k], tokens[k]].forEach((box) => setRole(box, roleAt(t, k))));
      [other, corrected].forEach((box) => setRole(box, t >= after ? end.role : ""));
      checks.forEach((box) => box.toggleAttribute("data-on", t >= check && t < verdict));
      stages.forEach((stage, k) => stage.toggleAttribute("data-on", k === Math.min(i, 2)));
    },
  };
}
