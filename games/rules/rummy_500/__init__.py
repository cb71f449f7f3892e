"""Rummy 500: its rules and presentation."""

from .lessons import LESSONS
from .presentation import PRESENTATION
from .rules import RULES, Rummy500State

__all__ = ["LESSONS", "PRESENTATION", "RULES", "Rummy500State"]
