// Scales of bars: lengths are shares of the row, so that they follow any width.

/** @param {number} value @param {number} top the end of the scale */
export function share(value, top) {
  return `${Math.max(0, Math.min(100, (100 * value) / top))}%`;
}

/** The end of the scale: the smallest round number that the longest bar fits in. @param {number[]} values */
export function scaleTop(values) {
  const most = Math.max(0, ...values);
  return [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1].find((top) => most <= top * 1.0001) || 1;
}
