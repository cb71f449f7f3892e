"""The kernel: a match, what can be done to it, and how that is decided and stored."""
