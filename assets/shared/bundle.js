// What most visits do not need is sent when it is first asked for: a script and its rules.

/**
 * What the script calls itself, once it is there.
 * @param {string} name of window @param {{ script: string, style?: string }} bundle
 */
export function loadBundle(name, { script, style }) {
  const add = (/** @type {string} */ tag, /** @type {string} */ text) => {
    const node = document.createElement(tag);
    node.textContent = text;
    document.head.append(node);
  };
  if (!(name in window)) {
    if (style) add("style", style);
    add("script", script);
  }
  return /** @type {any} */ (window)[name];
}
