"""Playing by email: who is told what, and what players can do from the inbox."""
