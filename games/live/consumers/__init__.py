"""The sockets of the pages of a match: the waiting room, the table, the page of a slap point."""
