"""The words of the table page: what its buttons and marks say. Pages and scripts fill in the same sentences."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.engine import Move
from games.engine.cards import CODES
from games.rules.wording import card_name, suit_name

#: Moves by verb, or by the whole move; ``verb#`` is the form with a number or a second part.
MOVES: Mapping[str, Any] = {
    "play": gettext_lazy("Play {card}"),
    "play#": gettext_lazy("Play {card} and name {suit}"),
    "flip": gettext_lazy("Ask for the next card"),
    "slap": gettext_lazy("Slap"),
    "bet": gettext_lazy("Bet {n}"),
    "fold": gettext_lazy("Fold"),
    "fan:own": gettext_lazy("Keep our own fan"),
    "fan:other": gettext_lazy("Take the other fan"),
    "take": gettext_lazy("Take {card}"),
    "take#": gettext_lazy("Take the top {n} of the pile"),
    "dealer": gettext_lazy("{name} deals"),
    "snow": gettext_lazy("Snow: draw a card"),
    "lay:1": gettext_lazy("Lay one {rank}"),
    "lay:n": gettext_lazy("Lay {n} of rank {rank}"),
    "draw": gettext_lazy("Draw"),
    "draw:stock": gettext_lazy("Draw from the stock"),
    "draw:discard": gettext_lazy("Take the discarded card"),
    "meld": gettext_lazy("Meld {cards}"),
    "lay": gettext_lazy("Add {cards} to meld {n}"),
    "discard": gettext_lazy("Discard {card}"),
    "pass": gettext_lazy("Pass"),
    "challenge": gettext_lazy("Challenge the claim"),
    "claim": gettext_lazy("Claim a ten-skip hand"),
    "end": gettext_lazy("End the turn without a claim"),
    "keep": gettext_lazy("Keep {card}"),
    "swap": gettext_lazy("Offer {card} to {name}"),
    "give": gettext_lazy("Give {card}"),
    "top": gettext_lazy("Leave {card} on top"),
    "show": gettext_lazy("Show the hand"),
    "hide": gettext_lazy("Keep the hand hidden"),
}

#: Everything else that a script of the table writes.
TEXTS: Mapping[str, Any] = {
    "you": gettext_lazy("You"),
    "your_turn": gettext_lazy("Your turn"),
    "turn_of": gettext_lazy("{name} is on turn"),
    "choosing": gettext_lazy("{names} are choosing"),
    "table_turn": gettext_lazy("The hand is being collected"),
    "over": gettext_lazy("The match is over"),
    "ai_level": gettext_lazy("AI player, {level}"),
    "easy": gettext_lazy("easy"),
    "medium": gettext_lazy("medium"),
    "hard": gettext_lazy("hard"),
    "online": gettext_lazy("at the table"),
    "offline": gettext_lazy("away"),
    "resigned": gettext_lazy("resigned; an AI player goes on"),
    "side": gettext_lazy("Side {mark}"),
    "points": gettext_lazy("{n} points"),
    "cards": gettext_lazy("{n} cards"),
    "card_1": gettext_lazy("1 card"),
    "no_cards": gettext_lazy("no cards"),
    "face_down": gettext_lazy("a card face down"),
    "place": gettext_lazy("Place {n}"),
    "out": gettext_lazy("out"),
    "dealer": gettext_lazy("dealer"),
    "lost": gettext_lazy("The connection is lost. Coming back…"),
    "back": gettext_lazy("Connected again."),
    "signed_out": gettext_lazy("You are no longer logged in here. Reload the page."),
    "all_moves": gettext_lazy("All {n} moves"),
    "cancel": gettext_lazy("Cancel"),
    "cannot": gettext_lazy("No move uses this card now."),
    "cannot_turn": gettext_lazy("It is not your turn."),
    "cannot_with": gettext_lazy("No move uses this card together with those chosen."),
    "must_follow": gettext_lazy("You hold {suit}, which was led: follow it."),
    "less": gettext_lazy("Less"),
    "more": gettext_lazy("More"),
    "number": gettext_lazy("Number"),
    "your_hand": gettext_lazy("Your hand"),
    "slap_locked": gettext_lazy("You may slap again after {n} more cards"),
    "slap_locked_1": gettext_lazy("You may slap again after the next card"),
    "locked_for": gettext_lazy("locked out: {n}"),
    "slap_hint": gettext_lazy("space bar"),
    "slap_sent": gettext_lazy("Your hand is down"),
    "slap_nothing": gettext_lazy("There is nothing to slap now."),
    "slap_pending": gettext_lazy("{names}: hand on the stack…"),
    "verdict_won": gettext_lazy("{name} takes the stack"),
    "verdict_none": gettext_lazy("No pattern: a card is burned"),
    "won": gettext_lazy("right and first"),
    "beaten": gettext_lazy("beaten"),
    "wrong": gettext_lazy("wrong"),
    "late": gettext_lazy("late"),
    "early": gettext_lazy("too early"),
    "reaction": gettext_lazy("{ms} ms"),
    "reaction_full": gettext_lazy("{raw} ms, less {credit} ms for the line (ping {ping} ms)"),
    "winning": gettext_lazy("The hand will be {name}'s"),
    "duel": gettext_lazy("{name} must answer {by}: {n} chances"),
    "duel_1": gettext_lazy("{name} must answer {by}: one chance"),
    "final_lap": gettext_lazy("Final lap"),
    "stage1": gettext_lazy("Stage 1"),
    "stage2": gettext_lazy("Stage 2"),
    "bets": gettext_lazy("The bets"),
    "choose": gettext_lazy("Choosing Power"),
    "take": gettext_lazy("Taking cards"),
    "dealers": gettext_lazy("Naming dealers"),
    "your_bet": gettext_lazy("How many points will your side win by?"),
    "your_bet_task": gettext_lazy("Your turn: bet or fold"),
    "choose_task": gettext_lazy("Your turn: choose a fan"),
    "take_task": gettext_lazy("Your turn: take a card"),
    "dealers_task": gettext_lazy("Your turn: name a dealer"),
    "highest_bet": gettext_lazy("highest bet"),
    "bet_of": gettext_lazy("bet {n}"),
    "folded": gettext_lazy("folded"),
    "burned": gettext_lazy("{n} burned below"),
    "may_slap": gettext_lazy("What may be slapped"),
    "pair": gettext_lazy("pairs"),
    "sandwich": gettext_lazy("sandwiches"),
    "top_bottom": gettext_lazy("top and bottom"),
    "marriage": gettext_lazy("marriages"),
    "queen_of_spades": gettext_lazy("the queen of spades"),
    "run": gettext_lazy("runs"),
    "own_draw": gettext_lazy("The card you looked at"),
    "chances": gettext_lazy("{n} chances in duels"),
    "take_left": gettext_lazy("cards to take"),
    "fan_of": gettext_lazy("Fan of side {mark}"),
    "stage1_points": gettext_lazy("Stage 1"),
    "stack": gettext_lazy("stack"),
    "wins": gettext_lazy("won"),
    "pile": gettext_lazy("Face-up stack"),
    "hand": gettext_lazy("hand"),
    "deck": gettext_lazy("deck"),
    "store": gettext_lazy("stored"),
    "taken": gettext_lazy("taken"),
    "stock": gettext_lazy("Stock"),
    "discard": gettext_lazy("Discard pile"),
    "main": gettext_lazy("Main card"),
    "trick": gettext_lazy("Trick"),
    "last_trick": gettext_lazy("Last trick"),
    "battleground": gettext_lazy("{name} in the battle"),
    "avalanche": gettext_lazy("Avalanche"),
    "stopped": gettext_lazy("Stopped avalanches"),
    "drawn": gettext_lazy("The two drawn"),
    "meld": gettext_lazy("Meld {n}"),
    "melds": gettext_lazy("On the table"),
    "no_melds": gettext_lazy("Nothing is melded yet."),
    "trump": gettext_lazy("Trumps"),
    "led": gettext_lazy("Led"),
    "nothing_led": gettext_lazy("nothing yet"),
    "deal": gettext_lazy("Deal"),
    "round": gettext_lazy("Round"),
    "battle": gettext_lazy("Battle"),
    "war": gettext_lazy("War"),
    "totals": gettext_lazy("Totals"),
    "last_lay": gettext_lazy("Last lay"),
    "last_lay_of": gettext_lazy("{n} × {rank} by {name}"),
    "joker": gettext_lazy("joker"),
    "must": gettext_lazy("Use in this turn"),
    "depth": gettext_lazy("How many cards from the top of the pile?"),
    "reference": gettext_lazy("Reference suit"),
    "required": gettext_lazy("Required"),
    "anything": gettext_lazy("any card"),
    "penalty": gettext_lazy("Penalty"),
    "penalty_n": gettext_lazy("draw {n}"),
    "direction": gettext_lazy("Direction"),
    "clockwise": gettext_lazy("clockwise"),
    "counter": gettext_lazy("counter-clockwise"),
    "red": gettext_lazy("red"),
    "black": gettext_lazy("black"),
    "notice": gettext_lazy("Claimed by"),
    "offer": gettext_lazy("Offered"),
    "target": gettext_lazy("Target"),
    "limit": gettext_lazy("Limit"),
    "result_won": gettext_lazy("You win!"),
    "result_won_side": gettext_lazy("Your side wins!"),
    "result_tied": gettext_lazy("You share first place."),
    "result_place": gettext_lazy("You come in place {n}."),
    "result_lost_side": gettext_lazy("The other side wins."),
    "result_by": gettext_lazy("{names} won."),
    "reason_resignation": gettext_lazy("A player resigned."),
    "rematch_there": gettext_lazy("A rematch is waiting: sit down"),
    "away_turn": gettext_lazy("{title}: your turn"),
}


def script_words() -> dict[str, Any]:
    """All of it in the reader's language, with the cards and suits by their letters: one block for the scripts."""
    return {
        "moves": {key: str(text) for key, text in MOVES.items()},
        "texts": {key: str(text) for key, text in TEXTS.items()},
        "cards": {code: card_name(code) for code in CODES},
        "suits": {suit: suit_name(suit) for suit in "CDHS"},
    }


