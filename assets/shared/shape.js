// Elements of a drawing. Text goes through textContent, here too.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @template {keyof SVGElementTagNameMap} Name @param {Name} name
 * @param {Record<string, string | number | null>} attributes null leaves one out
 * @param {...(SVGElement | string | null | (SVGElement | null)[])} children a string is the text of the element
 * @returns {SVGElementTagNameMap[Name]}
 */
export function shape(name, attributes, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) node.setAttribute(key, String(value));
  node.append(...children.flat().filter((child) => child !== null));
  return node;
}
