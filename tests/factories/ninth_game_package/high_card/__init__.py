"""High Card: its rules, how it's shown, and its lesson."""

from .lessons import LESSONS
from .presentation import PRESENTATION
from .rules import RULES

__all__ = ["LESSONS", "PRESENTATION", "RULES"]
