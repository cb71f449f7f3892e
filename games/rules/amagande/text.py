"""The sentences of Amagande's events."""

from collections.abc import Sequence

from games.engine import Event
from games.engine.text import gettext as _
from games.engine.text import names_in_text
from games.rules.wording import card_names, listing, suit_name


def say(event: Event, names: Sequence[str]) -> str:
    """One sentence about ``event``, with ``names`` by seat."""
    data, names = event.data, names_in_text(names)
    name = "" if event.seat is None else names[event.seat]
    match event.kind:
        case "play":
            if data["suit"] is not None:
                return _("{name:* plays|You play} {card} and {name:chooses|choose} {suit}.").format(
                    name=name, card=card_names(data["cards"]), suit=suit_name(data["suit"])
                )
            return _("{name:* plays|You play} {card}.").format(name=name, card=card_names(data["cards"]))
        case "penalty":
            return _("{name:* must|You must} draw {count} cards or counter.").format(name=name, count=data["count"])
        case "block":
            return _("{name:* blocks|You block} the penalty: any card may follow.").format(name=name)
        case "again":
            return _("{name:* plays|You play} again.").format(name=name)
        case "skip":
            return _("{name:* is|You're} skipped.").format(name=name)
        case "turn_round":
            return _("{name:* reverses|You reverse} the direction.").format(name=name)
        case "draw":
            if data["cards"] == 1:
                return _("{name:* draws|You draw} a card.").format(name=name)
            return _("{name:* draws|You draw} {count} cards.").format(name=name, count=data["cards"])
        case "drawn":
            return _("{name:* has|You have} drawn {cards}.").format(name=name, cards=card_names(data["cards"]))
        case "nothing_to_draw":
            return _("{name:* must|You must} draw, but no cards are left.").format(name=name)
        case "refill":
            return _("The discard pile is shuffled into a new stock. Cards in it: {count}.").format(count=data["cards"])
        case "pass":
            return _("{name:* passes|You pass}.").format(name=name)
        case "out":
            return _("{name:* plays|You play} the last card.").format(name=name)
        case "showdown":
            return _("{name:* plays|You play} the bomb. Showdown!").format(name=name)
        case "blocked":
            return _("No one can play or draw, so the hands are counted.")
        case "turns":
            return _("The last turn is over. The hands are counted.")
        case "hand":
            return _("{name:* has|You have} {cards}: {sum} points.").format(
                name=name, cards=card_names(data["cards"]), sum=data["sum"]
            )
        case "over":
            return _won([names[seat] for seat in data["winners"]])
    raise ValueError(f"Amagande has no event {event.kind}")


def _won(winners: Sequence[str]) -> str:
    if len(winners) == 1:
        return _("{name:* wins|You win} the match.").format(name=winners[0])
    return _("{names} share the win.").format(names=listing(winners))
