"""What accounts tell the packages above them, which connect their receivers in ``AppConfig.ready``.

All are sent in the middle of a deed and by ``send``: a receiver that raises an error stops the deed, and with it the
transaction, if the deed is in one.
"""

from django.dispatch import Signal

#: Sent with ``user`` before an account is closed, outside any transaction: what others wait for ends now, one by one.
leaving_for_good = Signal()
#: Sent with ``user`` and ``called``, every name they ever had, in the transaction that deletes the account, right
#: before it goes: receivers take the names out of where they stand without a reference to their owner.
account_closing = Signal()

#: Sent with ``moderator`` and ``person_id`` before a decision: receivers raise ``sanctions.NotPossible`` if this
#: moderator must leave it to others.
moderator_decides = Signal()
#: Sent with ``sanction`` in the transaction in which it comes into force, before anything else comes of it. Receivers
#: raise ``sanctions.NotPossible`` for what can't be done.
sanction_imposed = Signal()
#: Sent with ``sanction`` in the transaction in which one that was in force is taken back.
sanction_lifted = Signal()
#: Sent with ``person`` (None if they are gone), ``key``, ``subject`` and ``paragraphs``, in the person's language and
#: in the transaction of what it tells of: something about their standing to mail, once for each ``key``.
moderators_wrote = Signal()
