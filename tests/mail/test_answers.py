"""Parsing the text of a reply."""

import contextlib
import time

import pytest
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from games.mail.inbound import reply_parser
from games.mail.moves import Numbered
from games.table.labels import move_label

MOVES = [
    Numbered(1, "draw:stock", "Draw from the stock"),
    Numbered(2, "discard:KH", "Discard the king of hearts"),
    Numbered(3, "pass", "Pass"),
    Numbered(4, "bet:12", "Bet 12"),
    Numbered(12, "fan:own", "Play with our cards"),
]
TAKES = ["draw:stock", "take:1", "take:3"]
QUOTED = """
On Sat, 21 Nov 2026 at 10:00, Armani <turn+abc@play.example.org> wrote:
> YOUR MOVES
> 1. Draw from the stock
> 2. Discard the king of hearts
"""


def numbers(text: str) -> list[int]:
    return [each.number for each in reply_parser.read(text, MOVES).moves]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2", [2]),
        ("2.", [2]),
        ("  2  \n", [2]),
        ("#2", [2]),
        ("(2)", [2]),
        ("move 2", [2]),
        ("No. 2", [2]),
        ("12", [12]),
        ("２", [2]),
        ("2 else 4", [2, 4]),
        ("2, else 4", [2, 4]),
        ("2 or else 4.", [2, 4]),
        ("2 otherwise 4 otherwise 3", [2, 4, 3]),
        ("pass", [3]),
        ("Pass!", [3]),
        ("discard the King of Hearts", [2]),
        ("Discard king of hearts.", [2]),
        ("discard KH", [2]),
        ("discard:KH else pass", [2, 3]),
        ("bet 12", [4]),
        ("draw from the stock", [1]),
    ],
)
def test_a_line_names_moves(text: str, meant: list[int]):
    assert numbers(text) == meant


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Vom Talon ziehen"),
        ("de", "vom Stapel ziehen"),
        ("de", "Vom Nachziehstapel ziehen"),
        ("en", "draw from the stock"),
        ("en", "draw from the deck"),
    ],
)
def test_the_stock_may_be_called_by_its_other_names(language: str, text: str):
    with override(language):
        moves = [Numbered(number, move, move_label("rummy-500", move, [])) for number, move in enumerate(TAKES, 1)]
    assert [each.move for each in reply_parser.read(text, moves).moves] == ["draw:stock"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "5",
        "0",
        "-2",
        "2 else 5",
        "else",
        "2 else",
        "2 elsewhere",
        "2 4",
        "2 and 4",
        "maybe 2",
        "the king of hearts",
        "-1",
        "no, 2",
        "I take the 2",
    ],
)
def test_anything_else_is_not_guessed_at(text: str):
    with pytest.raises(reply_parser.Unreadable):
        reply_parser.read(text, MOVES)


@pytest.mark.parametrize(
    "text",
    [
        "2" + QUOTED,
        "Hello Armani,\n\n2\n\nBye\n" + QUOTED,
        "2\n\nSent from my iPhone\n\n> On 21 Nov 2026, at 10:00, Armani wrote:\n> \n> 1. Draw from the stock\n",
        "2\n-- \nAda\n12\n",
        "2\n\nAm 21.11.2026 um 10:00 schrieb Armani <a@example.org>:\n> 1. Draw from the stock\n",
        "2\n________________________________\nFrom: Armani <a@b.org>\nSent: Saturday\nTo: Ada\nSubject: x\n\nPass\n",
        "2\r\n\r\n-----Original Message-----\r\nFrom: Armani\r\n\r\nPass\r\n",
        QUOTED + "\n2\n",
        "> 1. Draw from the stock\n> 3. Pass\n\n2\n",
        "\n" * 30_000 + "2",
    ],
)
def test_quoted_emails_and_signatures_are_no_answer(text: str):
    assert numbers(text) == [2]


def test_quoted_text_alone_is_no_answer():
    with pytest.raises(reply_parser.Unreadable):
        reply_parser.read(QUOTED, MOVES)


def test_no_move_is_chosen_from_lines_that_disagree():
    with pytest.raises(reply_parser.Unreadable):
        reply_parser.read("2\n4\n", MOVES)
    assert numbers("2\n\n2\n") == [2]


