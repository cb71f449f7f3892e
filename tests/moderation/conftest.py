"""People with roles, for the tests of moderation."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group

from accounts.models import User


@pytest.fixture
def make_moderator(make_player: Callable[[str], User]) -> Callable[..., User]:
    """Makes somebody with the roles of that name: talk, results, accounts, operations."""

    def make(name: str, *roles: str) -> User:
        user = make_player(name)
        user.is_staff = True
        user.save()
        for role in roles:
            user.groups.add(Group.objects.get(name="Operations" if role == "operations" else f"Moderators: {role}"))
        return User.objects.get(pk=user.pk)

    return make


@pytest.fixture
def mia(make_moderator):
    return make_moderator("Mia", "talk", "results", "accounts")


@pytest.fixture
def moe(make_moderator):
    return make_moderator("Moe", "talk", "results", "accounts")
