"""The words of the table page: what its buttons and marks say. Pages and scripts fill in the same sentences.

What only one game says stands in its ``PRESENTATION``.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from games import rules
from games.engine import Move, Presentation
from games.engine.cards import CODES
from games.rules.wording import RANKS_AND_JOKER, card_name, rank_label, rank_name, suit_name

SIDE_MARKS = "▲●"
#: Zones whose words have another name than their kind: a slap is "won", too.
_ZONES = {"won": "wins"}

#: What the scripts of the table write for any game.
TEXTS: dict[str, Any] = {
    "you": gettext_lazy("You"),
    "your_turn": gettext_lazy("Your turn"),
    "turn_of": gettext_lazy("It's {name}'s turn"),
    "choosing": gettext_lazy("{names} are choosing"),
    "your_card": gettext_lazy("Your card is next"),
    "table_turn": gettext_lazy("The hand is being collected"),
    "over": gettext_lazy("The match is over"),
    "ai_level": gettext_lazy("AI player, {level}"),
    "easy": gettext_lazy("easy"),
    "medium": gettext_lazy("medium"),
    "hard": gettext_lazy("hard"),
    "online": gettext_lazy("at the table"),
    "offline": gettext_lazy("away"),
    "resigned": gettext_lazy("resigned"),
    "resigned_ai": gettext_lazy("resigned; an AI player goes on"),
    "side": gettext_lazy("Side {mark}"),
    "points": gettext_lazy("{n} points"),
    "gain": gettext_lazy("+{n}"),
    "melds_open": gettext_lazy("Melds: {n}"),
    "cards": gettext_lazy("{n} cards"),
    "card_1": gettext_lazy("1 card"),
    "no_cards": gettext_lazy("no cards"),
    "face_down": gettext_lazy("a card face down"),
    "joker_as": gettext_lazy("{joker} as {card}"),
    "go_on": gettext_lazy("Press anywhere to go on"),
    "place": gettext_lazy("Place {n}"),
    "out": gettext_lazy("out"),
    "dealer": gettext_lazy("dealer"),
    "lost": gettext_lazy("The connection is lost. Coming back…"),
    "back": gettext_lazy("Connected again."),
    "signed_out": gettext_lazy("You are no longer logged in here. Reload the page."),
    "all_moves": gettext_lazy("All {n} moves"),
    "cancel": gettext_lazy("Cancel"),
    "report_move": gettext_lazy("Report this move"),
    "report_failed": gettext_lazy("That did not work. Try again in a moment."),
    "cannot": gettext_lazy("No move uses this card now."),
    "cannot_turn": gettext_lazy("It is not your turn."),
    "cannot_with": gettext_lazy("No move uses this card together with those chosen."),
    "less": gettext_lazy("Less"),
    "more": gettext_lazy("More"),
    "number": gettext_lazy("Number"),
    "your_hand": gettext_lazy("Your hand"),
    "waiting_for": gettext_lazy("{name} is away, and the table waits."),
    "waiting_left": gettext_lazy("It goes on in {n} s at the latest."),
    "hand": gettext_lazy("hand"),
    "stock": gettext_lazy("Stock"),
    "discard": gettext_lazy("Discard pile"),
    "deal": gettext_lazy("Deal"),
    "joker": gettext_lazy("joker"),
    "result_won": gettext_lazy("You won!"),
    "result_won_side": gettext_lazy("Your side won!"),
    "result_tied": gettext_lazy("You share first place."),
    "result_place": gettext_lazy("You finished {place}."),
    "ordinal_2": gettext_lazy("2nd"),
    "ordinal_3": gettext_lazy("3rd"),
    "ordinal_4": gettext_lazy("4th"),
    "ordinal_5": gettext_lazy("5th"),
    "ordinal_6": gettext_lazy("6th"),
    "ordinal_7": gettext_lazy("7th"),
    "ordinal_8": gettext_lazy("8th"),
    "result_lost_side": gettext_lazy("The other side won."),
    "result_by": gettext_lazy("{names} won."),
    "reason_own_resignation": gettext_lazy("You resigned."),
    "reason_agreement": gettext_lazy("All players agreed to end the match. It counts for nobody."),
    "result_agreed": gettext_lazy("Ended without a result"),
    "rematch_wanted": gettext_lazy("{names} wants a rematch."),
    "rematch_wanted_more": gettext_lazy("{names} want a rematch."),
    "rematch_ready": gettext_lazy("ready"),
    "rematch_waits": gettext_lazy("Waiting for {names}"),
    "rematch_waits_for": gettext_lazy("Waiting for {names} · {n} s"),
    "rematch_gone": gettext_lazy("No answer in time. You can ask again."),
    "rematch_go": gettext_lazy("To the rematch"),
    "rematch": gettext_lazy("Rematch"),
    "best_moment": gettext_lazy("Best moment: {text}"),
    "best_deal": gettext_lazy("Best deal: {name}, {points} in deal {n}"),
    "clock_left": gettext_lazy("Time left:"),
    "clock_days": gettext_lazy("{n} days"),
    "clock_hours": gettext_lazy("{n} h"),
    "clock_minutes": gettext_lazy("{n} min"),
    "clock_due": gettext_lazy("Time to play:"),
    "clock_until": gettext_lazy("until {time}"),
    "clock_low": gettext_lazy("{n} seconds left"),
    "autopilot": gettext_lazy("away: autoplay is on"),
    "seat_offered": gettext_lazy("seat offered"),
    "missed_one": gettext_lazy(
        "You missed your last turn, so autoplay made a safe move for you. "
        "If you miss the next one too, it plays on until you make a move."
    ),
    "missed_autopilot": gettext_lazy(
        "You missed turns, so autoplay plays for you. Your next move, as soon as it is your turn, ends that."
    ),
    "replay_moment": gettext_lazy("Move {n} of {last}"),
    "replay_play": gettext_lazy("Play"),
    "replay_pause": gettext_lazy("Pause"),
    "replay_lost": gettext_lazy("This moment could not be fetched. Try again."),
    # The picker: taking back, asking why, and what a choice would do.
    "take_back": gettext_lazy("Take it back"),
    "play_now": gettext_lazy("Play it now"),
    "taken_back": gettext_lazy("Taken back. Choose again."),
    "and_more": gettext_lazy("{shown} · and {n} more"),
    "order_suit": gettext_lazy("Sorted by suit"),
    "order_rank": gettext_lazy("Sorted by rank"),
    "order_drawn": gettext_lazy("Sorted as drawn"),
    "order_own": gettext_lazy("Sorted by hand"),
    "away_title": gettext_lazy("While you were away: {n} things happened"),
    "deal_n": gettext_lazy("Deal {n}"),
    "round_n": gettext_lazy("Round {n}"),
    "sum": gettext_lazy("Sum"),
    "notice_turn": gettext_lazy("It is your turn."),
    "away_turn": gettext_lazy("{title}: your turn"),
}

#: What the scripts of a game with slaps write besides.
SLAP_TEXTS: dict[str, Any] = {
    "slap_locked": gettext_lazy("You may slap again after {n} more cards"),
    "slap_locked_1": gettext_lazy("You may slap again after the next card"),
    "locked_for": gettext_lazy("locked out: {n}"),
    "slap_hint": gettext_lazy("space bar"),
    "slap_sent": gettext_lazy("Your hand is down"),
    "slap_nothing": gettext_lazy("There is nothing to slap now."),
    "handicap": gettext_lazy("+{ms} ms"),
    "handicap_full": gettext_lazy("Calibrated slaps: {ms} ms are given to this hand"),
    "handicap_less": gettext_lazy("less {handicap} ms given"),
    "by_lot": gettext_lazy("as fast: drawn by lot"),
    "practice_ready": gettext_lazy("Hand above the stack…"),
    "practice_again": gettext_lazy("Begin anew"),
    "practice_right": gettext_lazy("right"),
    "practice_done": gettext_lazy("That was the last card."),
    "practice_share": gettext_lazy("you take {share}% of the piles"),
    "verdict_won": gettext_lazy("{name} takes the stack"),
    "verdict_none": gettext_lazy("No pattern: a card is burned"),
    "verdict_burns": gettext_lazy("No pattern: it will cost you a card"),
    "verdict_nobody": gettext_lazy("Nobody slapped in time"),
    "verdict_compare": gettext_lazy("{name} {best} ms – you {mine} ms"),
    "pending": gettext_lazy("so far"),
    "point_mine": gettext_lazy("The next cards are yours to watch"),
    "point_mine_text": gettext_lazy("They come one by one, each only once, until somebody could slap."),
    "point_waits": gettext_lazy("The next cards are being watched"),
    "point_waits_text": gettext_lazy("Everybody watches them when it suits them. Still to come: {names}."),
    "point_asleep": gettext_lazy("Not waited for until they come back: {names}."),
    "asleep": gettext_lazy("asleep"),
    "asleep_full": gettext_lazy("Has missed two slap points and is not waited for until they come back"),
    "point_ready": gettext_lazy("Ready?"),
    "point_ready_text": gettext_lazy("The cards come one by one, each only once. Slap when the stack makes a pattern."),
    "point_again": gettext_lazy("On with the next card"),
    "point_again_text": gettext_lazy("The line was lost, or another device took over: the card that lay open is void."),
    "point_returns": gettext_lazy("You may come back {n} more times."),
    "point_returns_1": gettext_lazy("You may come back once more."),
    "point_returns_0": gettext_lazy("If the line is lost again, the rest counts as not slapped."),
    "point_seen": gettext_lazy("You have seen them all"),
    "point_seen_text": gettext_lazy("The slap is decided when {names} have watched, too."),
    "point_seen_1": gettext_lazy("The slap is decided when {names} has watched, too."),
    "point_others": gettext_lazy("Others watch this time"),
    "point_table": gettext_lazy("On at the table"),
    "point_table_text": gettext_lazy("The match waits for something else than slaps now."),
    "point_next": gettext_lazy("The next cards come in {n} s"),
    "point_go": gettext_lazy("Show me the cards"),
    "point_go_on": gettext_lazy("Go on"),
    "point_now": gettext_lazy("Now"),
    "point_later": gettext_lazy("Later"),
    "point_watching": gettext_lazy("Watch and slap"),
    "point_status": gettext_lazy("Watch the next cards"),
    "point_status_waits": gettext_lazy("Waiting for {names}"),
    "won": gettext_lazy("right and first"),
    "beaten": gettext_lazy("beaten"),
    "wrong": gettext_lazy("wrong"),
    "late": gettext_lazy("late"),
    "early": gettext_lazy("too early"),
    "reaction": gettext_lazy("{ms} ms"),
    "reaction_full": gettext_lazy("{raw} ms, less {credit} ms for the line (ping {ping} ms)"),
}


def script_words(slug: str = "") -> dict[str, Any]:
    """All that is said at the tables of a game in the reader's language: one block for the scripts.

    Without a game it is what any table says, with the cards and suits by their letters.
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
    """What ``move`` says on a button of that game; ``names`` are those of the seats.

    A move that the game has no words for stands for itself.
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
    cards = ", ".join(_card_or_code(code) for code in _CARD.findall(what))
    number = target or rest
    name = names[int(number)] if number.isdigit() and int(number) < len(names) else ""
    return _(moves[verb]).format(card=cards, cards=cards, n=number, name=name)


def zone_title(slug: str, zone: Mapping[str, Any], names: Sequence[str]) -> str:
    """What a zone is called: ``Stock``, ``Ada: hand``, ``Meld 2``."""
    kind, _colon, number = zone["id"].partition(":")
    text = zone_word(slug, kind)
    if "{" in text:
        at = int(number or 0)
        marks, seats = dict(enumerate(SIDE_MARKS)), dict(enumerate(names))
        return text.format(n=number, mark=marks.get(at, ""), name=seats.get(at, ""))
    if zone["owner"] is None:
        return text
    return _("{name}: {zone}").format(name=names[zone["owner"]], zone=text)


def zone_word(slug: str, kind: str) -> str:
    """What zones of a kind are called; what has no word stands for itself."""
    key = _ZONES.get(kind, kind)
    texts = rules.presentation(slug).texts
    return _(texts[key]) if key in texts else str(TEXTS.get(key, kind))


def _card_or_code(code: str) -> str:
    """The name of a card; a joker laid for another card keeps its code beside it."""
    joker, equals, stands_for = code.partition("=")
    if not equals:
        return card_name(code) if code in CODES else code
    what = rank_label(stands_for[0]) if stands_for.endswith("*") else card_name(stands_for)
    return str(TEXTS["joker_as"]).format(joker=card_name(joker), card=what)
