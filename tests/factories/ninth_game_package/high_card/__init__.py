"""High Card: its rules and what is said of it."""

from .presentation import PRESENTATION
from .rules import RULES

__all__ = ["PRESENTATION", "RULES"]
