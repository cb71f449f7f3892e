"""The socket of a waiting room: its one message tells the page to reload."""

from games.live.consumers.match_page import MatchConsumer, Stored
from games.realtime.process import to_text
from games.table import messages


class WaitingRoomConsumer(MatchConsumer):
    """One browser in the waiting room."""

    async def enter(self, stored: Stored) -> None:
        """Make a page that is older than the stored match reload."""
        if stored.has_begun:
            await self.send_text(to_text(messages.Signal(t="reload")))
        else:
            await self.compare({"seating_epoch": str(stored.seating_epoch)})
