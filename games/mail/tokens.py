"""Tokens that let a player act for one turn: in an email's link, and in its reply address.

A token names a seat, its player, and a turn: the version at which the seat was asked. It is signed, so it can't be
forged, and it is useless once the seat is no longer asked (``decision_page`` and ``inbound`` check). It is in base32,
because mail servers may change the case of an address, and always fits into the 64 characters of a local part.
"""

import base64
import binascii
import re
from dataclasses import dataclass

import msgspec
from django.conf import settings
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.links import absolute
from games.matches.models import Seat

#: Bytes of the signature that are kept: 120 bits can't be guessed, and leave room for four 32-bit numbers.
_MAC_LENGTH = 15
_TOKEN = re.compile(r"[a-z2-7]{32,58}", re.ASCII | re.IGNORECASE)
#: What a token is for: a token for one use is invalid for the other.
_PAGE, _REPLY = "page", "reply"


class BadToken(ValueError):
    """The token is forged or malformed."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a token allows: to move for ``user_id`` on ``seat_id`` in the turn begun at ``asked_version``."""

    seat_id: int
    user_id: int
    asked_version: int
    #: The version whose numbered moves the email showed.
    shown_version: int


def turn_url(seat: Seat, asked_version: int) -> str:
    """The absolute address of the decision page for the turn that ``seat``'s player was asked at ``asked_version``.

    Raises ``ValueError`` for a seat without a player.
    """
    return absolute(reverse("turn", args=[_sign(_ticket(seat, asked_version, None), _PAGE)]))


def reply_address(seat: Seat, asked_version: int, shown_version: int | None = None) -> str:
    """The reply address of an email about this turn; empty if the site receives no email.

    Args:
        seat: the seat that is asked.
        asked_version: the version at which it was asked.
        shown_version: the version whose numbered moves the email shows, if that is a later one: "2" means that list's.

    Raises:
        ValueError: no one sits there.
    """
    if not settings.REPLY_ADDRESS:
        return ""
    return settings.REPLY_ADDRESS.format(_sign(_ticket(seat, asked_version, shown_version), _REPLY))


def read_page(token: str) -> Ticket:
    """Read the token of a decision page. Raises :class:`BadToken`."""
    return _read(token, _PAGE)


def read_reply(address: str) -> Ticket:
    """Read the token in a reply address. Raises :class:`BadToken` for any other address."""
    before, _mark, after = settings.REPLY_ADDRESS.lower().partition("{}")
    address = address.strip().lower()
    if not settings.REPLY_ADDRESS or not address.startswith(before) or not address.endswith(after):
        raise BadToken("not an address that turns are answered to")
    return _read(address[len(before) : len(address) - len(after)], _REPLY)


def _ticket(seat: Seat, asked_version: int, shown_version: int | None) -> Ticket:
    if seat.pk is None or seat.player_id is None:
        raise ValueError("nobody sits there who could be asked")
    return Ticket(seat.pk, seat.player_id, asked_version, asked_version if shown_version is None else shown_version)


def _sign(ticket: Ticket, use: str) -> str:
    fields = (ticket.seat_id, ticket.user_id, ticket.asked_version, ticket.shown_version - ticket.asked_version)
    content = msgspec.msgpack.encode(fields)
    mac = _mac(content, use, settings.SECRET_KEY)
    return base64.b32encode(content + mac).decode("ascii").rstrip("=").lower()


def _read(token: str, use: str) -> Ticket:
    if not _TOKEN.fullmatch(token):
        raise BadToken("not written as a token")
    try:
        signed = base64.b32decode(token.upper() + "=" * (-len(token) % 8))
    except binascii.Error:
        raise BadToken("not written as a token") from None
    content, mac = signed[:-_MAC_LENGTH], signed[-_MAC_LENGTH:]
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    if not any(constant_time_compare(mac, _mac(content, use, key)) for key in keys):
        raise BadToken("not signed by this site")
    seat_id, user_id, asked_version, later = msgspec.msgpack.decode(content, type=tuple[int, int, int, int])
    return Ticket(seat_id, user_id, asked_version, asked_version + later)


def _mac(content: bytes, use: str, key: str | bytes) -> bytes:
    return salted_hmac(f"games.mail.tokens.{use}", content, secret=key, algorithm="sha256").digest()[:_MAC_LENGTH]
