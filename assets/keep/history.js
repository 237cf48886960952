// The runs of this visit: a table of lines, and a comparison of two of them. Built with assets/player/dom.js; every text of a run
// is a text node.

const box = element.querySelector(".sv-history");
const COLUMNS = ["draft", "K", "temperature", "speedup", "alpha", "tokens_per_forward", "prompt"];
const DIGITS = { speedup: 2, tokens_per_forward: 2, tokens_per_round: 2, tokens_per_second: 1, tokens: 0, target_forwards: 0, draft_forwards: 0 };
const SHARES = ["alpha", "accepted_of_tested"];
let chosen = []; // ids of at most two runs, in the order in which they were chosen

// The time of day, and the day too where it is another one.
function clockTime({ created }) {
  const then = new Date(created), time = then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  return then.toDateString() === new Date().toDateString() ? time : then.toLocaleDateString() + " " + time;
}

// A value as a person reads it: from the settings or from the numbers of a run.
function told(run, name) {
  if (name in run.numbers) {
    const value = run.numbers[name];
    if (value === null) return WORDS.nothing;
    return SHARES.includes(name) ? percent(value) : name === "speedup" ? number(value, 2) + " ×" : number(value, DIGITS[name]);
  }
  const value = run.settings[name];
  if (value === null || value === "") return WORDS.nothing;
  return typeof value === "boolean" ? WORDS[value ? "yes" : "no"] : visible(String(value));
}

function line(run) {
  const time = clockTime(run);
  const choose = el("input", { type: "checkbox", "aria-label": plain("compare_this", { time }) });
  choose.checked = chosen.includes(run.id);
  choose.addEventListener("change", () => pick(run.id, choose.checked));
  const again = el("button.sv-button", { type: "button", "aria-label": plain("show_this", { time }) }, WORDS.show);
  again.addEventListener("click", () => {
    trigger("again", { id: run.id });
    const race = document.querySelector(".sv-race"); // far above this list: what was asked for is there
    if (race) race.scrollIntoView({ block: "start" });
  });
  const cells = COLUMNS.map((name) => el("td", { "data-name": name, "data-label": WORDS[name] }, el("bdi", null, told(run, name))));
  return el("tr", { "data-id": run.id }, el("td.sv-pick", null, choose), el("th.sv-time", { scope: "row" }, time, " ", el("span.sv-note", null, WORDS[run.source])), cells, el("td.sv-again", null, again));
}

function pick(id, on) {
  chosen = on ? [...chosen, id].slice(-2) : chosen.filter((other) => other !== id);
  const { runs } = JSON.parse(props.value);
  box.querySelectorAll("tr[data-id]").forEach((row) => (row.querySelector("input").checked = chosen.includes(row.dataset.id)));
  box.querySelector(".sv-compared").replaceChildren(...comparison(runs));
}

function comparison(runs) {
  const two = runs.filter((run) => chosen.includes(run.id));
  if (two.length < 2) return runs.length > 1 ? [el("p.sv-note", null, two.length ? WORDS.choose_one : WORDS.choose_two)] : [];
  const [a, b] = two;
  const head = el("tr", null, el("td"), el("th", { scope: "col" }, plain("first", { time: clockTime(a) })), el("th", { scope: "col" }, plain("second", { time: clockTime(b) })), el("th", { scope: "col" }, WORDS.difference));
  const settings = Object.keys(a.settings), same = settings.filter((name) => told(a, name) === told(b, name));
  const rows = [...settings.filter((name) => !same.includes(name)), ...Object.keys(a.numbers)].map((name) => compared(name, a, b));
  const machines = a.settings.device !== b.settings.device || a.settings.threads !== b.settings.threads;
  return [
    el("table.sv-table", null, el("thead", null, head), el("tbody", null, rows)),
    el("p.sv-note.sv-same", null, WORDS.same_in_both, same.map((name) => [" ", WORDS[name], " ", el("bdi", null, told(a, name)), name === same.at(-1) ? "." : ","])),
    a.settings.prompt !== b.settings.prompt ? el("p.sv-note", null, WORDS.other_prompt) : null,
    machines ? el("p.sv-note", null, WORDS.machines) : null,
  ].filter(Boolean);
}

// Numbers differ by a factor, settings differ or do not: in words, so that no colour is needed.
function compared(name, a, b) {
  const [x, y] = [told(a, name), told(b, name)];
  const ratio = a.numbers[name] > 0 && b.numbers[name] !== null ? b.numbers[name] / a.numbers[name] : null;
  const word = x === y ? WORDS.same : ratio === null ? WORDS.differs : plain("times", { ratio: number(ratio, 2) });
  return el("tr", { "data-name": name, "data-same": x === y ? "" : null }, el("th", { scope: "row" }, WORDS[name]), el("td", null, el("bdi", null, x)), el("td", null, el("bdi", null, y)), el("td", null, word));
}

function paint() {
  const { runs, limit } = JSON.parse(props.value);
  chosen = chosen.filter((id) => runs.some((run) => run.id === id));
  if (!runs.length) return box.replaceChildren(el("h3", null, WORDS.title), el("p.sv-note", null, WORDS.empty));
  const clear = el("button.sv-button", { type: "button" }, WORDS.clear);
  clear.addEventListener("click", () => trigger("forget", {}));
  const head = el("tr", null, el("th", { scope: "col" }, WORDS.compare), el("th", { scope: "col" }, WORDS.time), COLUMNS.map((name) => el("th", { scope: "col", "data-name": name }, WORDS[name])), el("td"));
  box.replaceChildren(
    el("h3", null, WORDS.title),
    el("table.sv-table.sv-lines", null, el("thead", null, head), el("tbody", null, [...runs].reverse().map(line))),
    el("div.sv-history-foot", null, el("p.sv-note", null, plain("note", { limit })), clear),
    el("div.sv-compared", null, comparison(runs)));
}

watch("value", paint);
paint();
