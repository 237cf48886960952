// The teacher's pack in a tab of its own, from where it is printed: a page without scripts, made by the server.

/**
 * The tab is opened at once, by the hand that asked, since a browser blocks what opens later; it is filled when the
 * page has come, and closed if none does.
 * @param {Promise<string>} coming
 * @returns {Promise<"" | "pack" | "lost">} what went wrong: no tab may open, no page came
 */
export async function openPack(coming) {
  const opened = window.open("", "_blank");
  try {
    const html = await coming;
    if (!opened) return "pack";
    opened.location.replace(URL.createObjectURL(new Blob([html], { type: "text/html" })));
    return "";
  } catch (error) {
    console.warn(error);
    opened?.close();
    return "lost";
  }
}
