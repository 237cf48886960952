// Small hands of the tab Learn, on top of those of the player (assets/player/dom.js): sentences, tokens, rows of bars.
// A picture is a function of its excerpt that gives {node, beats, paint}: `beats` are its moments, each with the sentence that says
// what is seen then; `paint(t, i)` brings it to time t, in beat i, from any time before or after.

const LESSON = props.lesson, T = LESSON.page;

// A sentence of lessons.py as a list of nodes: split once at its own marks, so that what is filled in is never read again.
function fill(sentence, values) {
  return sentence.split(/(\{\w+\})/).map((part) => {
    const name = /^\{(\w+)\}$/.exec(part);
    const value = name ? (values || {})[name[1]] : part;
    return value instanceof Node ? value.cloneNode(true) : document.createTextNode(value === null || value === undefined ? WORDS.none : String(value));
  });
}

const filled = (sentence, values) => fill(sentence, values).map((node) => node.textContent).join("");
const unseen = (text) => el("span.lrn-unseen", null, text); // for those who listen
const times = (value) => number(value, 2) + "×";
const megabytes = (model, passes) => number((model.parameters * bytesOf(model.dtype) * (passes || 1)) / 1e6, 0);
const bytesOf = (dtype) => ({ float32: 4, float64: 8, int8: 1 }[dtype] || 2);

// A token of a picture: its text, its sign and, unseen, the word for its role. The space before a word is the gap between boxes.
function tokenBox(text, role) {
  const bare = /^ +\S/.test(text) ? text.trimStart() : text.replace(/^ +$/, (spaces) => "␣".repeat(Math.min(spaces.length, 12)));
  const node = el("span.sv-token.lrn-token", null, el("bdi", null, visible(bare)), unseen(""));
  setRole(node, role);
  return node;
}

function setRole(node, role) {
  if (node.dataset.role === role) return;
  node.dataset.role = role;
  node.dataset.glyph = role && role !== "prompt" && role !== "plain" ? ROLES[role].glyph : "";
  setText(node.lastChild, role && role !== "prompt" ? `, ${ROLES[role].word} ` : " ");
}

// The text before a round, without what stood there and was thrown away.
const flow = (before, ...more) => el("div.lrn-flow", null, before.map(({ text, role }) => tokenBox(text, role === "prompt" ? "prompt" : "plain")), more);

// One row of a small bar chart: a name, bars on one scale, a number.
function row(name, bars, value, mark) {
  return el("div.lrn-row", { "data-marked": mark ? "" : null }, el("span.lrn-name", null, name), el("span.lrn-track", null, bars), el("span.lrn-value", null, value));
}

function span(series, value, top, from) {
  const node = el("span.lrn-bar", { "data-series": series });
  node.style.width = share(value, top);
  if (from) node.style.left = share(from, top);
  return node;
}

const key = (series, word) => el("span.lrn-key", { "data-series": series }, word);
const legendOf = (...pairs) => el("div.lrn-legend", null, pairs.map(([series, word]) => key(series, word)));
const named = (token) => (token ? chip(token) : el("span.lrn-rest", null, T.rest));

// Beats at even distances: sentences with their values, `each` milliseconds apart.
const evenly = (sentences, each) => sentences.map((say, i) => ({ at: i * each, say }));
