// What was played by people as the draft: the text and the rounds as plain values, and what they come to; a round token by
// token (p of each, what was decided and by which u, what the target added); α of people beside α of the drafters; and all
// of it as a page to print, in which nothing runs.

import { area, bands, between, chart, note } from "../chart/chart.js";
import { bar, chip, el, keys, line, row, scaleTop, share, speechText, table, visible } from "../player/dom.js";
import { fill, formatted, number, probability, ROLES } from "../player/words.js";

/** @import { DraftToken, DrafterScore, EmittedToken, PlayedRound, PositionChances, State, Turn, Who } from "./types.js" */
/** @import { Child, Role } from "../shared/types.js" */

export const WHO = /** @type {Who[]} */ (["alone", "turns", "room"]);
const COUNTS = /** @type {const} */ (["drafted", "tested", "accepted", "beta"]);

/** Who drafts the next round. @param {State} state @param {Record<string, any>} words @returns {string} */
export function drafterName(state, words) {
  return state.who === "turns" ? words.players[state.turns.length % 2] : words.class;
}

/** The text goes on by what a round came to. @param {State} state @param {PlayedRound} round @param {string} drafter */
export function addRound(state, round, drafter) {
  state.turns.push({ ...round, player: drafter });
  for (const { token, role } of round.emitted) state.text.push({ token, role });
}

/** Rounds of a room, each once and in their order, however often the server sends them.
 * @param {State} state @param {PlayedRound[]} rounds @param {string} drafter @returns {boolean} whether one is new */
export function addRounds(state, rounds, drafter) {
  const before = state.turns.length;
  for (const round of rounds) if (round.round === state.turns.length + 1) addRound(state, round, drafter);
  return state.turns.length > before;
}

/** Why the text is over, if it is. @param {State} state */
export const whyEnded = (state) => state.turns.at(-1)?.ended ?? null;

/** The counts of all who drafted a round, people first. @param {Turn} turn */
const countsOf = ({ player, people, others }) => [
  { ...people, name: player, people: true },
  ...others.map((other) => ({ ...other, people: false })),
];

/** α of all who drafted: people first, then the drafters, the best of them first.
 * @param {Turn[]} turns @returns {DrafterScore[]} */
export function scoresOf(turns) {
  /** @type {Map<string, DrafterScore>} */
  const scores = new Map();
  for (const counts of turns.flatMap(countsOf)) {
    const { name, people } = counts;
    const key = `${people} ${name}`;
    const score = scores.get(key) ?? { name, people, drafted: 0, tested: 0, accepted: 0, beta: 0, alpha: null };
    for (const each of COUNTS) score[each] += counts[each];
    score.alpha = score.tested ? score.beta / score.tested : null;
    scores.set(key, score);
  }
  const all = [...scores.values()];
  const drafters = all.filter(({ people }) => !people).sort((a, b) => (b.alpha ?? -1) - (a.alpha ?? -1));
  return [...all.filter(({ people }) => people), ...drafters];
}

/** How many tokens of people were examined. @param {DrafterScore[]} all */
const countExamined = (all) => all.reduce((sum, { people, tested }) => sum + (people ? tested : 0), 0);

/** A line for every token that people drafted or the target added, and one a round for each who drafted.
 * @param {State} state @param {string[]} names */
export function csvRows({ turns }, names) {
  /** @type {(string | number | null)[][]} */
  const rows = [names];
  turns.forEach((turn, i) => {
    const none = [null, null, null, null];
    for (const { token, verdict, p, q, u } of turn.drafted) {
      rows.push([i + 1, turn.player, token.text, verdict, p, q, u, ...none]);
    }
    for (const { token, role, chance } of turn.emitted.filter(({ role }) => role !== "accepted")) {
      rows.push([i + 1, turn.player, token.text, role, chance, null, null, ...none]);
    }
    for (const counts of countsOf(turn)) {
      rows.push([i + 1, counts.name, null, null, null, null, null, ...COUNTS.map((name) => counts[name])]);
    }
  });
  return rows;
}

/** @typedef {Record<string, any>} Words */

const ROW_PX = 26;
const HALF_BAR = 0.31; // of a line, above and below the middle of a bar
const [NAME_PX, VALUE_PX] = [132, 54]; // beside the bars
const MAX_WIDTH_PX = 560;

