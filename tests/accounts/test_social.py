"""Friends, blocks and mutes."""

import pytest
from django.contrib.messages import get_messages
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts import presence, social
from accounts.models import User
from accounts.people.models import Block, Friendship
from tests.factories.clients import QuickClient

pytestmark = pytest.mark.django_db


def member(name: str) -> User:
    return User.objects.create_user(f"{name.lower()}@example.org", name=name)


@pytest.fixture
def ben(db) -> User:
    return member("Ben")


def browser_of(user: User) -> Client:
    client = QuickClient()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def do(user: User, name: str, other: User, **data: str):
    return browser_of(user).post(reverse("player_action", args=[other.name_key, name]), data)


def said(answer) -> list[str]:
    return [str(message) for message in get_messages(answer.wsgi_request)]


def test_a_friend_request_becomes_a_friendship_when_it_is_accepted(ada, ben) -> None:
    assert said(do(ada, "befriend", ben)) == ["Ben will see your request."]
    assert social.friend_ids(ada) == social.friend_ids(ben) == set()
    assert [each.asker for each in social.requests_to(ben)] == [ada]
    assert said(do(ben, "befriend", ada)) == ["You and Ada are friends."]
    assert social.friend_ids(ada) == {ben.pk}
    assert social.friend_ids(ben) == {ada.pk}


def test_a_repeated_friend_request_counts_once_and_cannot_be_accepted_by_its_sender(ada, ben) -> None:
    do(ada, "befriend", ben)
    do(ada, "befriend", ben)
    assert Friendship.objects.get().accepted_at is None


def test_the_database_holds_one_friendship_a_pair(ada, ben) -> None:
    Friendship.objects.create(asker=ada, other=ben)
    with pytest.raises(IntegrityError), transaction.atomic():
        Friendship.objects.create(asker=ben, other=ada)


@pytest.mark.parametrize("who", ["ada", "ben"])
def test_either_side_ends_a_friendship(ada, ben, who) -> None:
    social.ask(ada, ben)
    social.ask(ben, ada)
    one, other = (ada, ben) if who == "ada" else (ben, ada)
    do(one, "part", other)
    assert not Friendship.objects.exists()


def test_guests_have_no_list_of_friends(ada) -> None:
    guest = User.objects.create_user(name="Guest 1000")
    with pytest.raises(social.FriendshipError):
        social.ask(ada, guest)
    with pytest.raises(social.FriendshipError):
        social.ask(guest, ada)


def test_a_block_works_both_ways_and_ends_the_friendship(ada, ben) -> None:
    social.ask(ada, ben)
    social.ask(ben, ada)
    do(ada, "block", ben)
    assert social.is_blocked(ada, ben)
    assert social.is_blocked(ben, ada)
    assert social.blocked_ids(ada) == {ben.pk}
    assert social.blocked_ids(ben) == {ada.pk}
    assert social.any_blocked(ben, [ada.pk, 999])
    assert not social.any_blocked(ben, [])
    assert social.friend_ids(ben) == set()


def without_tokens(page: str) -> list[str]:
    """The lines of a page that are the same for everyone."""
    return [line for line in page.splitlines() if "csrfmiddlewaretoken" not in line]


def test_a_blocked_person_is_not_notified(ada, ben) -> None:
    """Ben's page of Ada and his request look as if nothing had happened; she sees no request."""
    before = browser_of(ben).get(reverse("player", args=["ada"])).content.decode()
    social.block(ada, ben)
    after = browser_of(ben).get(reverse("player", args=["ada"])).content.decode()

    assert without_tokens(before) == without_tokens(after)
    assert said(do(ben, "befriend", ada)) == ["Ada will see your request."]
    assert social.requests_to(ada) == []
    friends = browser_of(ada).get(reverse("friends")).content.decode().partition("Blocked")[0]
    assert "Ben" not in "".join(without_tokens(friends))


def test_a_player_must_unblock_a_person_before_a_friend_request(ada, ben) -> None:
    social.block(ada, ben)
    assert said(do(ada, "befriend", ben)) == ["You've blocked Ben. Unblock them first."]
    do(ada, "unblock", ben)
    assert not Block.objects.exists()
    assert not social.is_blocked(ada, ben)


def test_a_mute_hides_chat_and_nothing_else(ada, ben) -> None:
    do(ada, "mute", ben)
    assert social.muted_or_blocked_ids(ada) == {ben.pk}
    assert social.muted_or_blocked_ids(ben) == set()
    assert not social.is_blocked(ada, ben)
    do(ada, "block", ben)
    assert Block.objects.get().kind == "block"
    assert social.muted_or_blocked_ids(ada) == {ben.pk}


def test_no_one_blocks_or_befriends_themselves(ada) -> None:
    do(ada, "block", ada)
    do(ada, "befriend", ada)
    assert not Block.objects.exists()
    assert not Friendship.objects.exists()


def test_actions_need_post_a_log_in_and_someone(ada, ben, client) -> None:
    address = reverse("player_action", args=["ben", "block"])
    assert client.post(address).url.startswith(reverse("account_login"))
    assert browser_of(ada).get(address).status_code == 405
    assert browser_of(ada).post(reverse("player_action", args=["nobody", "block"])).status_code == 404
    assert not Block.objects.exists()


def test_actions_lead_back_to_this_site_only(ada, ben) -> None:
    assert do(ada, "mute", ben, next="/friends/").url == "/friends/"
    assert do(ada, "unblock", ben, next="https://evil.example/").url == reverse("player", args=["ben"])


def test_the_list_of_friends_shows_who_is_here(ada, ben) -> None:
    social.ask(ada, ben)
    social.ask(ben, ada)
    assert "away" in browser_of(ada).get(reverse("friends")).content.decode()
    browser_of(ben).get(reverse("friends"))
    assert presence.here([ada.pk, ben.pk, 999]) == {ada.pk, ben.pk}
    assert "here now" in browser_of(ada).get(reverse("friends")).content.decode()


def test_only_friends_see_who_is_here(ada, ben) -> None:
    presence.mark(ben.pk)
    assert "here now" not in browser_of(ada).get(reverse("player", args=["ben"])).content.decode()
    social.ask(ada, ben)
    social.ask(ben, ada)
    assert "here now" in browser_of(ada).get(reverse("player", args=["ben"])).content.decode()
