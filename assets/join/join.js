// A phone in a room: it joins, shows the text so far, sends what its owner guesses, and says what became of the round; and a
// chapter's question: its choices, what was chosen here and, with the answer, what all chose. It asks every now and then; what
// it is told goes through textContent. The seat's key stays in this browser.

import { chip, continuation, el, followTheme, readStored, setText, share, writeStored } from "../player/dom.js";
import { fill, fillText, formatted, probability, ROLES, setVocabulary } from "../player/words.js";

/** @import { OwnToken, PhonePage, PlayedRound, Poll, RoomView } from "./types.js" */
/** @import { Role, Token } from "../shared/types.js" */

/** @param {string} text @param {() => void} act @param {object} [attributes] @param {HTMLElement | null} [count] */
function choiceButton(text, act, attributes = {}, count = null) {
  const button = el("button.sv-choice", { type: "button", ...attributes }, el("span", null, text), count);
  button.addEventListener("click", act);
  return button;
}

/** @param {Poll} poll @param {Record<string, string>} words @param {(choice: number) => void} vote */
function pollNodes(poll, words, vote) {
  const { right, own } = poll;
  const isAnswered = right !== undefined;
  const choices = poll.choices.map((text, i) => {
    const state = !isAnswered ? null : i === right ? "right" : i === own ? "wrong" : "";
    const count = isAnswered ? el("b", null, String(poll.counts?.[i] ?? 0)) : null;
    const attributes = { "aria-pressed": String(i === own), "data-state": state };
    const node = choiceButton(text, () => vote(i), attributes, count);
    if (isAnswered) node.style.setProperty("--votes", share(poll.counts?.[i] ?? 0, Math.max(1, poll.voted ?? 0)));
    node.disabled = isAnswered;
    return node;
  });
  return [el("h2", null, poll.ask), ...choices, el("p.ph-state", null, pollResult(poll, words))];
}

/** @param {Poll} poll @param {Record<string, string>} words */
export function pollResult({ own, right, why }, words) {
  if (right === undefined) return own === null ? words.vote : words.voted;
  const verdict = own === null ? "" : own === right ? words.vote_right : words.vote_wrong;
  return `${verdict} ${why ?? ""} ${words.vote_wait}`.trim();
}

const REFRESH_MS = 1500; // between two looks at the room

