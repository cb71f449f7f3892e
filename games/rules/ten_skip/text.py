"""The sentences of Ten-Skip Challenge: events, and reasons against moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from games.engine import Event, Move, Seat
from games.engine.cards import CODES
from games.engine.text import gettext as _
from games.engine.text import names_in_text
from games.rules.wording import card_name, card_names, listing

from .tables import END, GIVE, KEEP, OVER, READABLE, SHOW, TOP, TURN, VERBS

if TYPE_CHECKING:
    from .rules import TenSkipState


def refusal(state: TenSkipState, seat: Seat, move: Move) -> str:
    """Why ``move`` isn't legal."""
    if not isinstance(move, str) or move not in READABLE:
        return _("That's not a move in Ten-Skip Challenge.")
    if state.phase == OVER:
        return _("The match is over.")
    if seat not in state.to_move():
        return _("It's not your turn.")
    verb, card, victim = READABLE[move]
    if verb not in VERBS[state.phase]:
        return _asked(state.phase)
    if verb == "challenge":
        return _("No one has claimed a hand.")
    if verb == "pass":
        return _("You can pass only if you can't draw or swap.")
    if verb == "keep":
        return _("You didn't draw {card}.").format(card=card_name(CODES[card]))
    if card not in state.hands[seat]:
        return _("You don't have {card}.").format(card=card_name(CODES[card]))
    if verb == "discard":
        return _("The stock is empty, so you can only swap.")
    if victim == seat:
        return _("You can't swap with yourself.")
    if victim == state.notice:
        return _("That player has claimed a hand, so you can't touch those cards.")
    return _("That player isn't in this round.")


def _asked(phase: str) -> str:
    """What the seat to move has to choose in this phase."""
    return {
        TURN: _("It's your turn. Discard a card, swap one or challenge."),
        KEEP: _("Choose which of the two cards to keep."),
        GIVE: _("Choose a card to give."),
        END: _("Claim a ten-skip hand, or end your turn."),
        TOP: _("Choose which of your cards goes on top of the discard pile."),
        SHOW: _("You've won the round. Show your hand, or keep it hidden."),
    }[phase]


def sentence(event: Event, names: Sequence[str]) -> str:
    """One sentence about ``event``, with ``names`` by seat. Raises ``ValueError`` for another game's event."""
    data, names = event.data, names_in_text(names)
    name = "" if event.seat is None else names[event.seat]
    match event.kind:
        case "deal":
            return _("Round {round}: {name:* deals|you deal} {count} cards to each.").format(
                round=data["round"], name=name, count=data["cards"]
            )
        case "dealt":
            return _("{name:* has|You have} {cards}.").format(name=name, cards=card_names(data["cards"]))
        case "discard":
            return _("{name:* discards|You discard} {card}.").format(name=name, card=card_names(data["cards"]))
        case "draw":
            if data["cards"] == 1:
                return _("{name:* takes|You take} the last card of the stock.").format(name=name)
            return _("{name:* draws|You draw} two cards.").format(name=name)
        case "drawn":
            return _("{name:* has|You have} drawn {cards}.").format(name=name, cards=card_names(data["cards"]))
        case "keep":
            return _("{name:* keeps|You keep} one of the two.").format(name=name)
        case "reject":
            return _("{name:* puts|You put} {card} on the discard pile.").format(
                name=name, card=card_names(data["cards"])
            )
        case "offer":
            return _("{name:* swaps|You swap} with {victim:*|you}: “Get a load of this, {card}!”").format(
                name=name, victim=names[data["victim"]], card=card_name(data["card"])
            )
        case "give":
            return _("{name:* gives|You give} {taker:*|you} a card.").format(name=name, taker=names[data["taker"]])
        case "given":
            return _("{name:* has|You have} given {taker:*|you} {card}.").format(
                name=name, taker=names[data["taker"]], card=card_names(data["cards"])
            )
        case "take":
            return _("{name:* takes|You take} {card}.").format(name=name, card=card_names(data["cards"]))
        case "pass":
            return _("{name:* can't take a card, and passes|You can't take a card, and pass}.").format(name=name)
        case "end":
            return _("{name:* doesn't|You don't} claim.").format(name=name)
        case "claim":
            return _("{name:* claims|You claim} a ten-skip hand.").format(name=name)
    return _of_an_ending(event, names)


def _of_an_ending(event: Event, names: Sequence[str]) -> str:
    """One sentence about a challenge, or the end of a round or match."""
    data = event.data
    name = "" if event.seat is None else names[event.seat]
    match event.kind:
        case "challenge":
            return _("{name:* challenges|You challenge} {claimer:*|you}: “You're dead to me!”").format(
                name=name, claimer=names[data["claimer"]]
            )
        case "show":
            return _("{name:* shows|You show} {cards}.").format(name=name, cards=card_names(data["cards"]))
        case "hide":
            return _("{name:* doesn't|You don't} show the hand.").format(name=name)
        case "safe":
            return _(
                "{claimer:* doesn't|You don't} have a ten-skip hand. {name:* is|You're} safe for this round."
            ).format(name=name, claimer=names[data["claimer"]])
        case "leave":
            return _("{name:* leaves|You leave} {card} on top of the discard pile.").format(
                name=name, card=card_name(data["cards"][-1])
            )
        case "round_over":
            return f"{_why_round_ended(data['reason'])} {_who_lost([names[seat] for seat in data['losers']])}"
        case "lose":
            if data["doubled"]:
                return _(
                    "{name:* gets|You get} {points} points, doubled for a pair, and now {name:has|have} {score}."
                ).format(name=name, points=data["points"], score=data["score"])
            return _("{name:* gets|You get} {points} points and now {name:has|have} {score}.").format(
                name=name, points=data["points"], score=data["score"]
            )
        case "eliminated":
            return _("{name:* is|You're} out of the match.").format(name=name)
        case "over":
            winners = listing([names[seat] for seat in data["winners"]])
            if len(data["winners"]) == 1:
                return _("{name:* wins|You win} the match.").format(name=winners)
            return _("{names} share the win.").format(names=winners)
    raise ValueError(f"Ten-Skip Challenge has no event {event.kind}")


def _why_round_ended(reason: str) -> str:
    return {
        "unchallenged": _("No one challenged the claim."),
        "challenge_wrong": _("The hand was real."),
        "last_in_round": _("All others are safe."),
        "no_draw_pile": _("The stock is used up."),
        "swaps": _("No one has drawn a card for a long time."),
    }[reason]


def _who_lost(losers: Sequence[str]) -> str:
    if len(losers) == 1:
        return _("{name:* loses|You lose} the round.").format(name=losers[0])
    return _("These players lose the round: {losers}.").format(losers=listing(losers))
