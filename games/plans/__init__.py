"""Plans: moves that a player chooses ahead, and forced moves that the table plays for them."""
