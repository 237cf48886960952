// A phone in a room: it joins, shows the text so far, sends what its owner guesses, and says what became of the round.
// It asks every now and then; what it is told goes through textContent. The seat's key stays in this tab.

import { continuation } from "../shared/continuation.js";
import { el, setText } from "../shared/dom.js";
import { fill, fillText } from "../shared/sentences.js";
import { readTabStored, writeTabStored } from "../shared/store.js";
import { followTheme } from "../shared/theme.js";
import { chip } from "../shared/tokens.js";
import { ROLES, setVocabulary } from "../shared/words.js";
import { pollNodes } from "./poll.js";

/** @import { Role, Token } from "../shared/types.js" */
/** @import { PhonePage, PlayedRound, RoomView } from "./types.js" */

const REFRESH_MS = 1500; // between two looks at the room

/** @param {PhonePage} given */
export function join({ words, most, roles }) {
  setVocabulary({ words: { space: "space", newline: "new line", spaces: "{n} spaces", none: "–" }, roles });
  const root = /** @type {HTMLElement} */ (document.getElementById("room"));
  const status = el("p.ph-told.sv-bad", { role: "status" });
  const left = el("p.sv-muted");
  const text = el("p.ph-text", { "aria-label": words.text });
  const state = el("p.ph-state", { role: "status" });
  const last = el("section.ph-last");
  const cut = el("p.ph-cut.sv-muted", { "aria-live": "polite" });
  const field = el("input", {
    id: "ph-words",
    maxlength: most,
    autocomplete: "off",
    autocapitalize: "off",
    enterkeyhint: "send",
  });
  const inside = el("input", { type: "checkbox" });
  const send = el("button", { type: "submit" }, words.send);
  const form = el(
    "form",
    null,
    el("label.sv-strong", { for: "ph-words" }, words.guess),
    field,
    el("label.ph-inside.sv-muted", null, inside, ` ${words.inside}`),
    send,
    cut,
  );
  const title = el("h1");
  const pollBox = el("section.ph-poll");
  const name = el("p.sv-muted");
  let seat = String(readTabStored("seat") ?? "");
  let timer = 0;
  let pollJson = "";
  /** @type {RoomView | null} */
  let view = null;

  /** @param {RoomView & { seat?: string }} next */
  const showView = (next) => {
    const isNewRound = view?.round !== next.round;
    view = next;
    if (form.parentNode !== root) root.replaceChildren(title, pollBox, text, form, state, last, status, name, left);
    const json = JSON.stringify(next.poll);
    if (json !== pollJson) pollBox.replaceChildren(...(next.poll ? pollNodes(next.poll, words, sendVote) : []));
    pollJson = json;
    const isAsked = next.poll !== null;
    for (const part of [text, state, last]) part.hidden = isAsked;
    setText(title, isAsked ? words.asked : words.title);
    setText(name, next.name ? fillText(words.called, { name: next.name }) : "");
    setText(text, next.text);
    form.hidden = next.playing || next.ended !== null || isAsked;
    setText(send, next.guess.length ? words.again : words.send);
    cut.replaceChildren(...(next.guess.length ? [`${words.cut} `, ...next.guess.map((token) => chip(token))] : []));
    setText(state, next.ended ? words.ended : next.playing ? words.playing : fillText(words.wait, { ...next }));
    setText(left, fillText(words.left, { minutes: Math.ceil(next.left / 60) }));
    if (isNewRound) {
      field.value = "";
      inside.checked = false;
      last.replaceChildren(...guessSentences(next.before, next.last, words), ...lastRound(next.last, words));
    }
  };

  /** Ask the room. @param {string} what @param {object} values @returns {Promise<any>} */
  const post = async (what, values) => {
    const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(values) };
    try {
      return await (await fetch(`${location.pathname}/${what}`, request)).json();
    } catch {
      return { error: words.lost };
    }
  };

  /** What a room says to a request. @param {any} answer */
  const onAnswer = (answer) => {
    clearTimeout(timer);
    setText(status, answer.error ?? "");
    if (answer.gone) return root.replaceChildren(el("h1", null, words.over), el("p", null, answer.error));
    if (answer.seat === true) return showEntrance(answer.error);
    if (!answer.error) showView(answer);
    timer = window.setTimeout(refresh, REFRESH_MS);
  };
  /** @param {string} name @param {object} values */
  const request = async (name, values) => onAnswer(await post(name, { seat, ...values }));
  const refresh = () => document.hidden || request("look", {});
  /** @param {number} choice */
  const sendVote = (choice) => request("vote", { about: view?.poll?.about, choice });

  /** @param {string} [message] */
  const showEntrance = (message = "") => {
    const name = el("input", { id: "ph-name", autocomplete: "nickname", maxlength: 24 });
    const submit = el("button", { type: "submit" }, words.join);
    const door = el("form", null, el("label.sv-strong", { for: "ph-name" }, words.name), name, submit);
    door.addEventListener("submit", async (event) => {
      event.preventDefault();
      const answer = await post("join", { name: name.value });
      if (answer.error && !answer.gone) return setText(status, answer.error);
      seat = answer.seat ?? "";
      writeTabStored("seat", seat);
      onAnswer({ ...answer, seat: null });
    });
    setText(status, message);
    root.replaceChildren(el("h1", null, words.title), door, status);
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const typed = continuation(field.value, view?.text ?? "", inside.checked);
    request("guess", { round: view?.round, words: typed });
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && seat && view) refresh();
  });
  window.addEventListener("pagehide", () => {
    if (seat) navigator.sendBeacon(`${location.pathname}/leave`, JSON.stringify({ seat }));
  });
  followTheme();
  showEntrance();
  if (seat) post("look", { seat }).then((answer) => !answer.error && onAnswer(answer));
}

