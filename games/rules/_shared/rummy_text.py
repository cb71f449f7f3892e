"""The sentences of the two rummies, one for each event."""

from collections.abc import Sequence

from games.engine import Event
from games.engine.text import Reader, names_in_text
from games.engine.text import gettext as _
from games.rules.wording import card_name, card_names, listing


def say(event: Event, names: Sequence[str]) -> str:
    """One sentence about ``event`` of either rummy, with ``names`` by seat."""
    data, names = event.data, names_in_text(names)
    words = {**data, "player": "" if event.seat is None else names[event.seat]}
    if isinstance(data.get("cards"), list):
        words["cards"] = card_names(data["cards"])
    return _sentence(event, names).format(**words)


def _sentence(event: Event, names: Sequence[str]) -> str:
    """The sentence of an event, before its fields are filled in."""
    match event.kind:
        case "deal":
            return _("{player:* deals|You deal} {count} cards to each player; this is deal {deal}.")
        case "hand":
            return _("{player:* is|You're} dealt {cards}.")
        case "turn_up":
            return _("The discard pile begins with {cards}.")
        case "draw":
            return _("{player:* draws|You draw} from the stock.")
        case "drawn":
            return _("{player:* draws|You draw} {cards} from the stock.")
        case "take":
            return _("{player:* takes|You take} {cards} from the discard pile.")
        case "refill":
            return _("The discard pile is shuffled into a new stock.")
        case "meld":
            return _("{player:* melds|You meld} {cards}.") + _standing_for(event)
        case "lay":
            return _("{player:* adds|You add} {cards} to meld {meld}.") + _standing_for(event)
        case "join":
            return _("{player:* adds|You add} {cards} to the set in meld {meld}.") + _standing_for(event)
        case "going_rummy":
            return _("{player:* is|You're} going rummy.")
        case "discard":
            return _("{player:* discards|You discard} {cards}.")
        case "pass":
            return _("{player:* passes|You pass} because the stock is empty.")
        case "deal_over":
            return _how_it_ended(event, names)
        case "match_over":
            winners = [names[seat] for seat in event.data["winners"]]
            if len(winners) == 1:
                return _braced(_("{name:* wins|You win} the match.").format(name=winners[0]))
            return _braced(_("{names} share first place.").format(names=listing(winners)))
    raise ValueError(f"no game of rummy tells an event of kind {event.kind}")


def _how_it_ended(event: Event, names: Sequence[str]) -> str:
    gains = event.data["gains"]
    if event.data["winner"] is not None:
        how = _("{player:* goes|You go} out.")
    elif any(gains):
        how = _("Deal {deal} is over.")
    else:
        how = _("No one scores in deal {deal}.")
    # What the reader gets comes first, since "You" begins a sentence.
    seats = sorted(range(len(gains)), key=lambda seat: not isinstance(names[seat], Reader))
    got = [
        _("{name:* scores|You score} {points}").format(name=names[seat], points=gains[seat])
        for seat in seats
        if gains[seat]
    ]
    return f"{how} {_braced(listing(got))}." if got else how


def _standing_for(event: Event) -> str:
    """What the jokers of a meld stand for, as an extra sentence; empty if there are none."""
    jokers = [piece for piece in event.data["pieces"] if "=" in piece]
    named = []
    for piece in jokers:
        joker, meant = piece.split("=")
        if not meant.endswith("*"):
            named.append(_("{joker} is {card}").format(joker=card_name(joker), card=card_name(meant)))
    if not named:
        return ""
    said = listing(named)
    return f" {said[0].upper()}{said[1:]}."


def _braced(text: str) -> str:
    """Escape braces in names, so that the text can be formatted again."""
    return text.replace("{", "{{").replace("}", "}}")
