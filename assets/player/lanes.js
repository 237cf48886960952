// The two lanes. Every span is made once, at its final place and unseen; the clock then only changes its data-role, so nothing
// moves while it plays. `changes` is the lane's score: what happens when, in order, forwards and backwards.

const SPECIAL = /^<\|?[\w/]+\|?>$/; // looks like a control token: drawn small, nothing else depends on it

function buildLane(name, picture) {
  const data = picture.lanes[name];
  const view = { name, data, changes: [], spans: [], tokensAt: [], passesAt: [] };
  view.text = el("div.sv-text", { role: "group", "aria-label": WORDS[name] });
  view.counter = el("span.sv-counter");
  view.clock = el("span.sv-clock");
  view.done = el("span.sv-done");
  view.meter = el("div.sv-meter-fill");
  view.root = el("article.sv-lane", { "data-lane": name }, laneHead(name, picture), el("div.sv-meter", null, view.meter), view.text,
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
  if (view.spans.length) view.spans[0].tabIndex = 0;
  return view;
}

function laneHead(name, picture) {
  const data = picture.lanes[name], note = name === "vanilla" ? say("vanilla_note") : drafterNote(picture.header);
  const rate = data ? data.numbers.tokens_per_second : null;
  return el("header.sv-lane-head", null,
    el("h3", null, WORDS[name]), el("p.sv-rate", null, el("strong", null, number(rate, rate < 100 ? 1 : 0)), " ", WORDS.rate),
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
  round.shown.forEach((shown) => {
    const word = ROLES[shown.role].word;
    const label = plain("token_label", { text: spoken(shown.text), word, round: round.index + 1 });
    const span = makeSpan(view, shown.text, shown.kind, label);
    span.dataset.glyph = ROLES[shown.role].glyph;
    span.dataset.role = "";
    span.dataset.final = shown.role;
    span.picked = { lane: view.name, round: index, drafted: shown.drafted, emitted: shown.emitted };
    if (shown.drafted !== null) view.changes.push({ at: shown.at, span, from: "", to: "drafted" }, { at: shown.decided, span, from: "drafted", to: shown.role });
    else view.changes.push({ at: shown.at, span, from: "", to: shown.role });
    if (shown.emitted !== null) {
      view.tokensAt.push(shown.decided);
      breakAfter(view, shown.text);
    }
  });
}

// The space that begins a word stands before its span, so that words look like words; a token of nothing but spaces keeps them.
function makeSpan(view, text, kind, label) {
  const gap = /^ (?=\S)/.test(text) ? 1 : 0;
  const span = el("span.sv-token", { role: "button", tabindex: -1, "aria-label": label, "aria-pressed": "false", "data-kind": SPECIAL.test(text) ? "special" : kind },
    visible(text.slice(gap)));
  span.at = view.spans.push(span) - 1;
  view.text.append(text.slice(0, gap), span);
  return span;
}

function breakAfter(view, text) {
  for (const _ of text.match(/\n/g) || []) view.text.append(document.createElement("br"));
}

// Bring one lane to time t by the least number of changes, either way.
function moveLane(view, t) {
  if (!view.data) return;
  const { changes } = view;
  let touched = null;
  while (view.next < changes.length && changes[view.next].at <= t) {
    touched = changes[view.next].span;
    touched.dataset.role = changes[view.next++].to;
  }
  while (view.next > 0 && changes[view.next - 1].at > t) {
    touched = changes[view.next - 1].span;
    touched.dataset.role = changes[--view.next].from;
  }
  if (touched) follow(view, touched);
  tellLane(view, t);
}

function tellLane(view, t) {
  const { data } = view, now = Math.min(t, data.duration), over = t >= data.duration;
  const tokens = upTo(view.tokensAt, t, (x) => x);
  const rounds = upTo(view.passesAt, t, (x) => x[0]);
  setText(view.counter, plain("counter", { tokens, passes: rounds ? view.passesAt[rounds - 1][1] : 0 }));
  setText(view.clock, plain("clock", { now: number(now, 0), whole: number(data.duration, 0) }));
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

// A long text scrolls inside its lane. Measured only when the text is longer than the box, and the line that is written changes.
function follow(view, span) {
  if (view.long === undefined) view.long = view.text.scrollHeight > view.text.clientHeight + 4;
  if (!view.long) return;
  const wanted = Math.max(0, span.offsetTop - view.text.clientHeight * 0.7);
  if (Math.abs(view.text.scrollTop - wanted) > 8) view.text.scrollTop = wanted;
}
