"""Help pages: the rules of each game, and the AI players."""
