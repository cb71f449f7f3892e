"""The example of docs/extending.md: how many matches each player has won."""
