// A text to pass on.

/**
 * Copy it, and say so. @param {(sentence: string) => void} announce @param {string} text
 * @param {string} success a sentence @param {string} failure and one where the browser does not let the page
 */
export async function copy(announce, text, success, failure) {
  try {
    await navigator.clipboard.writeText(text);
    announce(success);
  } catch {
    announce(`${failure} ${text}`);
  }
}
