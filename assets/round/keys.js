// Keys in the outline of a round, as WAI-ARIA has them for a tree: to the parent, to the first child, up and down.

/**
 * Where a key leads from position `at`, or null.
 * @param {string} key @param {number} at @param {{ at: number, depth: number }[]} items as they are read
 */
export function leadsTo(key, at, items) {
  const here = items.findIndex((item) => item.at === at);
  const { depth } = items[here];
  const next = items[here + 1];
  const to = {
    ArrowDown: next,
    ArrowUp: items[here - 1],
    ArrowRight: next?.depth > depth ? next : undefined,
    ArrowLeft: items.slice(0, here).findLast((item) => item.depth < depth),
    Home: items[0],
    End: items[items.length - 1],
  }[key];
  return to ? to.at : null;
}
