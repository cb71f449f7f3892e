"""The rules pages: every game has one, with every option and every ruling."""

import html
import re

import pytest
from django.template import Context, Template, TemplateSyntaxError
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import escape

from games import rules
from games.engine import Option, Subset
from games.guide import rules_pages
from games.table.pitch import pitch
from tests.factories.pages import in_one_line

SLUGS = [game.slug for game in rules.all()]

#: Required parts of each page's rulings on gaps in the rules.
RULINGS = {
    "amagande": [
        "five with five or six players",
        "another card is turned up",
        "one card per turn",
        "the next card must be of that colour",
        "faces only the new card's penalty",
        "option “penalties add up”",
        "chooses no suit",
        "stay until a player plays a card",
        "the same rank doesn't fit",
        "only as a counter",
        "drawing ends your turn",
        "pass in a row",
        "400 turns",
    ],
    "armani": [
        "From 1 to 58",
        "fold automatically",
        "on top then",
        "same colour 20 times",
        "marriage",
        "played on this pile",
        "the first one wins and the others pay nothing",
        "after three more cards",
        "six if you had no card",
        "collects the pile at once",
        "A slap beats everything",
        "gets your other tries",
        "it counts too",
        "keep the rest of your stack",
        "Then comes the last card, then the duel",
        "The next player to the left",
        "player of its last face card",
        "player with its highest bet",
        "Each card taken is a move",
        "all 52 cards or with the last card",
        "After 208 cards",
        "29 to 29",
    ],
    "armed": [
        "fewer than six cards at the start of a battle",
        "you draw them all and play on",
        "draw until your hand is full again",
        "the match is a draw",
        "count for the player who played them",
        "A war is part of its battle",
        "before the next draw",
        "2,000 battles",
        "turn-based matches have 26",
    ],
    "avalanche": [
        "the player on the right",
        "last player who started the avalanche",
        "to the left of the one who made it fall or stop",
        "empty hands are refilled one by one",
        "the player who played last gets the avalanche at once",
        "no limit",
    ],
    "basic-rummy": [
        "down or up",
        "Only one run can join a set",
        "unless it's your only card",
        "Only if you can get rid of all your other cards",
        "no one scores",
        "100 turns each",
        "After 40 deals",
    ],
    "normal-cards": ["With four or six players"],
    "rummy-500": [
        "the first thing you put down",
        "you can't take it",
        "at least one natural card",
        "only for the rank",
        "only at a natural card",
        "the deal ends",
        "on the table and in your hand",
        "After 40 deals",
    ],
    "ten-skip": [
        "only one card is left",
        "your turn ends by itself",
        "only you can claim again",
        "The round ends at once",
        "lie under it in order",
        "three swaps per player in the round",
        "The lowest total wins",
        "60 rounds",
    ],
}
INVENTORS = {"avalanche": "Légrády Gábor and Kápolnás György", "ten-skip": "Darren Dirt", "amagande": "Rwanda"}


def text_of(markup):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup)).split())


@pytest.fixture
def read(client, db):
    """The HTML of the rules page of a game."""

    def get(slug):
        response = client.get(reverse("rules_page", args=[slug]))
        assert response.status_code == 200
        return response.content.decode()

    return get


def test_the_index_leads_to_the_page_of_every_game_with_its_summary(client, db):
    shown = client.get(reverse("rules_index")).content.decode()
    for game in rules.all():
        assert f'href="{reverse("rules_page", args=[game.slug])}"' in shown
        assert html.escape(game.name) in shown
    assert "but you choose the card" in text_of(shown)


@pytest.mark.parametrize("slug", SLUGS)
def test_every_game_has_a_page_with_all_its_parts(read, slug):
    shown = read(slug)
    for part in ("idea", "your-turn", "points", "set-up", "turn", "scoring", "rulings", "options", "origin"):
        section = re.search(rf'<section[^>]* aria-labelledby="{part}">(.*?)</section>', shown, re.DOTALL)
        assert section, part
        heading, body = re.split(r"</h[23]>", section[1], maxsplit=1)
        assert f'id="{part}"' in heading
        assert len(text_of(body)) > 10, part
    assert re.search(r'<p class="lead">[^<]{80,400}</p>', shown)
    assert shown.count('<ul class="cards"') >= 1
    assert shown.count("<h1>") == 1
    assert f"<title>The rules of {rules.get(slug).name}</title>" in shown


