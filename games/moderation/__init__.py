"""Reports and decisions, for players and moderators: the desk, the pages, the emails."""
