"""What the site says and the app does not; all else is the app's."""

FETCHES = "The models for it come once, at most {megabytes} MB."
NO_SCRIPT = "The page is drawn by scripts of its own: allow scripts to see it."
TABS = "Parts of the page"

SITE_WORDS = {
    "lost": "This file of the site could not be fetched. Check the connection, then try again.",
    "run_kept": "Your run is done. It is in the list of this visit's runs.",
    "run_lost": "The run of this link could not be fetched. Check the address.",
    "run_foreign": "The link names a run at another site. Only runs of this site are opened; save that run and open the file.",
    "run_large": "The file was not opened. It has more than {most} MiB.",
    "run_unreadable": "it cannot be read",
    "fetches": "Run decodes in this browser. It first fetches {megabytes} MB of models, once.",
    "come": FETCHES,
    "fetched": "Run decodes in this browser. The models are here.",
    "fetching": "Fetching the models: {done} of {all} MB.",
    "models": "models",
    "whole": "a whole number from {low} to {high}",
    "several": "1 to {most} of them",
    "figure_unknown": "There is no such figure. Choose race, round, inspector, chapter or panel.",
    "figure_title": "specviz: a run of speculative decoding",
    "panel_title": "specviz: an experiment with speculative decoding",
    "embed": "Embed",
    "embed_copied": "The line is copied. Paste it into a page: it shows this run.",
    "panel_copied": "The line is copied. Paste it into a page: it shows this panel with these settings.",
    "embed_line": "The browser did not let the page copy. Here is the line:",
    "embed_long": "The run is too long for a line. Save it, put the file beside the site, and name it by run=.",
    "app_only": "only the app has “{name}”",
    "without": "Only the app has {names}. Run decodes without.",
    "costs": "Run decodes in this browser. Measured here: a pass of the target over one token takes {pass} ms.",
    "costs_draft": "A pass over {n} tokens takes {v} times as long (v). A draft step takes {c} of a pass (c).",
    "costs_busy": "Run decodes in this browser. Other programs keep this device busy, so c and v are not shown.",
    "costs_clock": "Run decodes in this browser. Its clock moves in steps of {step} ms, too coarse to time a pass.",
    "decoded": "Decoded in this browser.",
    "gains": "Decoded in this browser. At v = 1, where a block costs no more than a token, the same rounds would be {one} times as fast as without a draft.",
    "gains_gpu": "With the times of {device} ({target}), they would be {gpu} times as fast.",
}
