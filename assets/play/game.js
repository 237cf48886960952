// You are the draft: a person types the next word of an easy sentence, the target looks, keeps it or writes its own.
// Three sentences, beside the small model's guesses at the same places. Temperature is 0.

import { bar, boxText, button, continuation, el, row, setText, still, visible } from "../player/dom.js";
import { openPanel } from "../player/page.js";
import { fillText, percent, ROLES } from "../player/words.js";

/** @import { PlayedRound } from "../lab/types.js" */
/** @import { Chance, MakeGame, Outcome, Token } from "../shared/types.js" */

const MAX_WORDS = 4; // words that the target found likely

/** @param {{ drafted: number, accepted: number } | undefined} counts */
const allAccepted = (counts) => Boolean(counts?.drafted && counts.accepted === counts.drafted);

/** @param {Pick<PlayedRound, "people" | "emitted">} played @returns {Outcome} */
function outcomeOf({ people, emitted }) {
  if (allAccepted(people)) return emitted.some(({ role }) => role === "bonus") ? "kept" : "kept_last";
  return people.accepted ? "part" : "struck";
}

/** What the target found likely where the guess was decided: at its first token that was struck, else at its first. At
 * temperature 0 p is 1 for one token, so this is read from the same round at temperature 1, which has none where that
 * one was over before. @param {Pick<PlayedRound, "drafted">} greedy @param {Pick<PlayedRound, "drafted">} warm
 * @returns {Chance[]} */
function chancesOf(greedy, warm) {
  const rejectedAt = greedy.drafted.findIndex(({ verdict }) => verdict === "rejected");
  const { token, place } = warm.drafted[Math.max(0, rejectedAt)] ?? {};
  if (!token || !place) return [];
  const all = place.entries.map((entry) => ({ token: entry.token, p: entry.p, own: entry.token.id === token.id }));
  const likely = all.filter(({ p }) => p > 0).sort((a, b) => b.p - a.p);
  const guess = all.filter((one) => one.own && !likely.slice(0, MAX_WORDS).includes(one));
  return [...likely.slice(0, MAX_WORDS - guess.length), ...guess];
}

const ROUNDS = 3;
const LOOK_MS = 900; // ms: the look can be seen
const MAX_CHARACTERS = 40; // characters of a guess: it is a word
const DRAFTER = "small"; // the drafter that plays too

