// Elements, and what a page is asked. Everything that came from a model goes through textContent, nowhere else.

/** @import { Child, ElementOf } from "./types.js" */

/**
 * el("p.sv-note", {title: "…"}, "text", node): strings become text nodes, null is left out.
 * @template {string} Name @param {Name} name the tag and its classes
 * @param {Record<string, unknown> | null} [attributes] @param {...Child} children @returns {ElementOf<Name>}
 */
export function el(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = /** @type {ElementOf<Name>} */ (document.createElement(tag));
  if (classes.length) node.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined) node.setAttribute(key, String(value));
  }
  const flat = /** @type {(Node | string | null | undefined)[]} */ (/** @type {unknown[]} */ (children).flat(Infinity));
  node.append(...flat.filter((child) => child !== null && child !== undefined));
  return node;
}

/** @param {Node} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * The element of the page that is there for sure: what a template or this script made.
 * @param {ParentNode} within @param {string} selector @returns {HTMLElement}
 */
export function query(within, selector) {
  const element = /** @type {HTMLElement | null} */ (within.querySelector(selector));
  if (!element) throw new Error(`nothing on the page is ${selector}`);
  return element;
}

/**
 * The nearest of an event's target and what holds it that fits; null where the target is no element.
 * @param {Event} event @param {string} selector @returns {HTMLElement | null}
 */
export function within(event, selector) {
  return event.target instanceof Element ? event.target.closest(selector) : null;
}

/**
 * Listen to the whole page for as long as `element` is on it.
 * @param {HTMLElement} element @param {EventTarget} where @param {string} name @param {(event: any) => void} act
 * @param {boolean} [capture]
 */
export function whileHere(element, where, name, act, capture = false) {
  const listen = (/** @type {Event} */ event) => {
    if (!element.isConnected) where.removeEventListener(name, listen, capture);
    else act(event);
  };
  where.addEventListener(name, listen, capture);
}

export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
