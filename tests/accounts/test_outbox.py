"""The outbox: no email is lost, written twice, or sent twice except after a crash at that very moment."""

import smtplib
import socket
import threading
from datetime import timedelta
from typing import ClassVar

import pytest
import time_machine
from django.core import mail
from django.core.mail import BadHeaderError, EmailMessage, EmailMultiAlternatives, mail_admins, send_mail
from django.core.mail.backends.base import BaseEmailBackend
from django.db import connection, transaction
from django.utils import timezone

from accounts import outbox, retention, tasks
from accounts.models import OutgoingMail

pytestmark = pytest.mark.django_db
Status = OutgoingMail.Status


class FailingBackend(BaseEmailBackend):
    """A mail server whose behaviour ``error`` decides."""

    error: Exception = OSError("no route to host")
    tried: ClassVar[list[str]] = []

    def send_messages(self, messages):
        type(self).tried.extend(message.to[0] for message in messages)
        raise self.error


@pytest.fixture
def failing(settings):
    settings.MAIL_BACKEND = f"{__name__}.FailingBackend"
    FailingBackend.tried = []
    FailingBackend.error = OSError("no route to host")
    return FailingBackend


def write(to="ada@example.org", **fields):
    message = EmailMultiAlternatives("Your turn", "Ben has played.", "Armani <no-reply@armani.example>", [to], **fields)
    message.attach_alternative("<p>Ben has played.</p>", "text/html")
    return outbox.enqueue(message)[0]


def test_every_email_of_django_is_stored_in_the_outbox_first():
    assert send_mail("Hello", "text", None, ["a@example.org", "b@example.org"], html_message="<p>text</p>") == 1
    assert mail.outbox == []
    first, second = OutgoingMail.objects.order_by("id")
    assert (first.to, second.to) == ("a@example.org", "b@example.org")  # recipients don't see each other's address
    assert (first.text, first.html, first.status) == ("text", "<p>text</p>", Status.WAITING)


def test_error_emails_to_the_admins_take_the_same_way(settings):
    settings.ADMINS = [("Root", "root@example.org")]
    mail_admins("Error", "Something broke")
    assert OutgoingMail.objects.get().to == "root@example.org"


def test_an_email_arrives_as_it_was_written():
    row = write(reply_to=["reply@armani.example"], headers={"List-Unsubscribe": "<https://armani.example/u>"})
    assert outbox.send_due() == 1
    (sent,) = mail.outbox
    assert (sent.subject, sent.body, sent.to) == ("Your turn", "Ben has played.", ["ada@example.org"])
    assert sent.alternatives[0][0] == "<p>Ben has played.</p>"
    headers = sent.message()
    assert headers["Reply-To"] == "reply@armani.example"
    assert headers["List-Unsubscribe"] == "<https://armani.example/u>"
    assert headers["Message-ID"] == row.headers["Message-ID"]
    assert headers["Message-ID"].endswith("@armani.example>")
    row.refresh_from_db()
    assert row.status == Status.SENT
    assert row.sent_at is not None


def test_no_email_without_its_reason():
    def sign_up():
        with transaction.atomic():
            write()
            raise RuntimeError("the sign-up failed after all")

    with pytest.raises(RuntimeError):
        sign_up()
    assert not OutgoingMail.objects.exists()


def test_an_email_with_a_key_is_written_once():
    message = EmailMessage("Your turn", "text", "a@example.org", ["ada@example.org"])
    first = outbox.enqueue(message, key="turn 7 12")
    assert outbox.enqueue(message, key="turn 7 12") == first
    outbox.enqueue(message, key="turn 7 13")
    assert OutgoingMail.objects.count() == 2
    assert outbox.send_due() == 2
    assert outbox.enqueue(message, key="turn 7 12") == first  # even after it was sent
    assert outbox.send_due() == 0


def test_an_email_that_the_outbox_cannot_store_is_refused_when_it_is_written():
    with_file = EmailMessage("Hello", "text", "a@example.org", ["b@example.org"])
    with_file.attach("cards.txt", "QS")
    with pytest.raises(ValueError, match="attachments"):
        with_file.send()
    with pytest.raises(BadHeaderError):
        EmailMessage("Hello\nBcc: c@example.org", "text", "a@example.org", ["b@example.org"]).send()
    with pytest.raises(ValueError, match="one recipient"):
        outbox.enqueue(EmailMessage("Hello", "text", "a@example.org", ["b@example.org", "c@example.org"]), key="k")
    assert not OutgoingMail.objects.exists()


def test_a_failed_attempt_waits_longer_each_time_and_at_last_the_email_has_failed(failing):
    row = write()
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for attempt, wait in enumerate(outbox.BACK_OFF, start=1):
            assert outbox.send_due() == 0
            row.refresh_from_db()
            assert (row.status, row.attempts) == (Status.WAITING, attempt)
            assert row.next_try_at == timezone.now() + wait
            assert "no route to host" in row.last_error
            clock.shift(wait - timedelta(seconds=1))
            outbox.send_due()
            assert len(failing.tried) == attempt  # not before it's due
            clock.shift(timedelta(seconds=1))
        outbox.send_due()
    row.refresh_from_db()
    assert row.status == Status.FAILED
    assert row.text  # kept, so that it can be sent again by hand


def test_an_email_gets_through_when_the_server_is_back(failing, settings):
    row = write()
    outbox.send_due()
    settings.MAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    with time_machine.travel(timezone.now() + outbox.BACK_OFF[0] + timedelta(seconds=1)):
        assert outbox.send_due() == 1
    row.refresh_from_db()
    assert (row.status, row.last_error) == (Status.SENT, "")


