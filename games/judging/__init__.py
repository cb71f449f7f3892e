"""Who slapped first: pure."""
