"""Moderators at their desk: a browser, and presses on the pages of reports and people."""

from typing import Any

from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.moderation.models import Report
from tests.factories.clients import QuickClient


def browser_of(person: User) -> Client:
    """A browser in which this person is logged in."""
    client = QuickClient()
    client.force_login(person)
    return client


def press(client: Client, target: Report | User, act: str, **data: Any) -> None:
    """Press a button without loading the page that follows, which takes longer than the press."""
    assert client.post(_address(target, act), data).status_code == 302


def do(client: Client, target: Report | User, act: str, **data: Any) -> str:
    """Press a button, and load the page that follows."""
    return client.post(_address(target, act), data, follow=True).content.decode()


def _address(target: Report | User, act: str) -> str:
    return reverse(f"admin:{'report' if isinstance(target, Report) else 'person'}_{act}", args=[target.pk])
