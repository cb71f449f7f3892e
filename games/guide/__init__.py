"""Pages that explain: the rules of each game, the AI players."""
