"""Turn tokens: signed, short, for one use each."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.mail import tokens
from games.mail.checks import check_reply_address
from games.matches.models import Seat

REPLIES = "turn+{}@play.example.org"
numbers = st.integers(0, 2**32 - 1)


def seat(pk: int = 7, player: int | None = 3) -> Seat:
    return Seat(pk=pk, match_id=1, number=0, player_id=player)


def token_of(url: str) -> str:
    return url.rstrip("/").rpartition("/")[2]


@pytest.fixture(autouse=True)
def _settings(settings) -> None:
    settings.SITE_URL = "https://play.example.org"
    settings.REPLY_ADDRESS = REPLIES


def test_a_page_token_says_whose_turn_it_is_for():
    url = tokens.turn_url(seat(), 12)
    assert re.fullmatch(r"https://play\.example\.org/turn/[a-z2-7]+/", url)
    assert tokens.read_page(token_of(url)) == tokens.Ticket(7, 3, 12, 12)


@given(numbers, numbers, numbers, numbers)
def test_reply_addresses_fit_a_local_part_in_any_case(seat_id: int, user_id: int, asked: int, later: int):
    address = tokens.reply_address(seat(seat_id, user_id), asked, asked + later)
    assert len(address.partition("@")[0]) <= 64
    for written in (address, address.upper(), address.title(), f" {address} "):
        assert tokens.read_reply(written) == tokens.Ticket(seat_id, user_id, asked, asked + later)


def test_the_token_for_one_use_is_invalid_for_the_other():
    page = token_of(tokens.turn_url(seat(), 12))
    with pytest.raises(tokens.BadToken):
        tokens.read_reply(REPLIES.format(page))
    reply = tokens.reply_address(seat(), 12).removeprefix("turn+").partition("@")[0]
    with pytest.raises(tokens.BadToken):
        tokens.read_page(reply)


def test_no_changed_character_leaves_a_token_valid():
    token = token_of(tokens.turn_url(seat(), 12))
    for place, letter in enumerate(token):
        for other in "a7" if letter != "a" else "b7":
            changed = token[:place] + other + token[place + 1 :]
            if other == letter:
                continue
            try:
                read = tokens.read_page(changed)
            except tokens.BadToken:
                continue
            # The last character may contain unused bits: the same token in another spelling.
            assert place == len(token) - 1
            assert read == tokens.Ticket(7, 3, 12, 12)


@given(st.text(max_size=100) | st.from_regex(r"[a-z2-7]{32,58}", fullmatch=True))
def test_anything_else_is_a_bad_token(text: str):
    for read, written in (
        (tokens.read_page, text),
        (tokens.read_reply, text),
        (tokens.read_reply, REPLIES.format(text)),
    ):
        with pytest.raises(tokens.BadToken):
            read(written)


@pytest.mark.parametrize(
    "address",
    [
        "turn+{}@elsewhere.example.org",
        "move+{}@play.example.org",
        "{}@play.example.org",
        "turn+{}",
        "xturn+{}@play.example.org",
        "turn+{}@play.example.organ",
    ],
)
def test_a_token_at_another_address_is_worth_nothing(address: str):
    token = tokens.reply_address(seat(), 12).removeprefix("turn+").partition("@")[0]
    assert tokens.read_reply(REPLIES.format(token)).seat_id == 7
    with pytest.raises(tokens.BadToken, match=r"^not an address that turns are answered to$"):
        tokens.read_reply(address.format(token))


def test_a_site_without_reply_addresses_reads_none(settings):
    token = tokens.reply_address(seat(), 12).removeprefix("turn+").partition("@")[0]
    settings.REPLY_ADDRESS = ""
    with pytest.raises(tokens.BadToken, match="not an address"):
        tokens.read_reply(token)


@pytest.mark.parametrize(
    ("token", "reason"),
    [("", "not written"), ("0" * 40, "not written"), ("a" * 33, "not written"), ("a" * 40, "not signed by this site")],
)
def test_the_log_says_what_is_wrong_with_a_bad_token(token: str, reason: str):
    with pytest.raises(tokens.BadToken, match=rf"^{reason}( as a token)?$"):
        tokens.read_page(token)


def test_a_token_of_an_earlier_release_is_still_good(settings):
    settings.SECRET_KEY = "k" * 50
    token = "sqdqgdaan6z4qgxuzp7swavptrbc3o2m"
    assert token_of(tokens.turn_url(seat(), 12)) == token
    assert tokens.read_page(token) == tokens.Ticket(7, 3, 12, 12)


def test_every_letter_of_a_token_is_needed(settings):
    settings.SECRET_KEY = "k" * 50  # one that is always the same: a random key gives the letters below only mostly
    ends = set()
    for version in range(200):
        token = token_of(tokens.turn_url(seat(), version))
        ends.add(token[-1])
        assert tokens.read_page(token).asked_version == version
        with pytest.raises(tokens.BadToken):
            tokens.read_page(token[:-1])
    assert ends == set("abcdefghijklmnopqrstuvwxyz234567")


def test_tokens_outlive_a_change_of_the_secret_key(settings):
    token = token_of(tokens.turn_url(seat(), 12))
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "new" * 20, [settings.SECRET_KEY]
    assert tokens.read_page(token).seat_id == 7
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(tokens.BadToken):
        tokens.read_page(token)


def test_a_free_seat_has_no_token():
    with pytest.raises(ValueError, match=r"^nobody sits there"):
        tokens.turn_url(seat(player=None), 1)


def test_a_site_that_receives_no_email_has_no_reply_addresses(settings):
    settings.REPLY_ADDRESS = ""
    assert tokens.reply_address(seat(), 12) == ""
    with pytest.raises(tokens.BadToken):
        tokens.read_reply("")


@pytest.mark.parametrize(
    "pattern",
    [
        "turn@play.example.org",
        "turn@{}.example.org",
        "{}{}@play.example.org",
        "seventy-{}@play.example.org",
        "{}",
        "{0}@{",
        "{a}@b.c",
    ],
)
def test_a_reply_address_that_can_not_work_is_refused_at_the_start(settings, pattern):
    settings.REPLY_ADDRESS = pattern
    assert [error.id for error in check_reply_address()] == ["mail.E001"]


@pytest.mark.parametrize("pattern", ["", REPLIES, "{}@in.example.org"])
def test_reply_addresses_that_work_are_accepted(settings, pattern):
    settings.REPLY_ADDRESS = pattern
    assert check_reply_address() == []
