"""The sockets of a match's pages: the waiting room, the table, the page of a slap point."""
