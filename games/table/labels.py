"""Texts of the table page: buttons and symbols.

Texts of a single game stand in its ``PRESENTATION``.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from django.utils.translation import get_language, gettext_lazy, pgettext_lazy
from django.utils.translation import gettext as _

from games import rules
from games.engine import Move, Presentation
from games.engine.cards import CODES
from games.engine.text import Name, names_in_text
from games.rules.wording import RANKS_AND_JOKER, card_name, listing, rank_label, rank_name, suit_name

SIDE_MARKS = "▲●"
#: Zones whose title differs from their kind: a slap is "won", too.
_ZONES = {"won": "wins"}

#: Texts that the table's scripts need for every game.
TEXTS: dict[str, Any] = {
    "you": gettext_lazy("You"),
    "your_turn": gettext_lazy("Your turn"),
    "turn_of": gettext_lazy("It's {name}'s turn"),
    "watching": gettext_lazy("You're watching. {text}"),
    "you_are_out": gettext_lazy("You're out. {text}"),
    "choosing": gettext_lazy("{names} are choosing…"),
    "your_card": gettext_lazy("Your next card comes by itself"),
    "table_turn": gettext_lazy("Collecting the pile…"),
    "over": gettext_lazy("The match is over"),
    "ai_level": gettext_lazy("AI player, {level}"),
    "easy": gettext_lazy("easy"),
    "medium": gettext_lazy("medium"),
    "hard": gettext_lazy("hard"),
    "online": gettext_lazy("online"),
    "offline": gettext_lazy("away"),
    "resigned": gettext_lazy("resigned"),
    "resigned_ai": gettext_lazy("resigned; an AI player plays on"),
    "side": gettext_lazy("Team {mark}"),
    "points": gettext_lazy("{n} points"),
    "points_1": gettext_lazy("{n} point"),
    # Beside a name, where there is no room for the word.
    "points_short": gettext_lazy("{n} pts"),
    "points_short_1": gettext_lazy("{n} pt"),
    "gain": gettext_lazy("+{n}"),
    "melds_open": gettext_lazy("Melds: {n}"),
    "cards": gettext_lazy("{n} cards"),
    "card_1": gettext_lazy("1 card"),
    "no_cards": gettext_lazy("no cards"),
    "face_down": gettext_lazy("a card face down"),
    "face_red": gettext_lazy("RED"),
    "face_black": gettext_lazy("BLACK"),
    "joker_as": gettext_lazy("{joker} as {card}"),
    "go_on": gettext_lazy("Press anywhere to continue"),
    "place": gettext_lazy("Place {n}"),
    "out": gettext_lazy("out"),
    "dealer": gettext_lazy("dealer"),
    "lost": gettext_lazy("Connection lost. Reconnecting…"),
    "back": gettext_lazy("Back online."),
    "signed_out": gettext_lazy("You've been logged out. Reload the page to continue."),
    "all_moves": gettext_lazy("All {n} moves"),
    "cancel": gettext_lazy("Cancel"),
    "report_move": gettext_lazy("Report this move"),
    "report_failed": gettext_lazy("Something went wrong. Try again in a moment."),
    "not_saved": gettext_lazy("Something went wrong. Nothing is lost, so try again."),
    "cannot": gettext_lazy("You can't play this card now."),
    "cannot_turn": gettext_lazy("It's not your turn."),
    "cannot_with": gettext_lazy("This card doesn't go with the ones you picked."),
    "cannot_there": gettext_lazy("This card doesn't go there."),
    "less": gettext_lazy("Less"),
    "more": gettext_lazy("More"),
    "number": gettext_lazy("Number"),
    "your_hand": gettext_lazy("Your hand"),
    "waiting_for": gettext_lazy("Waiting for {name}, who is away."),
    "waiting_left": gettext_lazy("Play continues in {n} s at most."),
    "hand": gettext_lazy("hand"),
    "stock": gettext_lazy("Stock"),
    "discard": gettext_lazy("Discard pile"),
    "deal": gettext_lazy("Deal"),
    "joker": gettext_lazy("joker"),
    "result_won": gettext_lazy("You won!"),
    "result_won_side": gettext_lazy("Your team won!"),
    "result_tied": gettext_lazy("You share first place."),
    "result_place": gettext_lazy("You finished {place}."),
    "ordinal_2": gettext_lazy("2nd"),
    "ordinal_3": gettext_lazy("3rd"),
    "ordinal_4": gettext_lazy("4th"),
    "ordinal_5": gettext_lazy("5th"),
    "ordinal_6": gettext_lazy("6th"),
    "ordinal_7": gettext_lazy("7th"),
    "ordinal_8": gettext_lazy("8th"),
    "result_lost_side": gettext_lazy("The other team won."),
    "result_by": gettext_lazy("{names} won."),
    "result_lost_to": gettext_lazy("You lost. {names} won."),
    "reason_own_resignation": gettext_lazy("You resigned."),
    "reason_agreement": gettext_lazy("All players agreed to end the match. It doesn't count."),
    "result_agreed": gettext_lazy("No result"),
    "rematch_wanted": gettext_lazy("{names} wants a rematch."),
    "rematch_wanted_more": gettext_lazy("{names} want a rematch."),
    "rematch_ready": gettext_lazy("ready"),
    "rematch_waits": gettext_lazy("Waiting for {names}"),
    "rematch_waits_for": gettext_lazy("Waiting for {names} · {n} s"),
    "rematch_gone": gettext_lazy("That took too long. Please ask again."),
    "rematch_go": gettext_lazy("Go to the rematch"),
    "rematch": gettext_lazy("Rematch"),
    "best_moment": gettext_lazy("Best moment: {text}"),
    "best_own": gettext_lazy("Your best moment: {text}"),
    "best_of": gettext_lazy("{name}'s best moment: {text}"),
    "best_deal": gettext_lazy("Best deal: {name}, {points} in deal {n}"),
    "clock_left": gettext_lazy("Time left:"),
    "clock_days": gettext_lazy("{n} days"),
    "clock_hours": gettext_lazy("{n} h"),
    "clock_minutes": gettext_lazy("{n} min"),
    "clock_due": gettext_lazy("Time left:"),
    "clock_until": gettext_lazy("until {time}"),
    "clock_low": gettext_lazy("{n} seconds left"),
    "autopilot": gettext_lazy("away: autoplay is on"),
    "seat_offered": gettext_lazy("seat offered"),
    "missed_one": gettext_lazy(
        "You ran out of time, so autoplay made a safe move. Miss the next turn too, and it plays on until "
        "you make a move."
    ),
    "missed_autopilot": gettext_lazy("Autoplay is playing for you. Make a move on your turn to take over again."),
    "listing": gettext_lazy("{first} and {last}"),
    "replay_moment": gettext_lazy("Move {n} of {last}"),
    "replay_play": pgettext_lazy("replay", "Play"),
    "replay_pause": gettext_lazy("Pause"),
    "replay_lost": gettext_lazy("We couldn't load this position. Try again."),
    # The move picker: undo, ask for the reason, and preview a choice.
    "take_back": gettext_lazy("Undo"),
    "play_now": gettext_lazy("Play it now"),
    "taken_back": gettext_lazy("Undone. Choose again."),
    "and_more": gettext_lazy("{shown} · and {n} more"),
    "order_suit": gettext_lazy("Sorted by suit"),
    "order_rank": gettext_lazy("Sorted by rank"),
    "order_drawn": gettext_lazy("Sorted as drawn"),
    "order_own": gettext_lazy("Sorted my way"),
    "away_title": gettext_lazy("Since you left: {n} moves"),
    "deal_n": gettext_lazy("Deal {n}"),
    "round_n": gettext_lazy("Round {n}"),
    "sum": gettext_lazy("Total"),
    "notice_turn": gettext_lazy("It's your turn."),
    "away_turn": gettext_lazy("{title}: your turn"),
}

#: Texts that scripts need besides for games with slaps.
SLAP_TEXTS: dict[str, Any] = {
    "slap_locked": gettext_lazy("You can slap again after {n} more cards"),
    "slap_locked_1": gettext_lazy("You can slap again after the next card"),
    "locked_for": gettext_lazy("no slap for {cards}"),
    "slap_hint": gettext_lazy("space bar"),
    "slap_sent": gettext_lazy("Slapped!"),
    "slap_nothing": gettext_lazy("There's nothing to slap now."),
    "handicap": gettext_lazy("+{ms} ms"),
    "handicap_full": gettext_lazy("Slap handicap: {ms} ms head start"),
    "handicap_less": gettext_lazy("minus {handicap} ms head start"),
    "by_lot": gettext_lazy("equally fast, so decided at random"),
    "practice_ready": gettext_lazy("Hand above the pile…"),
    "practice_again": gettext_lazy("Start again"),
    "practice_right": gettext_lazy("right"),
    "practice_done": gettext_lazy("That was the last card."),
    "practice_share": gettext_lazy("you win {share}% of the piles"),
    "verdict_won": gettext_lazy("{name:* takes|You take} the pile"),
    "verdict_none": gettext_lazy("No pattern: it costs a card"),
    "verdict_burns": gettext_lazy("No pattern: it costs you a card"),
    "verdict_nobody": gettext_lazy("No one slapped in time"),
    "verdict_compare": gettext_lazy("{name} {best} ms – you {mine} ms"),
    "pending": gettext_lazy("so far"),
    "point_mine": gettext_lazy("Watch the next cards"),
    "point_mine_text": gettext_lazy("They come one by one, and only once, until a card makes a pattern."),
    "point_waits": gettext_lazy("The others are watching the next cards"),
    "point_waits_text": gettext_lazy("You can all watch when it suits you. Still to watch: {names}."),
    "point_asleep": gettext_lazy("Away, so we don't wait for them: {names}."),
    "asleep": gettext_lazy("asleep"),
    "asleep_full": gettext_lazy("Missed twice in a row, so we don't wait until they're back"),
    "point_ready": gettext_lazy("Ready?"),
    "point_ready_text": gettext_lazy("The cards come one by one, and only once. Slap when you see a pattern."),
    "point_again": gettext_lazy("Continue with the next card"),
    "point_again_text": gettext_lazy("Your connection dropped, or another device took over. This card doesn't count."),
    "point_returns": gettext_lazy("You can come back {n} more times."),
    "point_returns_1": gettext_lazy("You can come back once more."),
    "point_returns_0": gettext_lazy("If you lose the connection again, the other cards count as not slapped."),
    "point_seen": gettext_lazy("That was the last card"),
    "point_seen_text": gettext_lazy("We decide the slap when {names} have watched, too."),
    "point_seen_1": gettext_lazy("We decide the slap when {names} has watched, too."),
    "point_others": gettext_lazy("This time others watch"),
    "point_table": gettext_lazy("Back to the table"),
    "point_table_text": gettext_lazy("There's nothing to slap right now."),
    "point_next": gettext_lazy("The next cards come in {n} s"),
    "point_go": gettext_lazy("Show me the cards"),
    "point_go_on": gettext_lazy("Continue"),
    "point_now": gettext_lazy("Now"),
    "point_later": gettext_lazy("Later"),
    "point_watching": gettext_lazy("Watch and slap"),
    "point_status": gettext_lazy("Watch the next cards"),
    "point_status_waits": gettext_lazy("Waiting for {names}"),
    "won": gettext_lazy("first!"),
    "beaten": gettext_lazy("beaten"),
    "wrong": gettext_lazy("wrong"),
    "late": gettext_lazy("late"),
    "early": gettext_lazy("too early"),
    "reaction": gettext_lazy("{ms} ms"),
    "measured": gettext_lazy("How we measured"),
    "reaction_full": gettext_lazy("{raw} ms, minus {credit} ms for your connection (ping {ping} ms)"),
}


def script_words(slug: str = "") -> dict[str, Any]:
    """All texts for the tables of a game in the reader's language, as one block for the scripts.

    Without a game it contains the common texts, and cards and suits by their letters.
    """
    return _script_words(slug, get_language())


@cache
def _script_words(slug: str, _language: str | None) -> dict[str, Any]:
    shown = rules.presentation(slug) if slug else Presentation()
    texts = {key: str(text) for key, text in (TEXTS | (SLAP_TEXTS if shown.has_slaps else {})).items()}
    return {
        "moves": {key: _(text) for key, text in shown.moves.items()},
        "prompts": [[needed, _(sentence)] for needed, sentence in shown.prompts.items()],
        "texts": texts | {key: _(text) for key, text in shown.texts.items()},
        "rests": shown.rests,
        "cards": {code: card_name(code) for code in CODES},
        "suits": {suit: suit_name(suit) for suit in "CDHS"},
        "ranks": {rank: [rank_name(rank, 1), rank_name(rank, 2)] for rank in RANKS_AND_JOKER},
    }


_CARD = re.compile(r"(?:[RB]J=)?(?:[A2-9TJQK][CDHS*])|[RB]J")
_SOME_OF_A_RANK = re.compile(r"(.)x(\d+)")


def move_label(slug: str, move: Move, names: Sequence[str]) -> str:
    """The button text of ``move`` in that game; ``names`` are those of the seats.

    A move without a text shows its code.
    """
    moves = rules.presentation(slug).moves
    verb, _colon, rest = move.partition(":")
    if move in moves:
        return _(moves[move])
    fields: dict[str, str] = {}
    if f"{verb}#" in moves:
        card, _slash, suit = rest.partition("/")
        if suit:
            fields = {"card": card_name(card), "suit": suit_name(suit)}
        elif of_a_rank := _SOME_OF_A_RANK.fullmatch(rest):
            fields = {"n": of_a_rank[2], "rank": rank_name(of_a_rank[1], int(of_a_rank[2]))}
        elif rest.isdigit():
            fields = {"n": rest}
    if fields:
        return _(moves[f"{verb}#"]).format(**fields)
    if verb not in moves:
        return move
    what, _at, target = rest.partition("@")
    codes = _CARD.findall(what)
    cards = listing([_card_or_code(code) for code in codes]) if codes else ""
    number = target or rest
    name = names[int(number)] if number.isdigit() and int(number) < len(names) else ""
    return _(moves[verb]).format(card=cards, cards=cards, n=number, name=name)


def zone_title(slug: str, zone: Mapping[str, Any], names: Sequence[str]) -> str:
    """The title of a zone: ``Stock``, ``Ada: hand``, ``Meld 2``."""
    kind, _colon, number = zone["id"].partition(":")
    text = zone_word(slug, kind)
    if "{" in text:
        at = int(number or 0)
        marks, seats = dict(enumerate(SIDE_MARKS)), dict(enumerate(names_in_text(names)))
        return text.format(n=number, mark=marks.get(at, ""), name=seats.get(at, Name("")))
    if zone["owner"] is None:
        return text
    return _("{name}: {zone}").format(name=names[zone["owner"]], zone=text)


def zone_word(slug: str, kind: str) -> str:
    """The title of a kind of zone; without a text, the kind's own name."""
    key = _ZONES.get(kind, kind)
    texts = rules.presentation(slug).texts
    return _(texts[key]) if key in texts else str(TEXTS.get(key, kind))


def _card_or_code(code: str) -> str:
    """The name of a card; a joker that stands for another card keeps its code beside it."""
    joker, equals, stands_for = code.partition("=")
    if not equals:
        return card_name(code) if code in CODES else code
    what = rank_label(stands_for[0]) if stands_for.endswith("*") else card_name(stands_for)
    return str(TEXTS["joker_as"]).format(joker=card_name(joker), card=what)
