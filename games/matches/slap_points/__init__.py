"""Turn-based slaps: matches go from one slap point to the next, and each player watches when it suits them."""
