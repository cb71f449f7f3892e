"""Avalanche: its rules and presentation."""

from .lessons import LESSONS
from .presentation import PRESENTATION
from .rules import RULES, AvalancheState

__all__ = ["LESSONS", "PRESENTATION", "RULES", "AvalancheState"]
