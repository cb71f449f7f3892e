"""Signals of accounts for the packages above, which connect their receivers in ``AppConfig.ready``.

All are sent by ``send``, most of them in the middle of a change: a receiver that raises an error stops the change, and
rolls back its transaction if there is one.
"""

from django.dispatch import Signal

#: Sent with ``user`` before an account is deleted, outside any transaction: receivers end everything that others wait
#: for.
leaving_for_good = Signal()
#: Sent with ``user`` and ``called``, every name they ever had, in the transaction that deletes the account, right
#: before the row is deleted: receivers remove the names where there is no reference to their owner.
account_closing = Signal()

#: Sent with ``guest`` and ``user`` after a browser's guest has logged in to an existing account.
guest_logged_in = Signal()
#: Sent with ``user_id`` and ``session_key`` (None: all of the person's) when a session was ended from outside.
session_ended = Signal()
#: Sent with ``user_id`` after the person's restrictions have changed.
restrictions_changed = Signal()
#: Asks whether sign-up is open; it is closed as soon as one receiver returns False.
signup_asked = Signal()

#: Sent with ``moderator`` and ``person_id`` before a decision: receivers raise ``sanctions.SanctionError`` if this
#: moderator must leave it to others. Without a receiver nothing can be decided.
moderator_decides = Signal()
#: Sent with ``sanction`` in the transaction that puts it in force, before it has any effect. Receivers raise
#: ``sanctions.SanctionError`` for effects that aren't possible.
sanction_imposed = Signal()
#: Sent with ``sanction`` in the transaction that lifts one that was in force.
sanction_lifted = Signal()
#: Sent with ``person`` (None if the account is gone), ``key``, ``subject`` and ``paragraphs``, in the person's language
#: and in the transaction of the event: a message about their account status to email, once for each ``key``.
moderators_wrote = Signal()


def is_signup_open() -> bool:
    """Whether sign-up is open."""
    return all(is_open for _receiver, is_open in signup_asked.send(None))
