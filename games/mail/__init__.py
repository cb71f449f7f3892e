"""Playing by email: notices to players, and moves made from the inbox."""
