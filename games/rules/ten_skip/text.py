"""Ten-Skip Challenge in sentences: what happened, and why a move may not be made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from games.engine import Event, Move, Seat
from games.engine.cards import CODES
from games.engine.text import gettext as _
from games.rules.wording import card_name, card_names, listing

from .tables import END, GIVE, KEEP, OVER, READABLE, SHOW, TOP, TURN, VERBS

if TYPE_CHECKING:
    from .rules import TenSkipState


def refusal(state: TenSkipState, seat: Seat, move: Move) -> str:
    """Why ``move``, which is not legal, is not."""
    if not isinstance(move, str) or move not in READABLE:
        return _("That is not a move of Ten-Skip Challenge.")
    if state.phase == OVER:
        return _("The match is over.")
    if seat not in state.to_move():
        return _("It is not your turn.")
    verb, card, victim = READABLE[move]
    if verb not in VERBS[state.phase]:
        return _asked(state.phase)
    if verb == "challenge":
        return _("Nobody is on notice.")
    if verb == "pass":
        return _("You may pass only when you can neither draw nor swap.")
    if verb == "keep":
        return _("You did not draw {card}.").format(card=card_name(CODES[card]))
    if card not in state.hands[seat]:
        return _("You do not have {card}.").format(card=card_name(CODES[card]))
    if verb == "discard":
        return _("The draw pile is used up: you can only swap.")
    if victim == seat:
        return _("You can't swap with yourself.")
    if victim == state.notice:
        return _("That player is on notice: those cards are off limits.")
    return _("That player is not in this round.")


def _asked(phase: str) -> str:
    """What the seat to move has to choose in that phase."""
    return {
        TURN: _("It is your turn: discard a card, swap one or challenge."),
        KEEP: _("Choose which of the two cards you keep."),
        GIVE: _("Choose the card that you give."),
        END: _("Claim a made hand or end your turn."),
        TOP: _("Choose which of your cards lies on top of the discard pile."),
        SHOW: _("You have won the round: show your hand or hide it."),
    }[phase]


def sentence(event: Event, names: Sequence[str]) -> str:
    """One sentence about ``event``, with ``names`` by seat. Raises ``ValueError`` for an event of another game."""
    data = event.data
    name = "" if event.seat is None else names[event.seat]
    match event.kind:
        case "deal":
            return _("Round {round}: {name} deals {count} cards to each.").format(
                round=data["round"], name=name, count=data["cards"]
            )
        case "dealt":
            return _("{name} has {cards}.").format(name=name, cards=card_names(data["cards"]))
        case "discard":
            return _("{name} discards {card}.").format(name=name, card=card_names(data["cards"]))
        case "draw":
            if data["cards"] == 1:
                return _("{name} takes the last card of the draw pile.").format(name=name)
            return _("{name} draws two cards.").format(name=name)
        case "drawn":
            return _("{name} has drawn {cards}.").format(name=name, cards=card_names(data["cards"]))
        case "keep":
            return _("{name} keeps one of the two.").format(name=name)
        case "reject":
            return _("{name} puts {card} on the discard pile.").format(name=name, card=card_names(data["cards"]))
        case "offer":
            return _("{name} to {victim}: get a load of this, {card}!").format(
                name=name, victim=names[data["victim"]], card=card_name(data["card"])
            )
        case "give":
            return _("{name} gives {taker} a card.").format(name=name, taker=names[data["taker"]])
        case "given":
            return _("{name} has given {taker} {card}.").format(
                name=name, taker=names[data["taker"]], card=card_names(data["cards"])
            )
        case "take":
            return _("{name} takes {card}.").format(name=name, card=card_names(data["cards"]))
        case "pass":
            return _("{name} can take no card and passes.").format(name=name)
        case "end":
            return _("{name} claims nothing.").format(name=name)
        case "claim":
            return _("{name} puts the table on notice.").format(name=name)
    return _of_an_ending(event, names)


def _of_an_ending(event: Event, names: Sequence[str]) -> str:
    """One sentence about a challenge, or about the end of a round or of the match."""
    data = event.data
    name = "" if event.seat is None else names[event.seat]
    match event.kind:
        case "challenge":
            return _("{name} challenges {claimer}: you're dead to me!").format(
                name=name, claimer=names[data["claimer"]]
            )
        case "show":
            return _("{name} shows {cards}.").format(name=name, cards=card_names(data["cards"]))
        case "hide":
            return _("{name} does not show the hand.").format(name=name)
        case "safe":
            return _("{claimer} has no made hand: {name} is safely out of the round.").format(
                name=name, claimer=names[data["claimer"]]
            )
        case "leave":
            return _("{name} leaves {card} on top of the discard pile.").format(
                name=name, card=card_name(data["cards"][-1])
            )
        case "round_over":
            losers = listing([names[seat] for seat in data["losers"]])
            return _why_round_ended(data["reason"]).format(losers=losers)
        case "lose":
            if data["doubled"]:
                return _("{name} adds {points} points, doubled for a pair, and has {score}.").format(
                    name=name, points=data["points"], score=data["score"]
                )
            return _("{name} adds {points} points and has {score}.").format(
                name=name, points=data["points"], score=data["score"]
            )
        case "eliminated":
            return _("{name} is out of the match.").format(name=name)
        case "over":
            winners = listing([names[seat] for seat in data["winners"]])
            if len(data["winners"]) == 1:
                return _("{name} wins the match.").format(name=winners)
            return _("{names} share the win.").format(names=winners)
    raise ValueError(f"Ten-Skip Challenge has no event {event.kind}")


def _why_round_ended(reason: str) -> str:
    return {
        "unchallenged": _("The claim was not challenged; losing the round: {losers}."),
        "challenge_wrong": _("The hand is made; losing the round: {losers}."),
        "last_in_round": _("Only one is left in the round and loses it: {losers}."),
        "no_draw_pile": _("The draw pile is used up; losing the round: {losers}."),
        "swaps": _("Nobody has drawn a card for too long; losing the round: {losers}."),
    }[reason]
