// What became of Copy link: a sentence, and the link itself in a field where the browser refused to copy it. And the other end:
// whoever arrives by such a link has it read.

const box = element.querySelector(".sv-said");

function paint() {
  const { state, link } = JSON.parse(props.value || "{}");
  box.replaceChildren();
  if (!state) return;
  const line = document.createElement("p");
  line.textContent = props.words[state];
  box.append(line);
  if (!link) return;
  const field = document.createElement("input");
  field.type = "text";
  field.readOnly = true;
  field.value = link;
  field.setAttribute("aria-label", props.words.field);
  box.append(field);
  field.focus();
  field.select();
}

watch("value", paint);
paint();

// A link's parameters are read by the server; a plain address costs no trip there. What begins with __ is Gradio's own.
if ([...new URLSearchParams(location.search).keys()].some((name) => !name.startsWith("__"))) trigger("linked", {});
