"""What strangers send, made up by the million: see ``targets.py``."""
