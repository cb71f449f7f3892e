"""Game: Armani: its rules and what is said of it."""

from .lessons import LESSONS
from .presentation import PRESENTATION
from .rules import RULES, ArmaniState

__all__ = ["LESSONS", "PRESENTATION", "RULES", "ArmaniState"]
