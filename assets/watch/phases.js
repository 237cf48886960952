// Where the replay stands: round, and phase inside it (draft → verify → decide → emit); buttons to go from one to the next.

const PHASES = ["draft", "verify", "decide", "emit"];
const ofDraft = (round) => round.shown.filter((shown) => shown.drafted !== null);
// Those of `times` that come later than all before them.
function rising(times) {
  let last = 0;
  return times.filter((t) => t > last + 1e-6 && ((last = t), true));
}

// The moment at which a phase of a round is seen whole: all drafted, the pass done, all decided, the round at its end.
function phaseEnd(round, phase) {
  const drafts = ofDraft(round);
  if (phase === "draft") return drafts.length ? Math.max(...drafts.map((shown) => shown.at)) : null;
  if (phase === "verify") return round.verified_at;
  if (phase === "decide") return drafts.length ? Math.max(...drafts.map((shown) => shown.decided)) : null;
  return round.end;
}

const phaseStops = (data) => rising(data.rounds.flatMap((round) => PHASES.map((phase) => phaseEnd(round, phase)).filter((t) => t !== null)));

// Every moment at which something is seen to happen: a ghost, the block lit, a verdict, what follows the block. Where the other lane
// goes on longer, its tokens too.
function beatsOf(data, other) {
  const own = data.rounds.flatMap((round) => {
    const drafts = ofDraft(round);
    return [...drafts.map((shown) => shown.at), ...(drafts.length ? [round.drafted_at] : []), ...drafts.map((shown) => shown.decided), round.decided_at];
  });
  const late = other ? other.rounds.map((round) => round.decided_at).filter((t) => t > data.duration) : [];
  return rising([...own, ...late, Math.max(data.duration, other ? other.duration : 0)]);
}

// {round, phase, …} at time t; at the end of a round its `emit`. `over`: only the other lane goes on.
function standing(data, t) {
  const before = upTo(data.rounds, t - 1e-6, (round) => round.end);
  const round = data.rounds[Math.min(before, data.rounds.length - 1)];
  const drafts = ofDraft(round);
  const first = drafts.length ? Math.min(...drafts.map((shown) => shown.decided)) : round.decided_at;
  const near = t + 1e-6;
  const phase = near < round.drafted_at && drafts.length ? "draft" : near < first ? "verify" : near < round.decided_at ? "decide" : "emit";
  return { round, phase, drafted: drafts.filter((shown) => shown.at <= near).length, over: t > data.duration + 1e-6 };
}

// One line on what happens now.
function standingLine({ round, phase, drafted, over }, config) {
  if (over) return plain("at_over", { rounds: round.index + 1 });
  const n = round.drafted.length, kept = round.emitted.filter((e) => e.role === "accepted").length;
  const last = round.emitted.find((e) => e.role !== "accepted");
  const rule = config.greedy ? "_greedy" : config.verifier === "match" ? "_match" : "";
  const key = { draft: "at_draft", verify: n > 1 ? "at_verify" : n ? "at_verify_one" : "at_pass", decide: "at_decide" + rule, emit: "at_emit_" + (last ? last.role : "ended") }[phase];
  return plain("at", { round: round.index + 1, phase: WORDS["phase_" + phase], what: plain(key, { n, i: drafted, kept, out: round.emitted.length }) });
}

// The steppers: a round or a phase on or back, or straight to a phase of this round. `data`: the lane that is stepped through.
function makeSteps(clock, data, config) {
  const steps = { now: null };
  const arrow = (way, stops, word, key) => {
    const button = el("button.sv-step", { type: "button", "aria-label": WORDS[word], title: plain("with_key", { what: WORDS[word], key }) }, way > 0 ? "›" : "‹");
    button.addEventListener("click", () => clock.step(way, stops));
    return button;
  };
  const jumps = PHASES.map((phase) => {
    const button = el("button.sv-phase", { type: "button", "data-phase": phase }, WORDS["phase_" + phase]);
    button.addEventListener("click", () => {
      const t = phaseEnd(steps.now.round, phase);
      clock.pause();
      if (t !== null) clock.seek(t);
    });
    return button;
  });
  steps.round = el("span.sv-step-name");
  steps.line = el("p.sv-at");
  steps.root = el("div.sv-steps", { role: "group", "aria-label": WORDS.steps },
    el("span.sv-stepper", null, arrow(-1, undefined, "round_back", "←"), steps.round, arrow(1, undefined, "round_on", "→")),
    el("span.sv-stepper", null, arrow(-1, clock.phases, "phase_back", "Shift ←"), jumps, arrow(1, clock.phases, "phase_on", "Shift →")),
    steps.line);
  steps.move = (t) => {
    const at = standing(data, t);
    if (steps.quiet !== clock.playing) steps.line.setAttribute("aria-live", (steps.quiet = clock.playing) ? "off" : "polite"); // read out where somebody steps
    if (steps.now && at.round === steps.now.round && at.phase === steps.now.phase && at.drafted === steps.now.drafted && at.over === steps.now.over) return at;
    steps.now = at;
    setText(steps.round, plain("round_of", { round: at.round.index + 1, rounds: data.rounds.length }));
    setText(steps.line, standingLine(at, config));
    jumps.forEach((button) => {
      button.setAttribute("aria-pressed", String(button.dataset.phase === at.phase));
      button.setAttribute("aria-disabled", String(phaseEnd(at.round, button.dataset.phase) === null)); // not disabled: it keeps its focus
    });
    return at;
  };
  return steps;
}
