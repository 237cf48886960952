// Bars of the inspector as a picture file: what stands on the page, drawn again as SVG at the same places.

const SVG = "http://www.w3.org/2000/svg";

function saveButton(bars, name) {
  const button = el("button.sv-button.sv-save-bars", { type: "button" }, WORDS.save_bars);
  button.addEventListener("click", () => {
    const text = new XMLSerializer().serializeToString(svgOf(bars));
    const link = el("a", { download: `specviz-${name}.svg`, href: URL.createObjectURL(new Blob([text], { type: "image/svg+xml" })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  return button;
}

function svgOf(bars) {
  const box = bars.getBoundingClientRect();
  const svg = shape("svg", { viewBox: `-12 -12 ${box.width + 24} ${box.height + 24}`, width: box.width + 24, height: box.height + 24 });
  svg.append(shape("rect", { x: -12, y: -12, width: "100%", height: "100%", fill: getComputedStyle(document.body).backgroundColor }));
  const area = (node, fill, width) => {
    const at = node.getBoundingClientRect();
    svg.append(shape("rect", { x: at.left - box.left, y: at.top - box.top, width: width || at.width, height: width || at.height, fill }));
  };
  bars.querySelectorAll(".sv-key").forEach((key) => area(key, getComputedStyle(key, "::before").backgroundColor, 12));
  bars.querySelectorAll(".sv-fill").forEach((fill) => area(fill, getComputedStyle(fill).backgroundColor));
  const texts = document.createTreeWalker(bars, NodeFilter.SHOW_TEXT), range = document.createRange();
  while (texts.nextNode()) {
    range.selectNodeContents(texts.currentNode);
    const at = range.getBoundingClientRect(), look = getComputedStyle(texts.currentNode.parentNode);
    const line = shape("text", { x: at.left - box.left, y: at.bottom - box.top - 0.28 * at.height, fill: look.color, "font-size": look.fontSize, "font-weight": look.fontWeight, "font-family": "system-ui, sans-serif" });
    line.textContent = texts.currentNode.data;
    svg.append(line);
  }
  return svg;
}

function shape(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}
