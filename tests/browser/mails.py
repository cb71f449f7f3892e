"""Emails as the site writes them, for tests and for the pictures in docs/screenshots."""

import json

from tests.factories.site_process import SiteProcess

#: Runs in the site's own shell, where people may already exist; the last line printed is HTML by name, as JSON.
_MAILS = """
import json
from email.message import EmailMessage
from django.conf import settings
from django.utils import timezone
from accounts.models import OutgoingMail, User
from games.matches import events, service as play
from games.mail.inbound import message as incoming, handler as replies
from games.mail import notices, dispatch as sweep, tokens
from games.mail.outgoing.digest import digest_mail
from games.mail.models import Correspondence, Notice
from games.mail.schedule import Stage
from games.mail.outgoing.turn_email import read_turn, turn_mail, turns_of

settings.REPLY_ADDRESS = "turn+{}@play.example.org"

def person(name):
    found = User.objects.filter(name=name).first()
    return found or User.objects.create_user(f"{name.lower()}@mails.example.org", name=name)

ada, ben, chidi = people = [person(name) for name in ("Ada", "Ben", "Chidi")]
made = {}
for slug, moves in (("rummy-500", 24), ("normal-cards", 7)):
    match = made[slug] = play.open_table(ada, slug, 3, {}, clock="daily")
    for each in (ben, chidi):
        play.join(match, each)
    match.seed, match.seed_hash = "5eed" * 8, ""
    match.save()
    play.start(match, ada)
    for number in range(moves + 40):
        table = play.load(match.pk)
        seat = table.state.to_move()[0]
        if number >= moves and seat == 0:
            break
        choices = table.state.legal_moves(seat)
        play.act(match.pk, seat, choices[number % len(choices)], request_id=str(number), player=people[seat])
seat = next(seat for seat in turns_of(ada) if seat.match_id == made["rummy-500"].pk)
turn = read_turn(seat, "full")
found = {
    "mail-turn": turn_mail(turn, Stage.MAIL, Correspondence(user=ada, match=turn.match)).alternatives[0][0],
    "mail-digest": digest_mail(ada, "full", at=timezone.now()).alternatives[0][0],
}
answer = EmailMessage()
answer["To"], answer["From"] = tokens.reply_address(seat, seat.asked_version, turn.version), ada.email
answer.set_content("1")
replies.receive(incoming.parse(answer.as_bytes()))
found["mail-receipt"] = OutgoingMail.objects.get(key__startswith="reply:").html
seat.refresh_from_db()
seat.autopilot_at = timezone.now()
seat.save()
notices.absent(events.PlayerAbsent(seat.match_id, turn.version, ada.pk, "autopilot"))
Notice.objects.filter(kind="away").update(next_at=timezone.now())
sweep.send_due()
found["mail-stand-in"] = OutgoingMail.objects.get(key__startswith="away:").html
print(json.dumps(found))
"""


def mails_of(site: SiteProcess) -> dict[str, str]:
    """A turn email, a digest, a receipt and an email about autoplay: the HTML of each, by name. Call only once."""
    found: dict[str, str] = json.loads(site.manage("shell", "-v", "0", "-c", _MAILS).strip().splitlines()[-1])
    return found