_CARD = re.compile(r"(?:[RB]J=)?(?:[A2-9TJQK][CDHS*])|[RB]J")


def move_label(move: Move, names: Sequence[str]) -> str:
    """What ``move`` says on a button; ``names`` are those of the seats. An unknown move stands for itself."""
    verb, _colon, rest = move.partition(":")
    if move in MOVES:
        return str(MOVES[move])
    if verb == "take" and rest.isdigit():
        return str(MOVES["take#"]).format(n=rest)
    if verb == "play" and "/" in rest:
        card, _slash, suit = rest.partition("/")
        return str(MOVES["play#"]).format(card=card_name(card), suit=suit_name(suit))
    if verb == "bet":
        return str(MOVES["bet"]).format(n=rest)
    if verb == "dealer":
        return str(MOVES["dealer"]).format(name=names[int(rest)])
    if verb == "lay" and "@" not in rest:
        rank, _x, number = rest.partition("x")
        return str(MOVES["lay:1" if number == "1" else "lay:n"]).format(n=number, rank=rank_label(rank))
    if verb in ("lay", "meld", "swap"):
        cards, _at, target = rest.partition("@")
        names_of = ", ".join(_card_or_code(code) for code in _CARD.findall(cards))
        name = names[int(target)] if verb == "swap" else ""
        return str(MOVES[verb]).format(cards=names_of, card=names_of, n=target, name=name)
    if verb in MOVES:
        return str(MOVES[verb]).format(card=_card_or_code(rest))
    return move


def rank_label(rank: str) -> str:
    """A rank as people read it: ``10`` for ``T``, the joker for Avalanche's ``X``."""
    return {"T": "10", "X": _("joker")}.get(rank, rank)


def _card_or_code(code: str) -> str:
    """The name of a card; a joker laid for another card keeps its code beside it."""
    joker, equals, stands_for = code.partition("=")
    if not equals:
        return card_name(code) if code in CODES else code
    what = rank_label(stands_for[0]) if stands_for.endswith("*") else card_name(stands_for)
    return _("{joker} as {card}").format(joker=card_name(joker), card=what)
