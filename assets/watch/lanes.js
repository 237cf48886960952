// The two lanes. Every span is made once, at its final place and unseen; the clock then only changes its data-role, so nothing
// moves while it plays. `changes` is the lane's score: what happens when, in order, forwards and backwards. A draft token is
// drafted, then verified with its whole block (data-phase), then gets its role.

const SPECIAL = /^<\|?[\w/]+\|?>$/; // looks like a control token: drawn small, nothing else depends on it

function buildLane(name, picture) {
  const data = picture.lanes[name];
  const view = { name, data, changes: [], spans: [], byRound: [], tokensAt: [], passesAt: [] };
  view.text = el("div.sv-text", { role: "group", "aria-label": WORDS[name] });
  view.counter = el("span.sv-counter");
  view.clock = el("span.sv-clock");
  view.rate = el("strong", null, WORDS.none);
  view.done = el("span.sv-done");
  view.meter = el("div.sv-meter-fill");
  view.root = el("article.sv-lane", { "data-lane": name, "data-reason": data && data.stopped ? data.stopped.reason : null }, laneHead(name, picture, view.rate), el("div.sv-meter", null, view.meter), view.text,
    el("footer.sv-lane-foot", null, view.counter, view.done, view.clock));
  if (!data) {
    view.text.append(el("p.sv-note", null, WORDS.never_began));
    return view;
  }
  data.prompt.forEach((token, index) => addPrompt(view, token, index));
  data.rounds.forEach((round, index) => addRound(view, round, index));
  view.changes.sort((a, b) => a.at - b.at);
  view.tokensAt.sort((a, b) => a - b);
  view.next = 0;
  if (view.spans.length) rove(view, view.spans[0]);
  view.text.addEventListener("scroll", () => { if (view.places) view.places.scrolled = undefined; showEdges(view); }, { passive: true });
  new ResizeObserver(() => { view.places = null; showEdges(view); }).observe(view.text);
  return view;
}

// One stop of the Tab key a lane; arrows go on from there (WAI-ARIA, roving tabindex).
function rove(view, span) {
  if (view.stop) view.stop.tabIndex = -1;
  view.stop = span;
  span.tabIndex = 0;
}

const seen = (span) => span.dataset.role !== "" && !(span.lost && hiding);

// The nearest token that can be seen, from `span` on in one direction.
function nextSeen(view, span, way) {
  let at = span.at + way;
  while (view.spans[at] && !seen(view.spans[at])) at += way;
  return view.spans[at];
}

// A token that is no longer shown can be no stop, and hands over the focus if it has it.
function keepStop(view) {
  const { stop } = view;
  if (!stop || seen(stop)) return;
  const next = nextSeen(view, stop, -1) || nextSeen(view, stop, 1);
  if (!next) return;
  const held = document.activeElement === stop;
  rove(view, next);
  if (held) next.focus({ preventScroll: true });
}

function laneHead(name, picture, rate) {
  const data = picture.lanes[name], note = name === "vanilla" ? say("vanilla_note") : drafterNote(picture.header);
  return el("header.sv-lane-head", null,
    el("h3", null, WORDS[name]), el("p.sv-rate", null, rate, " ", WORDS.rate),
    el("p.sv-note", null, note));
}

// How the blocks of this run were made, in words that fit the drafter.
function drafterNote({ draft, config }) {
  if (!draft || !config.K) return say("note_zero");
  const one = draft.most === 1, block = plain(one ? "block_one" : draft.fewer ? "block_most" : "block", { K: draft.most });
  return say("note_" + draft.kind, { draft: draft.name, block, check: one ? WORDS.check_one : WORDS.check });
}

function addPrompt(view, token, index) {
  const span = makeSpan(view, token.shown, token.kind, plain("prompt_label", { text: spoken(token.shown) }));
  span.dataset.role = span.dataset.final = "prompt";
  span.picked = { lane: view.name, prompt: index };
  breakAfter(view, token.shown);
}

function addRound(view, round, index) {
  view.passesAt.push([round.verified_at, round.target_forwards]);
  view.byRound[index] = [];
  round.shown.forEach((shown) => {
    const word = ROLES[shown.role].word;
    const label = plain("token_label", { text: spoken(shown.text), word, round: round.index + 1 });
    const span = makeSpan(view, shown.text, shown.kind, label, shown.emitted === null);
    span.dataset.glyph = ROLES[shown.role].glyph;
    span.dataset.role = "";
    span.dataset.final = shown.role;
    span.picked = { lane: view.name, round: index, drafted: shown.drafted, emitted: shown.emitted };
    view.byRound[index].push(span);
    if (shown.drafted !== null) view.changes.push({ at: shown.at, span, from: "", to: "drafted" }, { at: round.drafted_at, span, from: "drafted", to: "verified" }, { at: shown.decided, span, from: "verified", to: shown.role });
    else view.changes.push({ at: shown.at, span, from: "", to: shown.role });
    if (shown.emitted !== null) {
      view.tokensAt.push(shown.decided);
      breakAfter(view, shown.text);
    }
  });
}