/**
 * What became of a guess: of what was drawn from all guesses, its beginning is this one's as far as both agree.
 * @param {Token[]} guess @param {Pick<PlayedRound, "drafted">} played
 */
export function ownPart(guess, { drafted }) {
  const parts = drafted.findIndex(({ token }, i) => token.id !== guess[i]?.id);
  const own = drafted.slice(0, parts < 0 ? drafted.length : parts);
  const of = (/** @type {string} */ verdict) =>
    own.filter((each) => each.verdict === verdict).map(({ token }) => token);
  return { draftedCount: own.length, accepted: of("accepted"), rejected: of("rejected") };
}

/**
 * The same in sentences.
 * @param {Token[]} guess @param {PlayedRound | null} played @param {Record<string, string>} words
 */
function guessSentences(guess, played, words) {
  if (!played || !guess.length) return [];
  const { draftedCount, accepted, rejected } = ownPart(guess, played);
  const chips = (/** @type {Token[]} */ tokens) => tokens.map((token) => chip(token));
  const sentences = [
    draftedCount ? "" : fill(words.own_none),
    accepted.length ? fill(words.own_kept, { tokens: el("span", null, chips(accepted)) }) : "",
    rejected.length ? fill(words.own_rejected, { tokens: el("span", null, chips(rejected)) }) : "",
  ].filter(Boolean);
  return [el("h2", null, words.own), ...sentences.map((sentence) => el("p.ph-own", null, sentence))];
}

/** @param {PlayedRound | null} played @param {Record<string, string>} words */
function lastRound(played, words) {
  if (!played) return [];
  const line = (/** @type {Token} */ token, /** @type {Role} */ role) => {
    const glyph = el("span", { "aria-hidden": "true" }, ROLES[role].glyph);
    return el("li", { "data-role": role }, glyph, chip(token), el("span", null, words[role] ?? ROLES[role].word));
  };
  const drafted = played.drafted.map(({ token, verdict }) => line(token, verdict));
  const added = played.emitted.filter(({ role }) => role !== "accepted").map(({ token, role }) => line(token, role));
  return [
    el("h2", null, words.last),
    el("p", null, words.drawn),
    el("ul", null, drafted),
    el("p", null, words.went),
    el("ul", null, added),
  ];
}
