"""Armed: its rules and what is said of it."""

from .lessons import LESSONS
from .presentation import PRESENTATION
from .rules import RULES, ArmedState

__all__ = ["LESSONS", "PRESENTATION", "RULES", "ArmedState"]
