"""What slaps need besides the match itself: pauses for absent players, practice, flags for moderators."""
