"""The sentences of Game: Armani: events, and reasons against moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from games.engine import TABLE, Event, Move, Seat
from games.engine.text import Name, names_in_text
from games.engine.text import gettext as _
from games.rules.wording import card_name

from .tables import BETS, OVER, TABLE_MOVES, TAKE, WHEN

if TYPE_CHECKING:
    from .rules import ArmaniState


def reason_against(state: ArmaniState, seat: Seat, move: Move) -> str:
    """Why ``seat`` may not make an illegal ``move``: it's unreadable, out of turn, or breaks a rule."""
    if not isinstance(move, str) or move not in WHEN:
        return _("“{move}” isn't a move in Game: Armani.").format(move=move)
    if type(seat) is not int or not TABLE <= seat < state.seats:
        return _("There's no such player at this table.")
    if state.phase == OVER:
        return _("The match is over.")
    if (seat == TABLE) != (move in TABLE_MOVES):
        return _("Only the table does that.") if seat != TABLE else _("The table doesn't play.")
    if state.phase not in WHEN[move]:
        return _in_phase(state.phase)
    if move == "slap":
        return _against_slap(state, seat)
    if seat == TABLE:
        return _against_table(state, move)
    if state.turn == TABLE:
        return _("The pile is won. Wait until it's collected.")
    if seat != state.turn:
        return _("It's not your turn.")
    if state.phase == BETS:
        if move == "fold":
            return _("You bet first, so you can't fold.")
        return _("Your bet must be higher than {points}.").format(points=state.highest_bet())
    if state.phase == TAKE:
        return _("The other team's fan doesn't have {card}.").format(card=card_name(move.partition(":")[2]))
    return _("The dealer must be on the team that gets the cards.")


def _in_phase(phase: str) -> str:
    """Why a move of another phase is refused in ``phase``."""
    return {
        "bets": _("Bet or fold first."),
        "stage1": _("This is Stage 1: flip cards and slap."),
        "choose": _("Choose a fan first."),
        "take": _("First take your cards out of the other team's fan."),
        "dealers": _("First choose a dealer for each team."),
        "stage2": _("This is Stage 2: flip cards and slap."),
    }[phase]


def _against_slap(state: ArmaniState, seat: Seat) -> str:
    if not state.pile:
        return _("There's nothing to slap: no card is face up.")
    cards = state.locks[seat] - state.flips
    if cards == 1:
        return _("You can slap again after the next card.")
    return _("You can slap again after {cards} more cards.").format(cards=cards)


def _against_table(state: ArmaniState, move: Move) -> str:
    if move == "close":
        return _("The pile isn't won yet.")
    if not state.pile:
        return _("There's no face-up pile to burn a card under.")
    return _("That player has no card to burn.")


def say(event: Event, names: Sequence[str]) -> str:
    """One sentence about ``event``, with ``names`` by seat. Raises ``KeyError`` for an unknown kind."""
    names = names_in_text(names)
    return _SENTENCES[event.kind](_name(event.seat, names), event.data, names)


def _name(seat: Seat | None, names: Sequence[str]) -> str:
    return "" if seat is None else names[seat]


def _join(seats: Sequence[Seat], names: Sequence[str]) -> str:
    return ", ".join(names[seat] for seat in seats)


def _side(seats: Sequence[Seat], names: Sequence[str]) -> str:
    """A team's name in a sentence: the reader who plays alone is "you"."""
    return names[seats[0]] if len(seats) == 1 else Name(_join(seats, names))


def _fold(name: str, data: Mapping[str, Any], names: Sequence[str]) -> str:
    text = (
        _("{name:* folds|You fold}, because the bet can't go higher.")
        if data["forced"]
        else _("{name:* folds|You fold}.")
    )
    return text.format(name=name)


def _colour(name: str, data: Mapping[str, Any], names: Sequence[str]) -> str:
    text = (
        _("{name:* has|You have} a red top card.")
        if data["colour"] == "red"
        else _("{name:* has|You have} a black top card.")
    )
    return text.format(name=name)


def _duel(name: str, data: Mapping[str, Any], names: Sequence[str]) -> str:
    if data["chances"] == 1:
        text = _("{name:* has|You have} one chance to answer {by:*|you} with a face card.")
    else:
        text = _("{name:* has|You have} {chances} chances to answer {by:*|you} with a face card.")
    return text.format(name=name, chances=data["chances"], by=names[data["by"]])


def _winning(name: str, data: Mapping[str, Any], names: Sequence[str]) -> str:
    text = {
        "duel": _("No face card came: the pile goes to {name:*|you}."),
        "last_card": _("Only {name:*|you} had cards left: the pile goes to {name:*|you}."),
        "nobody_can_play": _("No cards are left to play: the pile goes to {name:*|you}."),
    }[data["by"]]
    return text.format(name=name)


def _slap(name: str, data: Mapping[str, Any], names: Sequence[str]) -> str:
    text = (
        _("{name:* slaps|You slap}, and it counts.")
        if data["right"]
        else _("{name:* slaps|You slap}, but there's no pattern.")
    )
    return text.format(name=name)


