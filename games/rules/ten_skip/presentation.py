"""The presentation of Ten-Skip Challenge."""

from collections.abc import Sequence

from games.engine import HELD, Event, Fact, Length, Move, Presentation, View
from games.engine.text import gettext as _
from games.engine.text import gettext_noop
from games.rules.wording import card_name


def _facts(view: View, names: Sequence[str]) -> Sequence[Fact]:
    facts = view.facts
    found = [Fact(_("Round"), str(facts["round"])), Fact(_("Out at"), str(facts["options"]["limit"]))]
    if facts["notice"] is not None:
        found.append(Fact(_("Claimed by"), names[facts["notice"]]))
    if facts["offer"]:
        found.append(Fact(_("Offered"), card_name(facts["offer"])))
    return found


def _result(view: View, names: Sequence[str], events: Sequence[Event]) -> Sequence[str]:
    doubled = {event.seat for event in events if event.kind == "lose" and event.data["doubled"]}
    return [
        _why(view, seat.seat) + (f", {_('the last hand doubled for a pair')}" if seat.seat in doubled else "")
        for seat in view.seats
    ]


def _why(view: View, seat: int) -> str:
    facts = view.facts
    score, gone = facts["scores"][seat], facts["out_in"][seat]
    if gone is not None:
        return _("eliminated in round {round} with {score} (limit {limit})").format(
            round=gone, score=score, limit=facts["options"]["limit"]
        )
    if facts["out_in"].count(None) == 1:
        return _("last player left, with {score}").format(score=score)
    return _("still in after {round} rounds, with {score}").format(round=facts["round"], score=score)


def _plannable(hand: Sequence[str]) -> Sequence[Move]:
    return [f"discard:{code}" for code in hand]


PRESENTATION = Presentation(
    moves={
        "discard": gettext_noop("Discard {card}"),
        "pass": gettext_noop("Pass"),
        "challenge": gettext_noop("Challenge the claim"),
        "claim": gettext_noop("Claim a ten-skip hand"),
        "end": gettext_noop("End your turn"),
        "keep": gettext_noop("Keep {card}"),
        "swap": gettext_noop("Offer {card} to {name}"),
        "give": gettext_noop("Give {card}"),
        "top": gettext_noop("Leave {card} on top"),
        "show": gettext_noop("Show the hand"),
        "hide": gettext_noop("Keep the hand hidden"),
    },
    prompts={
        ("discard", "challenge"): gettext_noop("Challenge the claim, or go on with a card."),
        ("challenge",): gettext_noop("Challenge the claim, or let it pass."),
        ("discard", "swap"): gettext_noop("Discard a card, or offer one in exchange."),
        ("discard",): gettext_noop("Discard a card."),
        ("swap",): gettext_noop("Offer a card in exchange."),
        ("give",): gettext_noop("Give a card in exchange."),
        ("keep",): gettext_noop("Keep one of the cards that you have drawn."),
        ("top",): gettext_noop("Choose the card that stays on top."),
        ("claim", "end"): gettext_noop("Claim a ten-skip hand, or end your turn."),
        ("show", "hide"): gettext_noop("Show your hand, or keep it hidden."),
        ("pass",): gettext_noop("Pass, or see what else you can do."),
    },
    coach={
        ("discard", "challenge"): gettext_noop(
            "Do you believe the claim? Challenge it, or choose a card to get rid of."
        ),
        ("challenge",): gettext_noop("Do you believe the claim? Challenge it, or let it pass."),
        ("discard", "swap"): gettext_noop(
            "A hand such as 3-5-7-9 wins. Discard a card, or make another player take it."
        ),
        ("claim", "end"): gettext_noop("Claim a hand such as 3-5-7-9, even if you don't have it, or end your turn."),
        ("keep",): gettext_noop("Keep one of the two cards you drew. You want every second number."),
    },
    texts={
        "drawn": gettext_noop("The two drawn cards"),
        "round": gettext_noop("Round"),
        "notice": gettext_noop("Claimed by"),
        "offer": gettext_noop("Offered"),
        "limit": gettext_noop("Out at"),
        "get_rid": gettext_noop("How do you get rid of {card}?"),
        "discard_draw": gettext_noop("Discard it and draw two"),
        "give_to": gettext_noop("Make {name} take it"),
        "keeps": gettext_noop("You keep {card}; {other} goes on the discard pile."),
        "notice_mine": gettext_noop("You claim a ten-skip hand."),
        "notice_by": gettext_noop("You're on notice: {name} claims a ten-skip hand."),
        "on_notice": gettext_noop("claims"),
        "safe": gettext_noop("safe this round"),
        "keep_task": gettext_noop("Your turn: keep one card"),
        "give_task": gettext_noop("Your turn: give {name} a card"),
        "end_task": gettext_noop("Your turn: claim a hand, or stop"),
        "top_task": gettext_noop("Your turn: which card goes on top?"),
        "show_task": gettext_noop("Show your hand?"),
        "moment_claim": gettext_noop("You’re on notice!"),
        "moment_claim_mine": gettext_noop("The others are on notice!"),
        "moment_claim_by": gettext_noop("{name:* claims|You claim} a ten-skip hand."),
        "moment_challenge": gettext_noop("You’re dead to me!"),
        "moment_challenge_by": gettext_noop("{name:* challenges|You challenge} {claimer:*|you}."),
        "moment_offer": gettext_noop("Get a load of this!"),
        "moment_offer_by": gettext_noop("{name} makes you take a card."),
        "moment_you_gave": gettext_noop("You gave it to {name}."),
        "moment_you_got": gettext_noop("{name} gave it to you."),
    },
    facts=_facts,
    result=_result,
    option_names={"limit": gettext_noop("points that put you out"), "one_claim": gettext_noop("one claimer a round")},
    ai_levels=gettext_noop("Hard bluffs, and believes few bluffs. The levels are far apart."),
    length=Length(decisions={2: 270, 5: 320, 6: 450}, per_turn=2, scale="limit"),
    plannable=_plannable,
    open_zones=("discard", "drawn"),
    top_only=frozenset({"discard"}),
    scripts=("games/ten-skip",),
    sorts_by_rank=True,
    rests={"deal": HELD, "over": HELD},
)
