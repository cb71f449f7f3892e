"""The live table: sockets, ordered delivery, slap windows."""

from games.realtime.process import drain

__all__ = ["drain"]
