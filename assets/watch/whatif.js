// "What if u had been another one?": a handle on the u scale, and a sentence on what that would change.

function whatIf(picture, round, drafted) {
  const scale = uScale(drafted), at = round.drafted.indexOf(drafted), limit = drafted.ratio === null ? Infinity : drafted.ratio;
  const handle = el("input.sv-try", { type: "range", min: 0, max: 0.999, step: 0.001, "aria-label": WORDS.try_u });
  const told = el("p.sv-tried", { "aria-live": "polite" }), back = el("button.sv-button.sv-back", { type: "button" }, WORDS.try_back);
  const line = el("div.sv-tries", null, told, back);

  function tell() {
    const u = Number(handle.value), moved = handle.dataset.moved !== undefined;
    const kept = u < limit, was = drafted.verdict === "accepted"; // strictly below: u = 0 keeps nothing that p(x) = 0 forbids
    const values = { x: chip(drafted.token), u: probability(u), ratio: probability(drafted.ratio), n: round.drafted.length - at - 1 };
    handle.setAttribute("aria-valuetext", plain("try_value", { u: probability(u), verdict: WORDS[kept ? "u_keep" : "u_reject"] }));
    placeWords(scale, Math.min(1, limit), [drafted.u, u]);
    back.disabled = !moved;
    line.dataset.verdict = !moved ? "" : kept === was ? "same" : "other";
    if (!moved) return told.replaceChildren(...say("try_hint"));
    if (kept === was) return told.replaceChildren(...say(was ? (limit >= 1 ? "try_same_sure" : "try_same_kept") : "try_same_rejected", values));
    told.replaceChildren(...say(kept ? "try_kept" : values.n ? "try_rejected" : "try_rejected_end", values));
  }
  function reset() {
    handle.value = drafted.u;
    delete handle.dataset.moved;
    tell();
  }
  handle.addEventListener("input", () => {
    handle.dataset.moved = "";
    tell();
  });
  back.addEventListener("click", () => {
    reset();
    handle.focus({ preventScroll: true }); // the button is off now
  });
  reset();
  return [el("div.sv-u-try", null, scale, handle), line]; // beside the scale, which is one picture to a screen reader
}

// What else was thrown away with a rejected token: p of each was worked out in the same pass, but after text that is no longer there.
function restOfBlock(round, rejected) {
  const rest = round.drafted.slice(round.drafted.indexOf(rejected) + 1);
  if (!rest.length) return null;
  const cell = (d) => el("li", null, chip(d.token), el("span.sv-note", null, plain("rest_pq", { p: probability(d.p), q: probability(d.q) })));
  return panel("rest_title", el("ul.sv-rest", null, rest.map(cell)), el("p.sv-note", null, WORDS.rest_note));
}
