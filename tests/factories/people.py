"""People who sign up and log in, and the emails they get."""

import re

from django.conf import settings
from django.urls import reverse

from accounts.models import OutgoingMail, User

PASSWORD = "seven brass lamps"


class Person:
    """A browser and its person's actions."""

    def __init__(self, client):
        self.client = client

    def sign_up(self, email="ben@example.org", name="Ben", password=PASSWORD, **more):
        return self.client.post(
            reverse("account_signup"), {"email": email, "name": name, "password1": password, **more}
        )

    def log_in(self, email="ada@example.org", password=PASSWORD, **more):
        return self.client.post(reverse("account_login"), {"login": email, "password": password, **more})

    def type_code(self, code):
        return self.client.post(reverse("account_email_verification_sent"), {"code": code})

    @property
    def user(self) -> User | None:
        """The user logged in with this browser."""
        pk = self.client.session.get("_auth_user_id")
        return User.objects.get(pk=pk) if pk else None


def last_mail(to=None) -> OutgoingMail:
    mails = OutgoingMail.objects.order_by("-id")
    return (mails.filter(to=to) if to else mails).first()


def link_in(message: OutgoingMail) -> str:
    return re.search(rf"{settings.SITE_URL}(/\S+)", message.text)[1]


def code_in(message: OutgoingMail) -> str:
    return re.search(r"\d{4} \d{4}", message.text)[0]
