"""What accounts tell the packages above them, which connect their receivers in ``AppConfig.ready``.

All are sent by ``send``, and most in the middle of a change: a receiver that raises an error stops it, and with it
the transaction, if the change is in one.
"""

from django.dispatch import Signal

#: Sent with ``user`` before an account is closed, outside any transaction: what others wait for ends now, one by one.
leaving_for_good = Signal()
#: Sent with ``user`` and ``called``, every name they ever had, in the transaction that deletes the account, right
#: before it goes: receivers take the names out of where they stand without a reference to their owner.
account_closing = Signal()

#: Sent with ``guest`` and ``user`` after the guest of a browser has logged in there to an account that existed before.
guest_logged_in = Signal()
#: Sent with ``user_id`` and ``session_key`` (None: every one of this person's) when a session has ended from outside.
session_ended = Signal()
#: Sent with ``user_id`` after what this person may do has changed.
restrictions_changed = Signal()
#: Asks whether new people may come; it is closed to them as soon as one receiver returns False.
signup_asked = Signal()

#: Sent with ``moderator`` and ``person_id`` before a decision: receivers raise ``sanctions.SanctionError`` if this
#: moderator must leave it to others. Without a receiver nothing is decided.
moderator_decides = Signal()
#: Sent with ``sanction`` in the transaction in which it comes into force, before anything else comes of it. Receivers
#: raise ``sanctions.SanctionError`` for what can't be done.
sanction_imposed = Signal()
#: Sent with ``sanction`` in the transaction in which one that was in force is taken back.
sanction_lifted = Signal()
#: Sent with ``person`` (None if they are gone), ``key``, ``subject`` and ``paragraphs``, in the person's language and
#: in the transaction of what it tells of: something about their standing to email, once for each ``key``.
moderators_wrote = Signal()


def is_signup_open() -> bool:
    """Whether new people may come."""
    return all(is_open for _receiver, is_open in signup_asked.send(None))
