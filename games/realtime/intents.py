"""The messages that browsers may send over a socket."""

import msgspec


class MoveIntent(msgspec.Struct, tag_field="t", tag="move"):
    """A move decided at version ``v``."""

    id: str
    move: str
    v: int


class SlapIntent(msgspec.Struct, tag_field="t", tag="slap"):
    """A slap on the card of version ``v``, ``r`` ms after it was painted (None: not measured)."""

    id: str
    v: int
    r: float | None = None


class WhyIntent(msgspec.Struct, tag_field="t", tag="why"):
    """A question: which rule forbids this move?"""

    id: str
    move: str


class Pong(msgspec.Struct, tag_field="t", tag="pong"):
    """The answer to ping ``n``."""

    n: int


class Ack(msgspec.Struct, tag_field="t", tag="ack"):
    """The browser has received everything up to version ``v``."""

    v: int


class Since(msgspec.Struct, tag_field="t", tag="since"):
    """The browser has version ``v`` and wants everything after it."""

    v: int


class Visible(msgspec.Struct, tag_field="t", tag="visible"):
    """Whether the page is visible, or hidden behind another tab or a locked screen."""

    on: bool


class Watch(msgspec.Struct, tag_field="t", tag="watch"):
    """The player is ready to see the next cards of a slap point."""


Intent = MoveIntent | SlapIntent | WhyIntent | Pong | Ack | Since | Visible | Watch
_decoder = msgspec.json.Decoder(Intent)


def read(text: str) -> Intent:
    """Parse a message. Raises ``ValueError`` if it is invalid."""
    try:
        return _decoder.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError) as error:
        raise ValueError(str(error)) from None
