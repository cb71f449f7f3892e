"""What templates take of lessons."""
