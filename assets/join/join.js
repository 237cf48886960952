// A phone in a room: it joins, shows the text so far, sends what its owner guesses, and says what became of the round.
// It asks every now and then; what it is told goes through textContent. The seat's key stays in this tab.

import { el, setText } from "../shared/dom.js";
import { following } from "../shared/following.js";
import { fillText } from "../shared/sentences.js";
import { readTabStored, writeTabStored } from "../shared/store.js";
import { followTheme } from "../shared/theme.js";
import { chip } from "../shared/tokens.js";
import { ROLES, setVocabulary } from "../shared/words.js";
import { guessSentences, lastRound } from "./last.js";
import { pollNodes } from "./poll.js";
import { makeSurvey } from "./survey.js";

/** @import { Given, Look } from "./types.js" */

const EVERY = 1500; // ms between two questions

/** @param {Given} given */
export function join({ words, most, roles }) {
  setVocabulary({ words: { space: "space", newline: "new line", spaces: "{n} spaces", none: "–" }, roles });
  const root = /** @type {HTMLElement} */ (document.getElementById("room"));
  const told = el("p.ph-told", { role: "status" });
  const left = el("p.ph-note");
  const text = el("p.ph-text", { "aria-label": words.text });
  const state = el("p.ph-state", { role: "status" });
  const last = el("section.ph-last");
  const cut = el("p.ph-cut", { "aria-live": "polite" });
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
    el("label", { for: "ph-words" }, words.guess),
    field,
    el("label.ph-inside", null, inside, ` ${words.inside}`),
    send,
    cut,
  );
  const title = el("h1");
  const asked = el("section.ph-poll");
  const survey = makeSurvey(words, (now, question, choice) => answer(now, question, choice));
  const name = el("p.ph-note");
  let seat = String(readTabStored("seat") ?? "");
  let timer = 0;
  let polled = "";
  /** @type {Look | null} */
  let seen = null;

  /** @param {Look & { seat?: string }} look */
  const show = (look) => {
    const begun = seen?.round !== look.round;
    seen = look;
    if (form.parentNode !== root)
      root.replaceChildren(title, asked, survey.node, text, form, state, last, told, name, left);
    const puts = JSON.stringify(look.poll);
    if (puts !== polled) asked.replaceChildren(...(look.poll ? pollNodes(look.poll, words, vote) : []));
    polled = puts;
    survey.show(look.survey);
    const askedNow = look.poll !== null || look.survey !== null;
    for (const part of [text, state, last]) part.hidden = askedNow;
    setText(title, askedNow ? words.asked : words.title);
    setText(name, look.name ? fillText(words.called, { name: look.name }) : "");
    setText(text, look.text);
    form.hidden = look.playing || look.ended !== null || askedNow;
    setText(send, look.guess.length ? words.again : words.send);
    cut.replaceChildren(...(look.guess.length ? [`${words.cut} `, ...look.guess.map((token) => chip(token))] : []));
    setText(state, look.ended ? words.ended : look.playing ? words.playing : fillText(words.wait, { ...look }));
    setText(left, fillText(words.left, { minutes: Math.ceil(look.left / 60) }));
    if (begun) {
      field.value = "";
      inside.checked = false;
      last.replaceChildren(...guessSentences(look.before, look.last, words), ...lastRound(look.last, words, ROLES));
    }
  };

  /** What a room said to a question. @param {any} answer @param {(answer: any) => void} then */
  const heard = (answer, then) => {
    clearTimeout(timer);
    setText(told, answer.lost ? words.lost : (answer.error ?? ""));
    if (answer.gone) return root.replaceChildren(el("h1", null, words.over), el("p", null, answer.error));
    if (answer.seat === true) return enter(answer.error);
    if (!answer.error && !answer.lost) then(answer);
    timer = window.setTimeout(look, EVERY);
  };
  const look = async () => {
    if (document.hidden) return;
    heard(await ask("look", { seat }), show);
  };

  /** @param {number} choice */
  const vote = async (choice) => heard(await ask("vote", { seat, about: seen?.poll?.about, choice }), show);

  /** @param {string} now @param {number} question @param {number} choice */
  const answer = async (now, question, choice) => heard(await ask("answer", { seat, now, question, choice }), show);

  /** @param {string} [said] */
  const enter = (said = "") => {
    const name = el("input", { id: "ph-name", autocomplete: "nickname", maxlength: 24 });
    const door = el(
      "form",
      null,
      el("label", { for: "ph-name" }, words.name),
      name,
      el("button", { type: "submit" }, words.join),
    );
    door.addEventListener("submit", async (event) => {
      event.preventDefault();
      const answer = await ask("join", { name: name.value });
      if (answer.lost || (answer.error && !answer.gone)) return setText(told, answer.lost ? words.lost : answer.error);
      seat = answer.seat ?? "";
      writeTabStored("seat", seat);
      heard({ ...answer, seat: null }, show);
    });
    setText(told, said);
    root.replaceChildren(el("h1", null, words.title), door, told);
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const typed = following(field.value, seen?.text ?? "", inside.checked);
    heard(await ask("guess", { seat, round: seen?.round, words: typed }), show);
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && seat && seen) look();
  });
  window.addEventListener("pagehide", () => {
    if (seat) navigator.sendBeacon(`${location.pathname}/leave`, JSON.stringify({ seat }));
  });
  followTheme();
  enter();
  if (seat) ask("look", { seat }).then((answer) => !answer.error && !answer.lost && heard(answer, show));
}

/** What a phone asks of its room. @param {string} what @param {object} sent @returns {Promise<any>} */
async function ask(what, sent) {
  const headers = { "Content-Type": "application/json" };
  try {
    const answer = await fetch(`${location.pathname}/${what}`, { method: "POST", headers, body: JSON.stringify(sent) });
    return await answer.json();
  } catch {
    return { lost: true };
  }
}
