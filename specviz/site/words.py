"""What the site says and the app does not; all else is the app's."""

LOST = "This file of the site could not be fetched: check the connection, then try again."
NO_SCRIPT = "The page is drawn by scripts of its own: allow scripts to see it."
TABS = "Parts of the page"
EMBED = "Embed"
CHOOSE = "Recorded runs…"
