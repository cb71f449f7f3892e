"""Find people to play with: the lobby, invitations, offers to end a match."""