/** @type {MakeGame} */
export function makeGame(words, server) {
  const { texts } = words;
  let first = 0; // of the texts of this game
  let n = 0; // its round
  let points = { own: 0, small: 0 };
  /** @type {Token[]} the text, its special beginning too */
  let text = [];
  /** @type {"ask" | "look" | "told" | "sum"} */
  let stage = "ask";

  const place = el("p.sv-note.sv-game-place");
  const message = el("p.sv-game-told", { "aria-live": "polite" });
  const before = el("span.sv-game-text.sv-muted");
  const field = el("input.sv-input.sv-game-field", {
    "aria-label": words.field,
    maxlength: MAX_CHARACTERS,
    size: 10,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    enterkeyhint: "go",
  });
  const block = el("span.sv-story-block");
  const after = el("span");
  const checkButton = button(words.check, () => {}, { type: "submit", class: "sv-first" });
  const nextButton = button(words.next, () => (stage === "told" && n + 1 < ROUNDS ? beginRound(n + 1) : showSum()), {
    class: "sv-first",
  });
  const againButton = button(words.again, () => restartGame((first + ROUNDS) % texts.length));
  const score = el("p.sv-game-score.sv-strong");
  const chances = el("div.sv-game-chances");
  const target = el("p.sv-note");
  const line = el("form.sv-game-line", null, el("p", null, before, " ", field, block, " ", after), checkButton, nextButton);
  const labButton = document.body.hasAttribute("data-embed") ? null : button(words.lab, () => openPanel({ lab: "classroom" }));
  const links = el("div.sv-flow.sv-game-go", null, againButton, labButton);
  const root = el("div.sv-game", { "data-stage": stage }, place, message, line, chances, links, score, target);

  const current = () => texts[(first + n) % texts.length];
  /** @param {"ask" | "look" | "told" | "sum"} now */
  function setStage(now) {
    stage = now;
    root.dataset.stage = now;
    field.hidden = now !== "ask";
    block.hidden = now === "ask";
    checkButton.hidden = now !== "ask";
    nextButton.hidden = now !== "told";
    setText(nextButton, words[n + 1 < ROUNDS ? "next" : "sum"]);
    links.hidden = now !== "sum";
    for (const one of [line, score]) one.hidden = now === "sum";
    setText(place, fillText(words.place, { n: n + 1, of: ROUNDS }));
    setText(score, fillText(words.score, points));
    setText(target, [words.target, server.note?.() ?? ""].join(" ").trim());
  }

  /** @param {string} name @param {object} values */
  const request = async (name, values) => {
    const answer = await server[/** @type {"begin" | "score"} */ (name)](values).catch(() => null);
    const reply = typeof answer === "string" ? JSON.parse(answer) : { error: words.lost };
    if (reply.error) throw new Error(reply.error);
    return reply;
  };

  /** @param {number} at */
  function beginRound(at) {
    const hadFocus = root.contains(document.activeElement);
    n = at;
    text = [];
    field.value = "";
    setText(before, visible(current()));
    block.replaceChildren();
    after.replaceChildren();
    chances.replaceChildren();
    setText(message, words.ask);
    setStage("ask");
    if (hadFocus) field.focus({ preventScroll: true });
  }

  async function checkGuess() {
    const guessWords = continuation(field.value, current(), false);
    if (stage !== "ask" || !guessWords) return field.focus();
    const hadFocus = root.contains(document.activeElement);
    setStage("look");
    block.replaceChildren(el("span.sv-token", { "data-role": "drafted" }, visible(guessWords.trim())));
    block.setAttribute("data-on", "");
    setText(message, words.looks);
    const pause = new Promise((done) => setTimeout(done, still() ? 0 : LOOK_MS));
    try {
      if (!text.length) text = (await request("begin", { prompt: current() })).tokens;
      const guess = { words: guessWords, text: text.map(({ id }) => id), seed: 0 };
      const greedy = await request("score", { ...guess, temperature: 0, others: [DRAFTER] });
      const warm = await request("score", { ...guess, temperature: 1, others: [] });
      await pause;
      showRound(greedy, warm);
      if (hadFocus) nextButton.focus({ preventScroll: true });
    } catch (error) {
      setStage("ask");
      setText(message, error instanceof Error ? error.message : words.lost);
      if (hadFocus) field.focus({ preventScroll: true });
    }
    block.removeAttribute("data-on");
  }

  /** @param {PlayedRound} greedy @param {PlayedRound} warm */
  function showRound(greedy, warm) {
    points.own += Number(allAccepted(greedy.people));
    points.small += Number(allAccepted(greedy.others.find(({ key }) => key === DRAFTER)));
    block.replaceChildren(...greedy.drafted.map(({ token, verdict }) => box(token, verdict)));
    const targetTokens = greedy.emitted.filter(({ role }) => role !== "accepted");
    after.replaceChildren(...targetTokens.map(({ token, role }) => box(token, role)));
    setText(message, words[outcomeOf(greedy)]);
    chances.replaceChildren(...chanceNodes(chancesOf(greedy, warm)));
    setStage("told");
  }

  /** @param {Chance[]} all */
  function chanceNodes(all) {
    if (!all.length) return [];
    const rows = all.map(({ token, p, own }) => {
      const name = [boxText(token.text), own ? el("span.sv-unseen", null, ` (${words.yours})`) : null];
      return row(name, [bar("target", p, 1)], [percent(p)], own);
    });
    return [el("p.sv-note", null, words.chances), el("div.sv-bars", null, rows)];
  }

  function showSum() {
    const of = ROUNDS;
    const hadFocus = root.contains(document.activeElement);
    setStage("sum");
    chances.replaceChildren(el("p", null, words.why));
    setText(message, fillText(words.result, { ...points, of }));
    setText(place, words.title);
    if (hadFocus) againButton.focus({ preventScroll: true });
  }

  /** @param {number} at */
  function restartGame(at) {
    first = at;
    points = { own: 0, small: 0 };
    beginRound(0);
    field.focus({ preventScroll: true });
  }

  line.addEventListener("submit", (event) => {
    event.preventDefault();
    checkGuess();
  });
  server.hear?.((sentence) => stage === "look" && setText(message, sentence || words.looks));
  beginRound(0);
  return { root, focus: () => field.focus({ preventScroll: true }) };
}

/** A token of the line, with its sign. @param {Token} token @param {string} role */
function box(token, role) {
  const sign = el("span.sv-game-sign", { "aria-hidden": "true" }, ROLES[role].glyph);
  const roleText = el("span.sv-unseen", null, `, ${ROLES[role].word}`);
  return el("span.sv-token", { "data-role": role }, sign, visible(token.text.trim() || token.text), roleText);
}
