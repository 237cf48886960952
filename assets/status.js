// One line: what the run does, how far it is, or what is wrong. Given element, props and watch (specviz/page/status.py).

const box = element.querySelector(".sv-status");

function fill(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

function paint() {
  const status = JSON.parse(props.value);
  const text = "message" in status ? status.message : status.state === "idle" ? "" : fill(props.words[status.state], status);
  box.dataset.state = status.state;
  box.replaceChildren();
  if (!text) return;
  const line = document.createElement("p");
  line.textContent = text;
  box.append(line);
  if (status.state === "running") box.append(meter(status));
}

// The race hears of it too: an earlier run is dimmed when a new one fails.
function tell() {
  paint();
  document.dispatchEvent(new CustomEvent("specviz:status", { detail: JSON.parse(props.value).state }));
}

function meter(status) {
  const outer = document.createElement("div"), inner = document.createElement("div");
  outer.className = "sv-progress";
  outer.setAttribute("role", "progressbar");
  outer.setAttribute("aria-valuenow", status.tokens);
  outer.setAttribute("aria-valuemax", status.of);
  outer.setAttribute("aria-label", status.lane);
  inner.style.width = `${(100 * status.tokens) / Math.max(1, status.of)}%`;
  outer.append(inner);
  return outer;
}

watch("value", tell);
paint();
