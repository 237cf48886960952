// Small hands: elements, sentences and numbers. Everything that came from a model goes through textContent, nowhere else.
// All files of this folder are joined into one function (specviz/page/watch/race.py); it is given element, props and watch.

const WORDS = props.words, ROLES = props.roles;

// el("p.sv-note", {title: "…"}, "text", node): strings become text nodes, null is left out.
function el(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElement(tag || "div");
  if (classes.length) node.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes || {})) if (value !== null && value !== undefined) node.setAttribute(key, value);
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

// A sentence of words.py as a list of nodes. Split once at its own marks, so that what is filled in is never read again.
function say(key, values) {
  return WORDS[key].split(/(\{\w+\})/).map((part) => {
    const name = /^\{(\w+)\}$/.exec(part);
    const value = name ? (values || {})[name[1]] : part;
    return value instanceof Node ? value : document.createTextNode(value === null || value === undefined ? WORDS.none : String(value));
  });
}

const plain = (key, values) => say(key, values).map((node) => node.textContent).join("");

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Numbers as a person writes them: enough digits to compare, no more.
function number(value, digits) {
  if (value === null || value === undefined) return WORDS.none;
  if (value === 0) return "0";
  if (Math.abs(value) < 0.5 * 10 ** -digits) return "<" + (10 ** -digits).toFixed(digits);
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
// A probability, a ratio of two or a uniform: three decimals, and two digits at least, so that p/q can be checked by eye.
const probability = (value) => (value >= 0.01 || !value ? number(value, 3) : value < 1e-5 ? value.toExponential(1) : value.toPrecision(2));
const percent = (value) => (value === null || value === undefined ? WORDS.none : number(100 * value, 1) + " %");
const milliseconds = (value) => number(value, value >= 100 ? 0 : value < 10 ? 2 : 1);

// What cannot be seen gets a sign in running text and a name for those who listen.
const INVISIBLE = /[\u0000-\u001f\u007f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g; // controls, zero widths, changes of direction
const SIGNS = { "\n": "↵", "\t": "⇥", "\r": "␍", "\u200d": "\u200d" };
const visible = (text) => text.replace(INVISIBLE, (c) => SIGNS[c] || `⟨U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
function spoken(text) {
  if (/^ +$/.test(text)) return text.length === 1 ? WORDS.space : plain("spaces", { n: text.length });
  return text.replace(/\n/g, " " + WORDS.newline + " ").trim();
}

// A token named inside a sentence or a row: its own direction, its spaces drawn as ␣ at the ends.
function chip(token) {
  const text = visible(token.text).replace(/^ +| +$/g, (spaces) => "␣".repeat(Math.min(spaces.length, 12)));
  return el("bdi.sv-chip-token", { title: "id " + token.id, "data-bytes": token.partial ? "" : null }, text);
}
