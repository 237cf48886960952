// A text for elsewhere: shared where a phone can, else in the clipboard.

/** @param {string} text @returns {Promise<boolean>} false where the browser lets the page do neither */
export async function copied(text) {
  try {
    if (navigator.share && matchMedia("(pointer: coarse)").matches) await navigator.share({ text });
    else await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    return error instanceof Error && error.name === "AbortError"; // who closed the list of apps wants no text
  }
}
