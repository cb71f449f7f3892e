"""What slaps need beside the match itself: pauses for players who are gone, practice, flags for moderators."""