/** @param {PhonePage} given */
export function join({ words, most, roles }) {
  setVocabulary({ words: { space: "space", newline: "new line", spaces: "{n} spaces", none: "–" }, roles });
  const root = /** @type {HTMLElement} */ (document.getElementById("room"));
  const status = el("p.ph-told.sv-bad", { role: "status" });
  const timeNote = el("p.sv-muted");
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
  const title = el("h1"); // of the page and of its tab: what is going on
  const setTitle = (/** @type {string} */ text) => {
    setText(title, text);
    document.title = text;
  };
  const pollBox = el("section.ph-poll");
  const name = el("p.sv-muted");
  const stored = readStored("seat"); // of the last room: a phone that is closed and opened again is the same seat
  let seat = stored?.room === location.pathname ? String(stored.seat) : "";
  let timer = 0;
  /** What the room has not heard: it is sent again. @type {[name: string, values: object] | null} */
  let unsent = null;
  let pollJson = "";
  /** @type {RoomView | null} */
  let view = null;

  /** @param {RoomView & { seat?: string }} next */
  const showView = (next) => {
    const isNewRound = view?.round !== next.round;
    view = next;
    if (form.parentNode !== root) root.replaceChildren(title, pollBox, text, form, state, last, status, name, timeNote);
    const json = JSON.stringify(next.poll);
    if (json !== pollJson) pollBox.replaceChildren(...(next.poll ? pollNodes(next.poll, words, sendVote) : []));
    pollJson = json;
    const isAsked = next.poll !== null;
    for (const part of [text, state, last]) part.hidden = isAsked;
    setTitle(isAsked ? words.asked : words.title);
    setText(name, next.name ? fillText(words.called, { name: next.name }) : "");
    setText(text, next.text);
    form.hidden = next.playing || next.ended !== null || isAsked;
    setText(send, next.guess.length ? words.again : words.send);
    cut.replaceChildren(...(next.guess.length ? [`${words.cut} `, ...next.guess.map((token) => chip(token))] : []));
    setText(state, next.ended ? words.ended : next.playing ? words.playing : fillText(words.wait, { ...next }));
    setText(timeNote, fillText(words.left, { minutes: Math.ceil(next.left / 60) }));
    if (isNewRound) {
      field.value = "";
      inside.checked = false;
      last.replaceChildren(...guessSentences(next.before, words), ...lastRound(next.last, words));
    }
  };

  /** Ask the room. @param {string} what @param {object} values @returns {Promise<any>} */
  const post = async (what, values) => {
    const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(values) };
    try {
      return await (await fetch(`${location.pathname}/${what}`, request)).json();
    } catch {
      return { error: words.lost, lost: true };
    }
  };

  /** What a room says to a request. @param {any} answer */
  const onAnswer = (answer) => {
    clearTimeout(timer);
    setText(status, answer.error ?? "");
    if (answer.gone) {
      if (seat) writeStored("seat", null); // of this room, no other one
      setTitle(view ? words.over : words.door);
      return root.replaceChildren(title, el("p", null, answer.error));
    }
    if (answer.seat === true) return showEntrance(answer.error);
    if (!answer.error) showView(answer);
    timer = window.setTimeout(refresh, REFRESH_MS);
  };
  /** @param {string} name @param {object} values */
  const request = async (name, values) => {
    const answer = await post(name, { seat, ...values });
    if (name !== "look") unsent = answer.lost ? [name, values] : null;
    onAnswer(answer);
  };
  const refresh = () => document.hidden || request(...(unsent ?? ["look", {}]));
  /** @param {number} choice */
  const sendVote = (choice) => request("vote", { about: view?.poll?.about, choice });

  /** @param {string} [message] */
  const showEntrance = (message = "") => {
    const name = el("input", { id: "ph-name", autocomplete: "nickname", maxlength: 24 });
    const submit = el("button", { type: "submit" }, words.join);
    const door = el("form", null, el("label.sv-strong", { for: "ph-name" }, words.name), name, submit);
    door.addEventListener("submit", async (event) => {
      event.preventDefault();
      const answer = await post("join", { seat, name: name.value });
      if (answer.error && !answer.gone) return setText(status, answer.error);
      seat = answer.seat ?? "";
      writeStored("seat", { room: location.pathname, seat });
      onAnswer({ ...answer, seat: null });
    });
    setText(status, message);
    setTitle(words.door);
    root.replaceChildren(title, door, status);
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const guess = continuation(field.value, view?.text ?? "", inside.checked);
    request("guess", { round: view?.round, words: guess });
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && seat && view) refresh();
  });
  window.addEventListener("pagehide", () => {
    if (seat) navigator.sendBeacon(`${location.pathname}/leave`, JSON.stringify({ seat }));
  });
  followTheme();
  showEntrance();
  // a wrong code is said at once, and who has a seat is in
  post("look", { seat }).then((answer) => (!answer.error || answer.gone) && onAnswer(answer));
}

/** What became of this phone's guess. @param {OwnToken[]} guess @param {Record<string, string>} words */
export function guessSentences(guess, words) {
  if (!guess.length) return [];
  const sentences = guess.map(({ token, p, q, u, passes, drafted }) => {
    const verdict = `${drafted || u === null ? "" : "would_"}${passes ? "keep" : "reject"}${u === null ? "_greedy" : ""}`;
    const values = { token: chip(token), ...formatted({ p, q, u }, probability) };
    return el("p.ph-own", null, fill(words[`own_${passes === null ? "rare" : verdict}`], values));
  });
  return [el("h2", null, words.own), ...sentences];
}

/** @param {PlayedRound | null} round @param {Record<string, string>} words */
function lastRound(round, words) {
  if (!round) return [];
  const line = (/** @type {Token} */ token, /** @type {Role} */ role) => {
    const glyph = el("span", { "aria-hidden": "true" }, ROLES[role].glyph);
    return el("li", { "data-role": role }, glyph, chip(token), el("span", null, words[role] ?? ROLES[role].word));
  };
  const drafted = round.drafted.map(({ token, verdict }) => line(token, verdict));
  const items = round.emitted.filter(({ role }) => role !== "accepted").map(({ token, role }) => line(token, role));
  return [
    el("h2", null, words.last),
    el("p", null, words.drawn),
    el("ul", null, drafted),
    el("p", null, words.went),
    el("ul", null, items),
  ];
}
