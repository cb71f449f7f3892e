"""The example of docs/extending.md: who has won how often."""
