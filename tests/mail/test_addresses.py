"""The addresses in emails are those of the running site."""

import re
import sqlite3
import time

import pytest

from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.process

#: A turn-based match in which an email is due at once.
MATCH = """
from accounts.models import User
from games.mail.models import Preferences, Timing
from games.matches import service as play
people = [User.objects.create_user(f"{name.lower()}@example.org", name=name) for name in ("Ada", "Ben")]
Preferences.objects.bulk_create([Preferences(user=person, timing=Timing.AT_ONCE) for person in people])
match = play.open_table(people[0], "basic-rummy", 2, {}, clock="daily")
play.join(match, people[1])
play.start(match, people[0])
"""
MAILS = "select text, html, headers from accounts_outgoingmail where key like 'turn:%'"


def test_every_link_of_a_turn_email_leads_to_the_port_of_the_site_that_sent_it() -> None:
    with SiteProcess() as site:
        site.manage("shell", "-v", "0", "-c", MATCH)
        with sqlite3.connect(site.data_dir / "armani.sqlite3") as database:
            end = time.monotonic() + 60
            while not (mails := database.execute(MAILS).fetchall()):
                assert time.monotonic() < end, site.log
                time.sleep(0.1)
        assert site.port != 8000
        text, html, headers = mails[0]
        unsubscribe = re.findall(r"<(http[^>]+)>", headers)
        assert unsubscribe
        links = [*re.findall(r"https?://\S+", text), *re.findall(r'(?:href|src)="(http[^"]+)"', html), *unsubscribe]
        assert len(links) > 5
        assert [link for link in links if not link.startswith(f"http://localhost:{site.port}/")] == []