/** @param {Turn} turn @param {number} n its number, from 1 @param {Words} words */
export function roundVerdict(turn, n, words) {
  const draftItems = turn.drafted.map((draft) => draftItem(draft, turn, words));
  const extra = turn.emitted.filter(({ role }) => role !== "accepted").map((token) => addedItem(token, turn, words));
  const title = fill(turn.player === words.class ? words.round : words.round_of, { n, player: turn.player });
  return el("section.ppl-round", null, el("h3", null, title), el("ol.ppl-tokens", null, draftItems, extra));
}

/** @param {Role} role @param {Node[]} sentence @param {...Child} more */
function tokenItem(role, sentence, ...more) {
  const glyph = el("b", { "aria-hidden": "true" }, ROLES[role].glyph);
  return el("li.ppl-token", { "data-role": role }, glyph, el("span.ppl-said", null, sentence), more);
}

/** @param {DraftToken} draft @param {Turn} turn @param {Words} words */
function draftItem(draft, turn, words) {
  const { verdict, p, q, u, place } = draft;
  const variant = verdict === "unexamined" ? "" : turn.greedy ? "_greedy" : q === 1 ? "" : "_q";
  const values = { token: chip(draft.token), ...formatted({ p, q, u }, probability) };
  const rejected = verdict === "rejected";
  return tokenItem(
    verdict,
    fill(words[verdict + variant], values),
    turn.greedy || verdict === "unexamined" ? null : acceptScale(draft, words),
    place && q < 1 && verdict !== "unexamined" ? chanceBars(place, draft.token.id, words) : null,
    place && rejected && q === 1 && !turn.greedy ? likeliestTokens(draft, words) : null,
  );
}

/** From 0 to 1: a token is kept as far as the bar goes, u is a mark. @param {DraftToken} draft @param {Words} words */
function acceptScale({ p, q, u }, words) {
  const bar = el("span.sv-node-keep");
  bar.style.width = share(Math.min(1, p / q), 1);
  const mark = u === null ? null : el("span.sv-node-u", { title: `${words.u}: ${probability(u)}` });
  if (mark && u !== null) mark.style.left = share(u, 1);
  return el("span.sv-node-gauge", { "data-on": "u", "aria-hidden": "true" }, bar, mark);
}

/** What the target gave most to there, the guess among them. @param {DraftToken} draft @param {Words} words */
function likeliestTokens({ place }, words) {
  const most = [...(place?.entries ?? [])].sort((a, b) => b.p - a.p);
  const items = most.slice(0, 4).map((entry) => el("li", null, chip(entry.token), ` ${probability(entry.p)}`));
  return el("div.ppl-expected.sv-flow.sv-muted", null, el("span", null, words.expected), el("ul.sv-flow", null, items));
}

/** @param {EmittedToken} emitted @param {Turn} turn @param {Words} words */
function addedItem({ token, role, chance }, turn, words) {
  const key = role === "corrected" ? "corrected" : "bonus";
  const values = { token: chip(token), chance: probability(chance) };
  return tokenItem(role, fill(words[turn.greedy ? `${key}_greedy` : key], values));
}

/** @param {PositionChances} place @param {number} draftId the id of the guess @param {Words} words */
function chanceBars(place, draftId, words) {
  const top = scaleTop(place.entries.flatMap(({ p, q }) => [p, q]));
  const rows = place.entries.map(({ token, p, q }) => pairRow(chip(token), p, q, top, token.id === draftId));
  const legend = keys(["p", words.p], ["q", words.q]);
  return el(
    "figure.ppl-spread",
    null,
    el("figcaption", null, legend, el("b", null, fill(words.beta, { beta: probability(place.beta) }))),
    el("div.sv-bars", null, rows, pairRow(words.rest, place.rest.p, place.rest.q, top, false)),
  );
}

/** @param {Node | string} name @param {number} p @param {number} q @param {number} top @param {boolean} isDraft */
function pairRow(name, p, q, top, isDraft) {
  const values = [
    [el("span.sv-unseen", null, "p "), probability(p)],
    [el("span.sv-unseen", null, "q "), probability(q)],
  ];
  return row(name, [bar("p", p, top), bar("q", q, top)], values, isDraft);
}