@pytest.mark.parametrize(
    "markup",
    [
        "<div dir=ltr>2</div><br><div class='gmail_quote'><div>On ... wrote:</div><blockquote>3</blockquote></div>",
        "<html><body><p><b>2</b></p><blockquote type=cite><p>3</p></blockquote></body></html>",
        "<p>2</p><hr><div id='divRplyFwdMsg'>From: Armani</div><div><p>Pass</p></div>",
        "2<br>",
        "<style>p { color: red }</style><p>2&nbsp;</p><script>3</script>",
        "\0<p>2</p>",
    ],
)
def test_an_email_in_html_alone_is_read(markup: str):
    assert numbers(reply_parser.text_of_html(markup)) == [2]


@given(st.text())
def test_no_text_breaks_the_parser(text: str):
    reply_parser.text_of_html(text)
    with contextlib.suppress(reply_parser.Unreadable):  # most texts are no answer
        assert set(numbers(text)) <= {1, 2, 3, 4, 12}


@pytest.mark.parametrize(
    "text", ["\n" * 400_000, "> " * 200_000, "On a <b@c>\n" * 40_000, "_" * 400_000, "2 else " * 60_000, "a" * 400_000]
)
def test_a_long_email_takes_no_longer_than_a_short_one(text: str):
    begin = time.process_time()
    with pytest.raises(reply_parser.Unreadable):
        reply_parser.read(text, MOVES)
    assert time.process_time() - begin < 5


#: Various ways of writing 2, as mail programs and phones send it.
WORDINGS = [
    *(
        "2",
        "2.",
        "2!",
        "2)",
        "(2)",
        "#2",
        "# 2",
        "2 ",
        "\t2",
        "２",
        "move 2",
        "Move no. 2",
        "no. 2",
        "number 2",
        "Number two",
    ),
    *(
        "option 2",
        "choice 2",
        "Nummer 2",
        "Zug 2",
        "Nr. 2",
        "2 please",
        "2, please.",
        "Please 2",
        "Thanks, 2",
        "2 thanks!",
    ),
    *(
        "2 bitte",
        "Bitte 2",
        "Danke, 2",
        "OK 2",
        '"2"',
        "“2”",
        "„2“",
        "**2**",
        "*2*",
        "_2_",
        "2 👍",
        "2 👍🏽",
        "2️⃣",
        "two",
    ),
    *("Two.", "zwei", "I choose 2", "ich wähle 2", "discard", "2 else 9"),
]


@pytest.mark.parametrize("text", WORDINGS)
def test_people_write_two_in_many_ways(text: str):
    if text == "2 else 9":
        with pytest.raises(reply_parser.Unreadable):
            numbers(text)
    else:
        assert numbers(text) == [2]


def test_a_number_that_is_not_in_the_list_is_named():
    with pytest.raises(reply_parser.Unreadable) as unreadable:
        reply_parser.read("99", MOVES)
    assert unreadable.value.number == 99


@pytest.mark.parametrize(
    ("text", "first", "later"),
    [
        ("1; discard KH", [1], [["discard KH"]]),
        ("draw, then 4", [1], [["4"]]),
        ("draw then 4 else pass; 3", [1], [["4", "pass"], ["3"]]),
        ("1 else 3; 2", [1, 3], [["2"]]),
        ("1, dann 2 sonst 3", [1], [["2", "3"]]),
        ("2;", [2], []),
        ("2; else 4", [2, 4], []),
    ],
)
def test_an_answer_says_what_happens_next(text: str, first: list[int], later: list[list[str]]):
    answer = reply_parser.read(text, MOVES)
    assert [each.number for each in answer.moves] == first
    assert [list(words) for words in answer.later] == later


def test_a_beginning_that_several_moves_share_names_none():
    moves = [
        Numbered(1, "discard:KH", "Discard the king of hearts"),
        Numbered(2, "discard:2C", "Discard the 2 of clubs"),
    ]
    with pytest.raises(reply_parser.Unreadable):
        reply_parser.read("discard", moves)
    with pytest.raises(reply_parser.Unreadable):
        reply_parser.read("discard the", moves)
    assert reply_parser.read("discard the king", moves).moves == [moves[0]]