def _power(name: str, data: Mapping[str, Any], names: Sequence[str]) -> str:
    if data["kept"]:
        text = _("The bet of {bet} is kept: {name:* chooses|you choose} the cards for Stage 2.")
    else:
        text = _("The bet of {bet} failed: {name:* chooses|you choose} the cards for Stage 2.")
    return text.format(bet=data["bet"], name=name)


def _choose(name: str, data: Mapping[str, Any], names: Sequence[str]) -> str:
    if data["fan"] == "own":
        text = _("{name:*'s team keeps|Your team keeps} the cards that it won.")
    else:
        text = _("{name:* takes|You take} the cards that the other team won.")
    return text.format(name=name)


def _stage(name: str, data: Mapping[str, Any], names: Sequence[str]) -> str:
    return _("Stage {stage} begins.").format(stage=data["stage"])


def _count(name: str, data: Mapping[str, Any], names: Sequence[str]) -> str:
    first, second = (_join(side, names) for side in data["teams"])
    return _("Points of the final lap: {first} {points}, {second} {others}.").format(
        first=first, points=data["points"][0], second=second, others=data["points"][1]
    )


def _over(name: str, data: Mapping[str, Any], names: Sequence[str]) -> str:
    text = {
        "all_cards": _("All 52 cards: the match goes to {side:*|you}."),
        "last_card": _("The other team is out of cards: the match goes to {side:*|you}."),
        "final_lap": _("The final lap is counted: the match goes to {side:*|you}."),
    }[data["reason"]]
    return text.format(side=_side(data["seats"], names))


def _teams(name: str, data: Mapping[str, Any], names: Sequence[str]) -> str:
    first, second = (_join(side, names) for side in data["teams"])
    return _("{first} against {second}.").format(first=first, second=second)


def _fan(name: str, data: Mapping[str, Any], names: Sequence[str]) -> str:
    cards, points = len(data["cards"]), data["points"]
    if cards == 1:
        text = _("{side:*|You}: one card. Points in Stage 1: {points}.")
    else:
        text = _("{side:*|You}: {cards} cards. Points in Stage 1: {points}.")
    return text.format(side=_side(data["seats"], names), cards=cards, points=points)


def _collect(name: str, data: Mapping[str, Any], names: Sequence[str]) -> str:
    if len(data["cards"]) == 1:
        return _("{name:* collects|You collect} one card.").format(name=name)
    return _("{name:* collects|You collect} {cards} cards.").format(name=name, cards=len(data["cards"]))


def _rest(name: str, data: Mapping[str, Any], names: Sequence[str]) -> str:
    if data["cards"] == 1:
        return _("{name:* also sets|You also set} aside the last card of the stack.").format(name=name)
    return _("{name:* also sets|You also set} aside the {cards} cards left in the stack.").format(
        name=name, cards=data["cards"]
    )


def _deal(name: str, data: Mapping[str, Any], names: Sequence[str]) -> str:
    if data["cards"] == 1:
        return _("{name:* is|You're} dealt one card.").format(name=name)
    return _("{name:* is|You're} dealt {cards} cards.").format(name=name, cards=data["cards"])


def _dealer(name: str, data: Mapping[str, Any], names: Sequence[str]) -> str:
    return _("{name:* chooses|You choose} {dealer} to deal.").format(name=name, dealer=names[data["dealer"]])


_SENTENCES: dict[str, Callable[[str, Mapping[str, Any], Sequence[str]], str]] = {
    "bet": lambda name, data, names: _("{name:* bets|You bet} {points}.").format(name=name, points=data["points"]),
    "fold": _fold,
    "bets_over": lambda name, data, names: _("{name:* has|You have} the highest bet: {points}.").format(
        name=name, points=data["points"]
    ),
    "look": lambda name, data, names: _("{name:* looks|You look} at the top card of the stack: {card}.").format(
        name=name, card=card_name(data["card"])
    ),
    "colour": _colour,
    "teams": _teams,
    "stage": _stage,
    "lead": lambda name, data, names: _("{name:* leads|You lead}.").format(name=name),
    "flip": lambda name, data, names: _("{name:* plays|You play} {card}.").format(
        name=name, card=card_name(data["card"])
    ),
    "duel": _duel,
    "winning": _winning,
    "slap": _slap,
    "burn": lambda name, data, names: _("{name:* pays|You pay} a card: {card} goes under the pile.").format(
        name=name, card=card_name(data["card"])
    ),
    "collect": _collect,
    "rest": _rest,
    "fan": _fan,
    "power": _power,
    "choose": _choose,
    "take": lambda name, data, names: _("{name:* also takes|You also take} {card} from the other cards.").format(
        name=name, card=card_name(data["card"])
    ),
    "shuffle": lambda name, data, names: _("Each team's cards are shuffled."),
    "dealer": _dealer,
    "deal": _deal,
    "final_lap": lambda name, data, names: _("The final lap begins: piles you win now are set aside."),
    "count": _count,
    "over": _over,
}
