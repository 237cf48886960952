// The teacher's pack in a tab of its own, from where it is printed: a page without scripts.

/**
 * The tab is opened at once, by the hand that asked, since a browser blocks what opens later; it is filled when the
 * page has come, and closed if none does.
 * @param {Promise<string>} coming the page, or its address
 * @returns {Promise<"" | "pack" | "lost">} what went wrong: no tab may open, no page came
 */
export async function openPack(coming) {
  const opened = window.open("", "_blank");
  try {
    const page = await coming;
    if (!opened) return "pack";
    const made = () => URL.createObjectURL(new Blob([page], { type: "text/html" }));
    opened.location.replace(page.startsWith("<") ? made() : page);
    return "";
  } catch (error) {
    console.warn(error);
    opened?.close();
    return "lost";
  }
}
