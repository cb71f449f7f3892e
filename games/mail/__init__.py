"""Playing by mail: who is told what, and what can be done from the inbox."""
