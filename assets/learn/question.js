// Predict, then reveal: buttons, the answer and one sentence why. What was answered stays answered while the page lives.

const answers = new Map();

function question({ ask, choices, right, why }, n) {
  const told = el("p.lrn-why", { "aria-live": "polite" }, el("span.lrn-note", null, T.predict_first));
  const buttons = choices.map((text, i) => el("button.lrn-choice", { type: "button" }, el("span.lrn-sign", { "aria-hidden": "true" }), el("span", null, text)));
  const reveal = (chosen) => {
    buttons.forEach((button, i) => {
      button.setAttribute("aria-pressed", String(i === chosen));
      const state = i === right ? "right" : i === chosen ? "wrong" : "";
      button.dataset.state = state;
      setText(button.firstChild, state === "right" ? "✓" : state === "wrong" ? "✗" : "");
    });
    told.replaceChildren(el("strong", null, chosen === right ? T.right : T.wrong), " ", why);
  };
  buttons.forEach((button, i) => button.addEventListener("click", () => { answers.set(n, i); reveal(i); }));
  if (answers.has(n)) reveal(answers.get(n));
  return el("section.lrn-question", { "aria-label": T.predict }, el("h3", null, el("span.lrn-predict", null, T.predict), " ", ask), el("div.lrn-choices", null, buttons), told);
}
