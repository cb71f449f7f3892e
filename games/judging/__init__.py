"""Who slapped first. Pure."""
