from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.test.utils import override_settings
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy

from accounts.models import OutgoingMail, User
from accounts.moderation import sanctions
from accounts.moderation.models import Report, Rule, Sanction
from games.lobby import cleanup, invitations
from games.mail import tokens
from games.mail.inbound import handler, message
from games.mail.models import Correspondence, Discretion, Kind, Notice
from games.mail.moves import numbered
from games.mail.outgoing.digest import digest_mail
from games.mail.outgoing.other_emails import compose
from games.mail.outgoing.turn_email import read_turn, turn_mail
from games.mail.preferences import trial_email
from games.mail.schedule import Stage
from games.matches import service
from games.matches.models import Incident, Match, Seat
from games.moderation import answers, reminders, reports

LANGUAGES = ("en", "de")
#: Picture formats of each email: name, width, height and colours.
LOOKS = (("light", 760, 900, "light"), ("dark", 760, 900, "dark"), ("phone", 390, 844, "light"))
#: The values in account emails.
ACCOUNT = {
    "activate_url": "https://play.example.org/accounts/confirm-email/abc/",
    "signup_url": "https://play.example.org/accounts/signup/",
    "password_reset_url": "https://play.example.org/accounts/password/reset/key/abc/",
    "code": "1234 5678",
    "code_minutes": 15,
    "is_signup": True,
    "email": "ada@example.org",
    "from_email": "old@example.org",
    "to_email": "ada@example.org",
    "news": gettext_lazy("A passkey was added"),
    "ip": "192.0.2.7",
    "browser": "Firefox on Linux",
    "timestamp": timezone.now(),
    "name": "Ada Quill",
}
#: Texts written by people and moderators, by language.
OWN_WORDS = {
    "en": {
        "report": "This player insulted me in the chat.",
        "question": "Which of the messages do you mean?",
        "answer": "We read the whole chat again. The decision stands.",
    },
    "de": {
        "report": "Diese Person hat mich im Chat beleidigt.",
        "question": "Welche der Nachrichten meinst du?",
        "answer": "Wir haben den ganzen Chat noch einmal gelesen. Die Entscheidung bleibt bestehen.",
    },
}


