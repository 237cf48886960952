// The run that Watch shows, for whoever else draws something of it.

/** @import { Picture } from "./types.js" */

/**
 * `payload`: the run as the page was given it; `files`: asks the server of the page for what makes files of it;
 * `plotly`: the address of Plotly's script, empty on a page that has none to give.
 * @type {{ picture: Picture | null, payload: string, files?: (request: string) => Promise<string>, plotly: string }}
 */
export const currentRun = { picture: null, payload: "", plotly: "" };

/** What the status line is at while a run is asked for and under way. */
export const BUSY = ["waiting", "fetching", "running", "again", "stopping"];
