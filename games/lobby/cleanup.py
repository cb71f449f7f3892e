"""Email the host of an unused table before it is closed."""

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import outbox
from accounts.email_style import inlined, wrapped
from accounts.languages import speaking_to
from accounts.links import absolute
from games.matches.models import Match
from games.table.match_cards import CLOSES_SOON


def warn_hosts() -> int:
    """Email the hosts of tables about to be closed, once per table and closing time; returns the number of emails.

    Looking at the table is enough to keep it. Guests have no address; the list of their matches warns them.
    """
    now = timezone.now()
    soon = Match.objects.filter(
        status=Match.Status.OPEN, due_at__gte=now, due_at__lt=now + CLOSES_SOON, host__email__isnull=False
    )
    warned = 0
    for match in soon.select_related("host").defer("snapshot"):
        host = match.host
        if host is None or host.email is None or match.due_at is None:
            continue
        with speaking_to(host):
            context = {
                "match": match,
                "host": host,
                "url": absolute(match.get_absolute_url()),
                "subject": _("Your %(game)s table closes soon") % {"game": match.game_name},
            }
            text = wrapped(render_to_string("lobby/mail/closing.txt", context))
            html = inlined(render_to_string("lobby/mail/closing.html", context))
        mail = EmailMultiAlternatives(str(context["subject"]), text, settings.DEFAULT_FROM_EMAIL, [host.email])
        mail.attach_alternative(html, "text/html")
        outbox.enqueue(mail, key=f"closing:{match.pk}:{int(match.due_at.timestamp()) // 3600}")
        warned += 1
    return warned
