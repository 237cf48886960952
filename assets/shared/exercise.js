// What Learn and the Lab have in common on the page: a part of the bar above a tab, a link that is copied, what is chosen and
// what is moved, and what a class does with a chapter or a panel.

import { el, plainButton, setText } from "../player/dom.js";
import { explain } from "../player/page.js";

/** Copy it, and say so. @param {(sentence: string) => void} announce @param {string} text @param {string} success a
 * sentence @param {string} failure and one where the browser does not let the page */
export async function copy(announce, text, success, failure) {
  try {
    await navigator.clipboard.writeText(text);
    announce(success);
  } catch {
    announce(`${failure} ${text}`);
  }
}

/** @param {string} sign @param {string} short @param {string} title @param {boolean} here @param {() => void} open */
export function navItem(sign, short, title, here, open) {
  const look = { title, "aria-label": `${sign} ${short}`, "aria-current": here ? "page" : null }; // a projector hides the word
  return el("li", null, plainButton("button", look, open, el("b", null, sign), el("span", null, short)));
}

/** @template Value @param {string} word @param {string} name of its inputs @param {[Value, string][]} options
 * @param {Value} now @param {(value: Value, pointed: boolean) => void} onChoose `pointed`: by hand, not by keys */
export function choices(word, name, options, now, onChoose) {
  let pointed = false;
  const inputs = options.map(([value]) => {
    const input = el("input", { type: "radio", name, value: String(value) });
    input.checked = value === now;
    input.addEventListener("change", () => {
      onChoose(value, pointed);
      pointed = false;
    });
    return input;
  });
  const labels = options.map(([, label], i) => el("label", null, inputs[i], el("span", null, label)));
  const root = el("fieldset.sv-pick", { "aria-label": word }, labels);
  root.addEventListener("pointerdown", () => {
    pointed = true;
  });
  return {
    root,
    /** @param {Value} value */
    show(value) {
      for (const [i, [own]] of options.entries()) inputs[i].checked = own === value;
    },
  };
}

/** @param {string} word @param {number} min @param {number} max @param {number} step
 * @param {(value: number) => void} onMove */
export function slider(word, min, max, step, onMove) {
  const input = el("input", { type: "range", min, max, step, "aria-label": word });
  const out = el("output");
  input.addEventListener("input", () => onMove(Number(input.value)));
  return {
    root: el("label.sv-slider", null, el("span", null, word), input, out),
    input,
    /** @param {number} value @param {string} text */
    show(value, text) {
      input.value = String(value);
      input.setAttribute("aria-valuetext", text);
      setText(out, text);
    },
  };
}

/** @param {{ task: string[], key: string[] }} lines @param {string} word @param {string} answers what opens the key */
export function exercise({ task, key }, word, answers) {
  const inside = lazyDetails("details.sv-answers", answers, () => [list(key)]);
  return lazyDetails("details.sv-exercise", word, () => [list(task), inside]);
}

/** @param {string[]} lines */
const list = (lines) => el("ol", null, ...lines.map((line) => el("li", null, explain(line))));

/** What is in it is not on the page before somebody opens it: a projector shows the page to all.
 * @param {"details.sv-exercise" | "details.sv-answers"} kind @param {string} word @param {() => Node[]} content */
function lazyDetails(kind, word, content) {
  const box = el(kind, null, el("summary", null, word));
  box.addEventListener("toggle", () => box.childElementCount === 1 && box.append(...content()));
  return box;
}
