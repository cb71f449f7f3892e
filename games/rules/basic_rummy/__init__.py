"""Basic Rummy: its rules and presentation."""

from .lessons import LESSONS
from .presentation import PRESENTATION
from .rules import RULES, BasicRummyState

__all__ = ["LESSONS", "PRESENTATION", "RULES", "BasicRummyState"]
