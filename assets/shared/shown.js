// The run that Watch shows, for whoever else draws something of it.

/** @import { Picture } from "./types.js" */

/** @type {{ picture: Picture | null }} */
export const currentRun = { picture: null };

/** What the status line is at while a run is asked for and under way. */
export const BUSY = ["waiting", "fetching", "running", "again", "stopping"];
