"""What stands between strangers and the page: where a request comes from, how much it brings, how long it takes, and how much of what
is shared one address may have."""