def test_while_the_server_is_away_the_other_emails_do_not_use_up_their_attempts(failing):
    write("a@example.org")
    write("b@example.org")
    outbox.send_due()
    assert failing.tried == ["a@example.org"]


def test_a_recipient_refused_for_good_fails_at_once_and_holds_up_no_one(failing):
    failing.error = smtplib.SMTPRecipientsRefused({"a@example.org": (550, b"no such user")})
    first, second = write("a@example.org"), write("b@example.org")
    outbox.send_due()
    assert failing.tried == ["a@example.org", "b@example.org"]
    for row in (first, second):
        row.refresh_from_db()
        assert (row.status, row.attempts) == (Status.FAILED, 1)


@pytest.mark.parametrize(
    "error",
    [
        smtplib.SMTPRecipientsRefused({"a@example.org": (451, b"try later")}),
        smtplib.SMTPAuthenticationError(535, b"wrong password"),  # our fault, not the email's
        ConnectionRefusedError(),
        TimeoutError(),
    ],
)
def test_temporary_failures_are_tried_again(failing, error):
    failing.error = error
    row = write("a@example.org")
    outbox.send_due()
    row.refresh_from_db()
    assert row.status == Status.WAITING


def test_a_process_killed_between_claim_and_sending_loses_nothing():
    row = write()
    assert outbox.claim() == row  # and killed
    assert outbox.claim() is None
    assert outbox.send_due() == 0
    with time_machine.travel(timezone.now() + outbox.LEASE + timedelta(seconds=1)):
        assert outbox.send_due() == 1
    assert len(mail.outbox) == 1
    row.refresh_from_db()
    assert (row.status, row.attempts) == (Status.SENT, 2)


def test_a_worker_that_returns_after_its_lease_does_not_undo_what_another_did():
    write()
    with time_machine.travel(timezone.now(), tick=False) as clock:
        slow = outbox.claim()
        clock.shift(outbox.LEASE + timedelta(seconds=1))
        assert outbox.send_due() == 1
        outbox.note_failure(slow, TimeoutError(), lasting=False)
        clock.shift(timedelta(days=1))
        assert outbox.send_due() == 0
    assert OutgoingMail.objects.get().status == Status.SENT


def test_an_idle_outbox_only_reads(django_assert_num_queries):
    outbox.claim()
    with django_assert_num_queries(1) as queries:
        assert outbox.send_due() == 0
    assert queries.captured_queries[0]["sql"].startswith("SELECT")


def test_the_longest_overdue_comes_first():
    for to in ("a@example.org", "b@example.org", "c@example.org"):
        write(to)
    OutgoingMail.objects.filter(to="c@example.org").update(next_try_at=timezone.now() - timedelta(hours=1))
    outbox.send_due()
    assert [message.to[0] for message in mail.outbox] == ["c@example.org", "a@example.org", "b@example.org"]


@pytest.mark.django_db(transaction=True)
def test_several_senders_at_once_send_each_email_once():
    for number in range(30):
        write(f"p{number}@example.org")
    start = threading.Barrier(4)
    errors = []

    def run():
        try:
            start.wait()
            outbox.send_due()
        except Exception as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _sender in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sorted(message.to[0] for message in mail.outbox) == sorted(f"p{number}@example.org" for number in range(30))
    assert set(OutgoingMail.objects.values_list("status", "attempts")) == {(Status.SENT, 1)}


def test_the_task_is_called_once_the_transaction_is_through(monkeypatch, django_capture_on_commit_callbacks):
    called = []
    monkeypatch.setattr(tasks.send_waiting_mail, "delay", lambda: called.append(1))
    with django_capture_on_commit_callbacks(execute=True):
        write()
        assert called == []
    assert called == [1]


def test_a_broker_that_is_down_stops_no_one(monkeypatch, django_capture_on_commit_callbacks):
    def refuse():
        raise ConnectionError("broker is away")

    monkeypatch.setattr(tasks.send_waiting_mail, "delay", refuse)
    with django_capture_on_commit_callbacks(execute=True):
        write()
    assert OutgoingMail.objects.get().status == Status.WAITING
    tasks.send_waiting_mail()  # as beat runs it
    assert OutgoingMail.objects.get().status == Status.SENT


def test_clean_up_deletes_old_sent_emails_and_no_others():
    sent, failed, waiting = write("a@example.org"), write("b@example.org"), write("c@example.org")
    old = timezone.now() - retention.KEEP_SENT - timedelta(minutes=1)
    OutgoingMail.objects.filter(pk=sent.pk).update(status=Status.SENT, sent_at=old, created_at=old)
    OutgoingMail.objects.filter(pk=failed.pk).update(status=Status.FAILED, created_at=old)
    OutgoingMail.objects.filter(pk=waiting.pk).update(created_at=old)
    tasks.delete_expired()
    assert set(OutgoingMail.objects.values_list("pk", flat=True)) == {failed.pk, waiting.pk}


def test_email_really_goes_out_by_smtp(settings):
    from aiosmtpd.controller import Controller

    class Server:
        def __init__(self):
            self.got = []

        async def handle_DATA(self, server, session, envelope):  # noqa: N802  aiosmtpd calls it so
            self.got.append(envelope)
            return "250 OK"

    server = Server()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    controller = Controller(server, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        settings.MAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
        write("a@example.org")
        write("b@example.org")
        assert outbox.send_due() == 2
    finally:
        controller.stop()
    assert [envelope.rcpt_tos for envelope in server.got] == [["a@example.org"], ["b@example.org"]]
    assert b"Ben has played." in server.got[0].content
