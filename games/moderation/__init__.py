"""Reports and decisions, for players and moderators: the desk, pages, emails."""
