// The inspector: one token, everything that decided it. Drawn from the same picture as the lanes, no trip to the server.

function drawInspector(box, picture, picked) {
  const told = tell(picture, picked);
  box.replaceChildren(el("h3", null, WORDS.inspector));
  if (!told) return box.append(el("p.sv-note", null, WORDS.choose));
  box.append(inspectorHead(told), el("p.sv-sentence", null, say(...told.sentence)));
  if (told.round) box.append(...evidence(picture, told.round, told.drafted, told.emitted), roundFacts(told.round));
}

// The same sentence right under the lanes, so that choosing a token answers without leaving them.
function drawCaption(box, picture, picked, onDetails) {
  const told = tell(picture, picked);
  if (!told) return box.replaceChildren(el("p", null, WORDS.choose));
  const more = el("button.sv-button", { type: "button" }, WORDS.details);
  more.addEventListener("click", onDetails);
  box.replaceChildren(roleBadge(told.role), el("p", null, say(...told.sentence)), more);
}

// What was picked: {token, role, where, sentence, round, drafted, emitted}; no round for a token of the prompt.
function tell(picture, picked) {
  if (!picked) return null;
  const lane = picture.lanes[picked.lane];
  if (picked.round === undefined) {
    const token = lane.prompt[picked.prompt];
    return { token, role: "prompt", where: "", sentence: ["in_prompt", { x: chip(token) }] };
  }
  const round = lane.rounds[picked.round];
  const drafted = picked.drafted === null ? null : round.drafted[picked.drafted];
  const emitted = picked.emitted === null ? null : round.emitted[picked.emitted];
  const where = drafted
    ? plain("where_draft", { round: round.index + 1, i: picked.drafted + 1, K: round.drafted.length })
    : plain("where_after", { round: round.index + 1 });
  const role = drafted ? drafted.verdict : emitted.role;
  return { token: (drafted || emitted).token, role, where, sentence: explain(picture, picked.lane, round, drafted, emitted), round, drafted, emitted };
}

const roleBadge = (role) => el("span.sv-role", { "data-role": role }, `${ROLES[role].glyph} ${ROLES[role].word}`);

function inspectorHead({ token, role, where }) {
  return el("div.sv-inspector-head", null, el("span.sv-big-token", null, chip(token)), roleBadge(role), el("span.sv-note", null, where));
}

// What the decision was made from: the distributions, u against its threshold, the residual.
function evidence(picture, round, drafted, emitted) {
  const rejected = round.drafted.find((d) => d.verdict === "rejected");
  const replaced = drafted ? (drafted.verdict === "rejected" ? drafted : null) : emitted.role === "corrected" ? rejected : null;
  const subject = drafted || replaced || emitted;
  const parts = [];
  if (drafted && drafted.u !== null) parts.push(panel("u_title", whatIf(picture, round, drafted)));
  if (drafted && drafted.verdict === "unexamined") return [el("p.sv-pq", null, pair("p(x)", drafted.p), pair("q(x)", drafted.q))];
  if (subject.position) parts.push(barsPanel(picture, subject));
  else parts.push(el("p.sv-note", null, WORDS.not_observed), drafted ? el("p.sv-pq", null, pair("p(x)", drafted.p), pair("q(x)", drafted.q)) : "");
  const after = round.emitted.find((e) => e.role === "corrected");
  if (replaced && round.residual && after && !picture.header.config.greedy) {
    parts.push(panel("residual_title", el("p.sv-note", null, say("residual_note", { mass: probability(round.residual.mass) })), residualBars(round.residual, after.token)));
  }
  const rest = replaced && restOfBlock(round, replaced);
  if (rest) parts.push(rest);
  return parts;
}

function barsPanel(picture, subject) {
  const bars = positionBars(subject.position, subject);
  return panel(subject.position.beta === null ? "bars_title_p" : "bars_title", bars, betaLine(subject.position, picture.header.config), saveButton(bars, "p-and-q"));
}

const panel = (title, ...children) => el("section.sv-panel", null, el("h4", null, WORDS[title]), children);
const pair = (name, value) => el("span", null, name + " = ", el("strong", null, probability(value)));

function betaLine(position, { greedy, verifier }) {
  const overlap = total(position.entries.map((e) => ({ both: e.p * e.q })), "both");
  const beta = verifier === "match" && !greedy ? "beta_match" : "beta";
  const entropy = position.q_entropy === null
    ? say("entropy", { p: number(position.p_entropy, 2) })
    : say("entropies", { p: number(position.p_entropy, 2), q: number(position.q_entropy, 2) });
  return [position.beta === null ? null : el("p.sv-beta", null, say(beta, { beta: probability(position.beta), overlap: probability(overlap) })), el("p.sv-note", null, entropy)];
}

function roundFacts(round) {
  const { times, target_cache, draft_cache } = round;
  const ms = Object.fromEntries(["draft", "verify", "decide", "rest"].map((part) => [part, number(times[part], 2)]));
  return el("footer.sv-round-facts.sv-note", null, el("p", null, say("round_times", ms)),
    el("p", null, say("round_cache", target_cache), " ", draft_cache ? say("round_cache_draft", draft_cache) : ""), el("p", null, WORDS.round_cache_why));
}