// The space that begins a word stands before its span, so that words look like words; a token of nothing but spaces keeps them.
// What did not stay in the text (`lost`) can be hidden, its space with it.
function makeSpan(view, text, kind, label, lost) {
  const gap = /^ (?=\S)/.test(text) ? 1 : 0;
  const span = el("span.sv-token", { role: "button", tabindex: -1, "aria-label": label, "aria-pressed": "false", "data-kind": SPECIAL.test(text) ? "special" : kind },
    visible(text.slice(gap)));
  span.at = view.spans.push(span) - 1;
  span.lost = lost;
  if (lost) view.text.append(el("span.sv-lost", null, text.slice(0, gap), span));
  else view.text.append(text.slice(0, gap), span);
  return span;
}

function breakAfter(view, text) {
  for (const _ of text.match(/\n/g) || []) view.text.append(document.createElement("br"));
}

// While the target's pass checks a block, its tokens are still drafts: lit all at once, none of them decided.
function setState(span, state) {
  span.dataset.role = state === "verified" ? "drafted" : state;
  if (state === "verified") span.dataset.phase = "verify";
  else delete span.dataset.phase;
}

// Bring one lane to time t by the least number of changes, either way.
function moveLane(view, t) {
  if (!view.data) return;
  const { changes } = view;
  let touched = null;
  while (view.next < changes.length && changes[view.next].at <= t) {
    touched = changes[view.next].span;
    setState(touched, changes[view.next++].to);
  }
  while (view.next > 0 && changes[view.next - 1].at > t) {
    touched = changes[view.next - 1].span;
    setState(touched, changes[--view.next].from);
  }
  if (touched) {
    follow(view, touched);
    keepStop(view);
  }
  tellLane(view, t);
}

function tellLane(view, t) {
  const { data } = view, now = Math.min(t, data.duration), over = t >= data.duration;
  const tokens = upTo(view.tokensAt, t, (x) => x);
  const rounds = upTo(view.passesAt, t, (x) => x[0]);
  setText(view.counter, plain("counter", { tokens, passes: rounds ? view.passesAt[rounds - 1][1] : 0 }));
  setText(view.clock, plain("clock", { now: number(now, 0), whole: number(data.duration, 0) }));
  // While it plays: tokens shown by time shown. At its end that is the measured rate.
  const rate = over ? data.numbers.tokens_per_second : now > 0 ? (1000 * tokens) / now : null;
  setText(view.rate, number(rate, rate < 100 ? 1 : 0));
  setText(view.done, over && data.stopped ? plain("ended_" + data.stopped.reason, { detail: data.stopped.detail }) : "");
  view.meter.style.transform = `scaleX(${data.duration ? now / data.duration : 1})`;
  view.root.classList.toggle("sv-over", over);
}

// How many of a sorted list come no later than t.
function upTo(list, t, time) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (time(list[middle]) <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

// A long text scrolls inside its lane. Spans never move, so their places are read once; read while it plays, each would cost a layout.
function follow(view, span) {
  const places = view.places || (view.places = measure(view));
  if (!places.long) return;
  const wanted = places.line * Math.max(0, Math.round((places.tops[span.at] - places.high * 0.7) / places.line)); // whole lines, so that none is cut
  if (wanted !== places.scrolled && Math.abs((places.scrolled ?? view.text.scrollTop) - wanted) > 8) view.text.scrollTop = places.scrolled = wanted;
}

function measure({ text, spans }) {
  const { scrollHeight, clientHeight } = text, long = scrollHeight > clientHeight + 4;
  return { long, high: clientHeight, line: parseFloat(getComputedStyle(text).lineHeight), tops: long ? spans.map((span) => span.offsetTop) : [] };
}

// A text that goes on above or below its box fades out there.
function showEdges({ text }) {
  text.toggleAttribute("data-above", text.scrollTop > 4);
  text.toggleAttribute("data-below", text.scrollHeight - text.clientHeight - text.scrollTop > 4);
}
