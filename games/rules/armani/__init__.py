"""Game: Armani: its rules and presentation."""

from .lessons import LESSONS
from .presentation import PRESENTATION
from .rules import RULES, ArmaniState

__all__ = ["LESSONS", "PRESENTATION", "RULES", "ArmaniState"]
