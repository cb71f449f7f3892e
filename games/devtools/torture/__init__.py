"""Kills the processes of a site while it is played on, and proves that what was seen is what is stored."""
