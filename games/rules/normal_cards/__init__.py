"""Normal Cards: its rules and presentation."""

from .lessons import LESSONS
from .presentation import PRESENTATION
from .rules import RULES, NormalCardsState

__all__ = ["LESSONS", "PRESENTATION", "RULES", "NormalCardsState"]
