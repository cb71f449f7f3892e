"""The live table: sockets, ordered delivery, slap windows."""

from .process import drain

__all__ = ["drain"]