def above_the_details(page: str) -> str:
    """Text visible before anything is unfolded, without names of cards."""
    short = page.partition("<article")[2].partition('<div class="prose">')[2].partition("<details")[0]
    return re.sub(r'<ul class="cards".*?</ul>|<p class="cards-label".*?</p>', "", short, flags=re.DOTALL)


def grade(text: str) -> float:
    """The Flesch–Kincaid grade, by the length of sentences and the syllables of words."""
    sentences = len(re.findall(r"[.!?:](?=\s|$)", text))
    words = re.findall(r"[A-Za-z'’]+|\d[\d,]*", text)
    syllables = sum(max(1, len(re.findall(r"[aeiouy]+", re.sub(r"e$", "", word.lower())))) for word in words)
    return 0.39 * len(words) / sentences + 11.8 * syllables / len(words) - 15.59


@pytest.mark.parametrize("slug", SLUGS)
def test_a_page_begins_with_its_idea_in_three_pictures_and_few_easy_words(read, slug):
    short = above_the_details(read(slug))
    idea = short.partition('id="your-turn"')[0]
    assert idea.count('class="example idea-picture"') == 3
    assert len(text_of(idea).split()) <= 62  # with its heading
    assert len(text_of(short).split()) <= 350
    # Headings aren't sentences.
    told = ". ".join(
        text_of(each).rstrip(".") for each in re.findall(r"<(?:p|li|figcaption)>(.*?)</", short, re.DOTALL)
    )
    assert grade(f"{told}.") <= 6


def test_hard_words_and_long_sentences_have_a_high_grade():
    assert grade("You play a card. I play a card.") < 2
    assert grade("Notwithstanding the aforementioned regulations participants may voluntarily relinquish cards.") > 12


def test_the_rules_lead_back_to_the_match_that_is_being_played(client, ada, ben, start_match):
    client.force_login(ada)
    address = reverse("rules_page", args=["armed"])
    assert "Back to your match" not in client.get(address).content.decode()
    match = start_match("armed", ada, ben)
    page = client.get(address).content.decode()
    assert "Back to your match" in page
    assert match.get_absolute_url() in page
    assert "Back to your match" not in client.get(reverse("rules_page", args=["avalanche"])).content.decode()


def test_autoplay_has_a_page_with_each_game(client, db):
    page = text_of(client.get(reverse("autoplay_rules")).content.decode())
    for game in rules.all():
        assert game.name in page
    assert "It plays your lowest card." in page


def test_how_slaps_are_judged_has_a_page_of_its_own(client, db, read):
    assert "judging-table" in client.get(reverse("slap_rules")).content.decode()
    assert "judging-table" not in read("armani")
    assert reverse("slap_rules") in read("armani")


@pytest.mark.parametrize("slug", SLUGS)
def test_all_the_rules_are_short_enough_to_read_before_a_match(read, slug):
    details = read(slug).partition("<article")[2].partition("</article>")[0].partition("<details")[2]
    # Cards are pictures.
    prose = re.sub(r'<ul class="cards".*?</ul>', "", details, flags=re.DOTALL)
    words = len(text_of(prose).split())
    assert words <= 1400


@pytest.mark.parametrize("slug", SLUGS)
def test_every_ruling_is_explained_and_marked_with_the_gap_it_fills(read, slug):
    rulings = re.findall(r'<div class="ruling">\s*<dt>(.*?)</dt>\s*<dd>(.*?)</dd>', read(slug), re.DOTALL)
    told = text_of(" ".join(ruling for _gap, ruling in rulings) + " ".join(gap for gap, _ruling in rulings))
    assert rulings
    for gap, _ruling in rulings:
        assert "?" in gap
    for phrase in RULINGS[slug]:
        assert phrase in told, phrase


@pytest.mark.parametrize("slug", SLUGS)
def test_every_option_appears_as_it_is_declared(read, slug):
    shown = read(slug)
    for option in rules.get(slug).options:
        entry = re.search(rf'data-option="{option.name}">(.*?)</div>', shown, re.DOTALL)
        assert entry, option.name
        said = text_of(entry[1])
        spoken = rules_pages.in_words(slug, option)
        assert text_of(option.text) in said
        for value in (spoken.default, spoken.by_mail, spoken.choices):
            assert value in said
    assert shown.count("data-option=") == len(rules.get(slug).options)


@pytest.mark.parametrize(("slug", "inventor"), INVENTORS.items())
def test_the_inventors_are_named(read, slug, inventor):
    assert inventor in text_of(read(slug).partition('id="origin"')[2])


