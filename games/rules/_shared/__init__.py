"""Code shared by the two rummies."""
