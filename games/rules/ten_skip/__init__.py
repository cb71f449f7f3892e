"""Ten-Skip Challenge: its rules and presentation."""

from .lessons import LESSONS
from .presentation import PRESENTATION
from .rules import RULES, TenSkipState

__all__ = ["LESSONS", "PRESENTATION", "RULES", "TenSkipState"]
