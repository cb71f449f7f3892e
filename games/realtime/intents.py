"""What a browser may say over the socket, and nothing else."""

import msgspec


class MoveIntent(msgspec.Struct, tag_field="t", tag="move"):
    """A move decided on version ``v``."""

    id: str
    move: str
    v: int


class SlapIntent(msgspec.Struct, tag_field="t", tag="slap"):
    """A slap on the card that version ``v`` showed, ``r`` ms after it was painted (None: not measured)."""

    id: str
    v: int
    r: float | None = None


class WhyIntent(msgspec.Struct, tag_field="t", tag="why"):
    """A question: which rule forbids this move to the one who asks, if any?"""

    id: str
    move: str


class Pong(msgspec.Struct, tag_field="t", tag="pong"):
    """The answer to ping ``n``."""

    n: int


class Ack(msgspec.Struct, tag_field="t", tag="ack"):
    """The browser has everything up to version ``v``."""

    v: int


class Since(msgspec.Struct, tag_field="t", tag="since"):
    """The browser has version ``v`` and wants what came after it."""

    v: int


class Visible(msgspec.Struct, tag_field="t", tag="visible"):
    """Whether the page lies open before its player, or behind another tab or a locked screen."""

    on: bool


class Watch(msgspec.Struct, tag_field="t", tag="watch"):
    """The player is ready to be shown the next cards of a slap point."""


Intent = MoveIntent | SlapIntent | WhyIntent | Pong | Ack | Since | Visible | Watch
_decoder = msgspec.json.Decoder(Intent)


def read(text: str) -> Intent:
    """The intent of one message. Raises ``ValueError`` if it is none."""
    try:
        return _decoder.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError) as error:
        raise ValueError(str(error)) from None
