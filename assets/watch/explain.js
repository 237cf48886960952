// One plain sentence for one token: what happened to it and why. Returns the words' key and what fills it in.

const ROUNDING = 1e-5; // two passes over the same text give p and q that differ by less: who drafts from p itself has q = p

function explain(picture, lane, round, drafted, emitted) {
  const { greedy, verifier } = picture.header.config;
  const suffix = greedy ? "_greedy" : verifier === "match" ? "_match" : "";
  const token = (drafted || emitted).token, x = chip(token);
  const rejected = round.drafted.find((d) => d.verdict === "rejected");
  const y = rejected ? chip(rejected.token) : null;
  if (!drafted) {
    const { role } = emitted, undrafted = role === "plain" && lane === "speculative" && picture.header.config.K ? "_undrafted" : "";
    const key = role === "plain" ? role + undrafted + (greedy ? suffix : "") : role + suffix;
    return [key, { x, y, u: probability(emitted.u) }];
  }
  if (drafted.verdict === "unexamined") return [rejected ? "unexamined" : "unexamined_ended", { x, y, p: probability(drafted.p) }];
  if (drafted.verdict === "accepted") {
    if (suffix) return ["kept" + suffix, { x }];
    return drafted.ratio >= 1 - ROUNDING ? ["kept_sure", { x }] : ["kept_lucky", { x, ratio: probability(drafted.ratio), u: probability(drafted.u) }];
  }
  const after = round.emitted.find((e) => e.role === "corrected");
  if (!after) return ["rejected_last", { x }];
  return ["rejected" + suffix, { x, y: chip(after.token), ratio: probability(drafted.ratio), u: probability(drafted.u) }];
}