class Command(BaseCommand):
    help = (
        "Write every email of the site to a folder, in each language, as text and HTML. --pictures also shows how they"
        " look in light, in dark and on a phone. Needs a migrated database, and leaves it as it was."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument("--pictures", action="store_true", help="take pictures with Chromium")

    def handle(self, *, folder: Path, pictures: bool, **options: Any) -> None:
        # Receipts are written even if the site receives no replies, so that they can be viewed.
        takes_answers = override_settings(REPLY_ADDRESS=settings.REPLY_ADDRESS or "turn+{}@play.example.org")
        for language in LANGUAGES:
            with takes_answers, transaction.atomic(), translation.override(language):
                target = folder / language
                target.mkdir(parents=True, exist_ok=True)
                count = 0
                for name, text, html in emails(language):
                    (target / f"{name}.txt").write_text(text)
                    (target / f"{name}.html").write_text(html)
                    count += 1
                transaction.set_rollback(True)
                self.stdout.write(f"{language}: {count} emails")
        if pictures:
            _take(folder)


def emails(language: str) -> Iterator[tuple[str, str, str]]:
    """Each email by name, as text and HTML, to a player with that language."""
    ada = User.objects.create_user("ada@example.org", name="Ada Quill", language=language)
    ben, cleo = (User.objects.create_user(f"{name}@example.org", name=name) for name in ("Ben Marlow", "Cleo Übel"))
    for template in sorted(Path("templates/account/email").glob("*_message.html")):
        name = template.name.removesuffix("_message.html")
        mail = get_adapter().render_mail(f"account/email/{name}", "ada@example.org", {**ACCOUNT, "user": ada})
        yield f"account-{name}", str(mail.body), _html(mail)
    for slug in ("rummy-500", "armani", "normal-cards", "ten-skip", "amagande", "avalanche", "armed", "basic-rummy"):
        yield f"turn-{slug}", *_parts(_turn(_begun(slug, ada, ben, cleo), ada, Stage.MAIL, Discretion.FULL))
    match = _begun("rummy-500", ada, ben)
    for stage, left in ((Stage.REMINDER, timedelta(hours=8)), (Stage.LAST, timedelta(hours=1))):
        Seat.objects.filter(match=match, player=ada).update(due_at=timezone.now() + left)
        yield f"turn-{stage}", *_parts(_turn(match, ada, stage, Discretion.FULL))
    for discretion in (Discretion.CLICK, Discretion.NONE):
        yield f"turn-shows-{discretion}", *_parts(_turn(match, ada, Stage.MAIL, discretion))
    yield "digest", *_parts(digest_mail(ada, Discretion.FULL, at=timezone.now()))
    table = service.load(match.pk)
    first = numbered(table.view(0), table.names)[0].number
    seat = Seat.objects.get(match=match, player=ada)
    address = tokens.reply_address(seat, seat.asked_version or 0, table.version)
    replies = {
        "unreadable": "Nice!",
        "planned": "plan: draw:stock",
        "played": str(first),
        "answered": str(first + 1),
        "repeated": str(first),
    }
    for name, text in replies.items():
        yield f"receipt-{name}", *_answered(address, text)
    yield from _others(match, ada, ben, cleo)
    yield from _of_tables(ada)
    yield from _of_moderators(ada, ben, match)


def _begun(slug: str, *people: User) -> Match:
    """A match that waits for the first of these people."""
    seats = people[:2] if slug in ("armed", "basic-rummy") else people
    match = service.open_table(people[0], slug, len(seats), {}, clock=Match.Clock.DAILY)
    for user in seats[1:]:
        service.join(match, user)
    service.start(match, people[0])
    for step in range(40):
        table = service.load(match.pk)
        if table.at_slap_point:
            break
        (seat, *_rest) = table.deciders()
        if step > 3 and people[0].pk in [table.sitters[number].player_id for number in table.deciders()]:
            break
        move = next(move for move in reversed(table.state.legal_moves(seat)) if move != "slap")
        service.act(
            match.pk,
            seat,
            move,
            request_id=f"w{step}",
            player=next(user for user in people if user.pk == table.sitters[seat].player_id),
        )
    match.refresh_from_db()
    return match


def _turn(match: Match, user: User, stage: Stage, discretion: str) -> Any:
    seat = Seat.objects.select_related("match", "player").get(match=match, player=user)
    return turn_mail(read_turn(seat, discretion), stage, Correspondence(user=user, match=match))


def _answered(address: str, text: str) -> tuple[str, str]:
    answer = EmailMessage()
    answer["To"] = address
    answer["Message-ID"] = f"<{text}.{OutgoingMail.objects.count()}@example.org>"
    answer.set_content(text)
    handler.receive(message.parse(answer.as_bytes()))
    return _newest()


def _others(match: Match, ada: User, ben: User, cleo: User) -> Iterator[tuple[str, str, str]]:
    for kind in Kind:
        if kind == Kind.TURN:
            continue
        if kind == Kind.REPLACED:
            told = {"match": match, "version": match.version, "seat": 0, "kind": Incident.Kind.TAKEN}
            Incident.objects.create(**told, name=ada.name, other=cleo.name, at=timezone.now())
        if kind == Kind.OFFER:
            Seat.objects.filter(match=match, player=ben).update(offered_at=timezone.now())
        match.host = ben
        notice = Notice(kind=kind, match=match, user=ada, version=match.version, created_at=timezone.now())
        if kind == Kind.OVER:
            Seat.objects.filter(match=match, player=ada).update(place=1, points=512)
            Seat.objects.filter(match=match, player=ben).update(place=2, points=341)
        begun = list(Match.objects.exclude(pk=match.pk).values_list("pk", flat=True)) if kind == Kind.BEGINS else []
        yield f"match-{kind}", *_parts(compose(notice, Discretion.FULL, begun))
    yield "match-news-shows-none", *_parts(compose(notice, Discretion.NONE))
    yield "account-works", *_parts(trial_email(ada))


def _of_tables(ada: User) -> Iterator[tuple[str, str, str]]:
    table = service.open_table(ada, "rummy-500", 3, {}, clock=Match.Clock.DAILY)
    invitations.invite_by_mail(table, ada, "dora@example.org")
    yield "lobby-invitation", *_newest()
    Match.objects.filter(pk=table.pk).update(due_at=timezone.now() + timedelta(hours=5))
    cleanup.warn_hosts()
    yield "lobby-closing", *_newest()


def _of_moderators(ada: User, ben: User, match: Match) -> Iterator[tuple[str, str, str]]:
    moderator, second = (
        User.objects.create_superuser(f"{name}@example.org", name=name, language=ada.language)
        for name in ("Mo Winter", "Nia Frost")
    )
    words = OWN_WORDS[ada.language]
    report = reports.file(ada, reports.find(ada, Report.Kind.PLAYER, ben.name_key), Rule.RESPECT, words["report"])
    sanctions.impose(moderator, ben, Sanction.Kind.CLOSED, Rule.RESPECT, words["report"])
    reminders.remind(timezone.now() + reminders.PATIENCE)
    yield "moderation-reminder", *_newest()
    reports.claim(moderator, report)
    reports.ask(moderator, report, ada, words["question"])
    yield "moderation-question", *_newest()
    reports.close(moderator, report, Report.Outcome.DISMISSED, ready="nothing")
    yield "moderation-answer", *_newest()
    # In this order, one match and one account are enough: the seat is left, then annulled; the account is closed last.
    reason = str(answers.REASONS["insult"])
    for kind in Sanction.Kind:
        until = (
            timezone.now() + timedelta(days=3) if kind in Sanction.LASTING and kind != Sanction.Kind.CLOSED else None
        )
        decision = sanctions.impose(moderator, ada, kind, Rule.RESPECT, reason, until=until, match=match)
        if kind in Sanction.GRAVE:
            sanctions.confirm(second, decision)
            decision.refresh_from_db()
        yield f"moderation-{kind}", *_newest()
    sanctions.lift(moderator, decision)
    yield "moderation-taken-back", *_newest()
    warning = Sanction.objects.get(person=ada, kind=Sanction.Kind.WARNING)
    sanctions.answer(second, sanctions.appeal(ada, warning, words["report"]), words["answer"])
    yield "moderation-appeal", *_newest()


def _newest() -> tuple[str, str]:
    row = OutgoingMail.objects.latest("pk")
    return row.text, row.html


def _parts(mail: Any) -> tuple[str, str]:
    return str(mail.body), _html(mail)


def _html(mail: Any) -> str:
    return str(next(body for body, kind in mail.alternatives if kind == "text/html"))


def _take(folder: Path) -> None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise CommandError("Pictures need the test requirements: `./run test --help` installs them.") from None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
        for look, width, height, colours in LOOKS:
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme="dark" if colours == "dark" else "light"
            )
            page = context.new_page()
            for file in sorted(folder.glob("*/*.html")):
                page.goto(file.absolute().as_uri())
                page.screenshot(path=file.with_name(f"{file.stem}-{look}.png"), full_page=True)
            context.close()
        browser.close()
