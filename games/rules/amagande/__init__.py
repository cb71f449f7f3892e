"""Amagande: its rules and presentation."""

from .lessons import LESSONS
from .presentation import PRESENTATION
from .rules import RULES, AmagandeState

__all__ = ["LESSONS", "PRESENTATION", "RULES", "AmagandeState"]
