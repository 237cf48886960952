// The run that Watch shows, for whoever else draws something of it.

/** @import { Picture } from "./types.js" */

/**
 * `sent`: the run as the page was given it; `rounds`: asks the server of the page for what writes its table.
 * @type {{ picture: Picture | null, sent: string, rounds?: (asked: string) => Promise<string> }}
 */
export const currentRun = { picture: null, sent: "" };

/** What the status line is at while a run is asked for and under way. */
export const BUSY = ["waiting", "fetching", "running", "again", "stopping"];