@pytest.mark.parametrize("slug", ["poker", "index", "base_rules", "summary", "cards"])
def test_an_unknown_game_is_not_found(client, db, slug):
    assert client.get(f"{reverse('rules_index')}{slug}/").status_code == 404


def test_a_game_whose_page_no_one_has_written_is_not_found_and_not_listed(client, db, monkeypatch):
    monkeypatch.setattr(rules_pages, "page_of", lambda game: f"guide/rules/no-{game.slug}.html")
    assert client.get(reverse("rules_page", args=["armed"])).status_code == 404
    assert reverse("rules_page", args=["armed"]) not in client.get(reverse("rules_index")).content.decode()


def test_pages_are_only_read(client, db):
    assert client.post(reverse("rules_page", args=["armed"])).status_code == 405


@pytest.mark.parametrize(
    ("seats", "words"),
    [((2,), "2 players"), (range(2, 9), "2 to 8 players"), ((2, 3, 4, 6), "2, 3, 4 or 6 players")],
)
def test_how_many_can_play(seats, words):
    assert rules_pages.players(seats) == words


@pytest.mark.parametrize(
    ("default", "by_mail", "choices", "words"),
    [
        (6, 4, range(3, 11), ("3 to 10", "6", "4")),
        (True, False, (True, False), ("yes or no", "yes", "no")),
        ("colour", "colour", ("colour", "by_turns"), ("by colour or by turns", "by colour", "by colour")),
        (
            ["pair"],
            ["pair", "top_bottom"],
            Subset(("pair",), ("run", "top_bottom")),
            ("always pair; optional: run, top and bottom", "pair", "pair, top and bottom"),
        ),
    ],
)
def test_options_are_put_in_words(default, by_mail, choices, words):
    said = rules_pages.in_words("armani", Option("hand_size", default, by_mail, choices, "Cards in hand."))
    assert (said.label, said.text) == ("Hand size", "Cards in hand.")
    assert (said.choices, said.default, said.by_mail) == words


def test_names_of_options_are_written_as_people_write_them():
    assert rules_pages.in_words("armani", Option("stage2_flips", 0, 0, range(2), "")).label == "Cards in Stage 2"


def drawn(tag, **context):
    return in_one_line(Template("{% load cards %}" + tag).render(Context(context)))


def test_cards_are_drawn_as_a_list_with_their_full_names():
    shown = drawn('{% cards "TC QH RJ" %}')
    assert re.findall(r'<li class="card ([\w-]+)" data-card="(\w\w)">', shown) == [
        ("card--clubs", "TC"),
        ("card--hearts", "QH"),
        ("card--red-joker", "RJ"),
    ]
    assert re.findall(r'<span class="visually-hidden">(.*?)</span>', shown) == [
        "the 10 of clubs",
        "the queen of hearts",
        "the red joker",
    ]
    assert '<span class="card__rank" aria-hidden="true">10</span><span class="card__suit" aria-hidden="true">♣' in shown
    assert 'aria-label="Cards"' in shown


def test_a_face_down_card_reveals_nothing():
    shown = drawn('{% cards "??" %}')
    assert '<li class="card card--back">' in shown
    assert "a card face down" in shown


def test_a_label_is_shown_and_names_the_list():
    shown = drawn('{% cards "TC" label %}', label="The <last> lay")
    assert 'aria-label="The &lt;last&gt; lay"' in shown
    assert '<p class="cards-label" aria-hidden="true">The &lt;last&gt; lay</p>' in shown


def test_a_card_that_does_not_exist_is_refused():
    with pytest.raises(TemplateSyntaxError, match="1C"):
        drawn('{% cards "1C" %}')


@pytest.mark.parametrize("slug", SLUGS)
def test_the_summary_alone_is_one_paragraph_of_text(slug):
    summary = render_to_string(f"guide/rules/{slug}.html", {"layout": "guide/rules/summary.html"})
    assert "<" not in summary
    assert 80 < len(summary.strip()) < 400


@pytest.mark.parametrize("game", rules.all(), ids=lambda game: game.slug)
def test_the_goal_is_the_first_thing_on_the_page_and_not_folded_away(client, db, game):
    page = client.get(reverse("rules_page", args=[game.slug])).content.decode()
    goal = escape(pitch(game.slug))
    assert goal.endswith(".")
    assert page.index('id="idea"') < page.index(f'<p class="lead">{goal}</p>') < page.index('class="idea"')