/** @param {State} state @param {Words} words @param {number} available px */
export function alphaBars({ turns }, words, available) {
  const scores = scoresOf(turns);
  const names = scores.map(({ name, people }) => (people ? `▸ ${name}` : name));
  const y = bands(names);
  for (const [i, tick] of y.ticks.entries()) tick.strong = scores[i].people;
  const marks = scores.flatMap(({ name, people, alpha }, i) => {
    const rows = { y0: i - HALF_BAR, y1: i + HALF_BAR };
    const value = number(alpha, 2);
    return [
      area({ ...rows, x0: 0, x1: 1 }, { kind: "whole" }),
      area({ ...rows, x0: 0, x1: alpha ?? 0 }, { series: people ? "draft" : "target", sentences: [`${name}: ${value}.`] }),
      note({ x: 1, y: i }, value, { dx: 6, dy: 5, kind: people ? "value" : undefined }),
    ];
  });
  const width = Math.min(MAX_WIDTH_PX, available);
  const frame = { x: 0, y: 0, width, height: scores.length * ROW_PX };
  const margin = { left: NAME_PX, right: VALUE_PX, top: 0, bottom: 0 };
  return chart({ width, planes: [{ frame, margin, x: between(0, 1, []), y, marks }], says: `${words.tally}.` });
}

/** @param {State} state @param {Words} words */
export function countsTable({ turns }, words) {
  if (!turns.length) return [];
  const scores = scoresOf(turns);
  const heads = ["who", "drafted", "tested", "accepted", "alpha"].map((name) => words[`${name}_column`]);
  const rows = scores.map(({ name, drafted, tested, accepted, alpha }) =>
    line(name, [...[drafted, tested, accepted].map(String), number(alpha, 2)]),
  );
  return [
    table(".sv-table.lab-table.ppl-counts", heads, rows),
    el("p.lab-note", null, fill(words.tally_note, { n: countExamined(scores) })),
  ];
}

/** What the text reads, for what is typed after it. @param {State} state */
export const textOf = ({ prompt, text }) =>
  prompt +
  text
    .filter(({ role }) => role !== "prompt")
    .map(({ token }) => token.text)
    .join("");

/** @param {State} state @param {Words} words */
export function textParagraph(state, words) {
  const prompt = el("span.sv-muted", null, visible(state.prompt).replaceAll("↵", "↵\n"));
  const tokens = state.text
    .filter(({ role }) => role !== "prompt")
    .map(({ token, role }) => {
      const look = { "data-role": role, title: `${ROLES[/** @type {Role} */ (role)].word}, id ${token.id}` };
      return el("span.sv-token", look, visible(token.text).replaceAll("↵", "↵\n"));
    });
  return el("p.ppl-writing", { "aria-label": words.text, lang: "en" }, prompt, tokens);
}

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}" +
  "body{color:#111;background:#fff}" +
  "table{border-collapse:collapse;margin:1rem 0;width:100%}" +
  "th,td{border:1px solid #999;padding:.2rem .5rem;text-align:start}" +
  "tr{break-inside:avoid}.lines{border-bottom:1px solid #999;height:2rem}";

/** @param {State} state @param {Record<string, any>} words @param {string} title */
export function handout(state, words, title) {
  const page = document.implementation.createHTMLDocument(title);
  const [names, ...rows] = csvRows(state, words.csv);
  const tokens = rows.filter((row) => row[2] !== null).map((row) => row.slice(0, 7));
  const lines = tokens.map((row) => el("tr", null, ...row.map((cell) => el("td", null, cellText(cell)))));
  page.documentElement.lang = document.documentElement.lang;
  page.head.append(
    el("meta", { charset: "utf-8" }),
    el("meta", { "http-equiv": "Content-Security-Policy", content: "default-src 'none'; style-src 'unsafe-inline'" }),
    el("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    el("style", null, STYLE),
  );
  page.body.append(
    el("h1", null, title),
    el("p", null, words.handout_note, ` ${words.temperature} ${state.temperature}, ${words.seed} ${state.seed}.`),
    el("h2", null, words.text),
    el("p", null, state.prompt, el("b", null, textOf({ ...state, prompt: "" }))),
    table("", names.slice(0, 7).map(String), lines),
    el("h2", null, words.tally),
    ...countsTable(state, words),
    el("h2", null, words.own),
    el("div.lines"),
    el("div.lines"),
  );
  return new XMLSerializer().serializeToString(page);
}

/** @param {unknown} cell */
function cellText(cell) {
  if (typeof cell === "number") return Number.isInteger(cell) ? String(cell) : probability(cell);
  return cell === null ? "" : speechText(String(cell));
}
