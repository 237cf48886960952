// What the run came to, in one large number and a few plain lines under it.

function headline(picture) {
  const { comparison } = picture;
  const { vanilla, speculative } = picture.lanes;
  const box = el("div.sv-headline", { "data-awaited": "" }, el("p.sv-awaited.sv-note", null, WORDS.awaited)); // its place is kept from the start
  if (!comparison || comparison.speedup === null) {
    box.append(el("p.sv-verdict", null, WORDS.no_speedup));
    return box;
  }
  const times = number(comparison.speedup, 2);
  box.append(
    el("p.sv-verdict", { "data-kind": comparison.kind }, el("strong", null, times + "×"), " ", WORDS["kind_" + comparison.kind]),
    el("div.sv-facts", null,
      el("p", null, say("decoding_only", {
        vanilla: number(vanilla.numbers.tokens_per_second, 1),
        speculative: number(speculative.numbers.tokens_per_second, 1),
        end_to_end: number(comparison.speedup_end_to_end, 2) + "×",
      })),
      el("p", null, passesLine(vanilla.numbers, speculative.numbers)),
      el("p.sv-texts", null, textsLine(comparison)),
      picture.header.config.K && speculative.numbers.undrafted ? el("p.sv-undrafted", null, undraftedLine(speculative.numbers)) : null,
      fullLine(picture),
      comparison.whole ? null : el("p", null, WORDS.partial)));
  return box;
}

// A lane that ran out of context before it had the length asked for.
function fullLine({ lanes, header }) {
  const full = [lanes.speculative, lanes.vanilla].find((lane) => lane.stopped && lane.stopped.reason === "context");
  return full ? el("p.sv-full", null, say("context_full", { tokens: full.numbers.tokens, asked: header.config.max_new_tokens })) : null;
}

function passesLine(vanilla, speculative) {
  if (vanilla.tokens === speculative.tokens) return say("passes", { vanilla: vanilla.target_forwards, speculative: speculative.target_forwards });
  return say("passes_partial", { speculative: speculative.target_forwards, tokens: speculative.tokens });
}

function undraftedLine({ drafted, undrafted, rounds }) {
  return drafted ? say("undrafted", { part: undrafted, whole: rounds }) : say("undrafted_all");
}

function textsLine(comparison) {
  if (comparison.same) return say("same", { count: comparison.common });
  if (!comparison.parts) return say("prefix", { count: comparison.common });
  const [x, y] = comparison.parted.map(chip);
  if (!comparison.logits) return say(comparison.greedy ? "greedy_differs" : "sampled_differs", { at: comparison.common + 1, x, y });
  const logits = Object.fromEntries(Object.entries(comparison.logits).map(([key, value]) => [key, number(value, 4)]));
  return say("greedy_logits", { at: comparison.common + 1, x, y, ...logits });
}
