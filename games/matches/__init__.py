"""The kernel: what a match is, which commands change it, and how those are decided and stored."""
