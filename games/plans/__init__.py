"""Plans: moves that a player lays down before it is their turn, and forced ones that the table plays for them."""
