"""Armed: its rules and presentation."""

from .lessons import LESSONS
from .presentation import PRESENTATION
from .rules import RULES, ArmedState

__all__ = ["LESSONS", "PRESENTATION", "RULES", "ArmedState"]
