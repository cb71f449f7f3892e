"""The laws that every game keeps; see docs/adding-a-game.md."""
