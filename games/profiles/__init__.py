"""What is shown of a player."""
