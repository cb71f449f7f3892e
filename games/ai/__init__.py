"""AI players, which see only the view of their own seat."""
