"""People with roles, for the tests of moderation."""

import pytest


@pytest.fixture
def mia(make_moderator):
    return make_moderator("Mia", "talk", "results", "accounts")


@pytest.fixture
def moe(make_moderator):
    return make_moderator("Moe", "talk", "results", "accounts")
