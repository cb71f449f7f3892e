"""The lessons of Armed: a battle, a war, when it pays to lose, and the last draw."""

from collections.abc import Sequence

from games.engine import Lesson, Step, Watch
from games.engine.cards import CODES
from games.engine.lesson import deck
from games.engine.text import gettext_noop as _

_PACK = CODES[:52]
_ANOTHER = _("You could play any card. Here, choose the lit one, and see what happens.")


def _decks(mine: str, theirs: str) -> Sequence[str]:
    """A pack that gives both players these cards first, in this order; the rest is dealt in any order."""
    given = [mine.split(), theirs.split()]
    rest = [code for code in _PACK if code not in given[0] + given[1]]
    rest = rest[::5] + rest[1::5] + rest[2::5] + rest[3::5] + rest[4::5]
    whole = [cards + [rest.pop() for _card in range(26 - len(cards))] for cards in given]
    return deck(_PACK, [" ".join(reversed(cards)) for cards in whole])


def _made(cards: str) -> Sequence[Watch]:
    """Battles without comment: a card of seat 0, a card of seat 1, and so on."""
    return [Watch(at % 2, f"play:{card}") for at, card in enumerate(cards.split())]


def _play(say: str, card: str) -> Step:
    return Step(say=say, move=f"play:{card}", lit=card, otherwise={"play": _ANOTHER})


BATTLE = Lesson(
    game="armed",
    name="battle",
    title=_("A battle: the higher card takes both"),
    rules_version=1,
    dealer=1,
    deck=_decks("KH AS 3C TD QS 6H", "9C 4D AH 8S JD 2C"),
    line=(
        _play(
            _("Win all the cards! You both choose one in secret; the higher takes both. Play your king: 13."),
            "KH",
        ),
        Watch(1, "play:9C", _("Now the other player chooses. Then both cards are turned over.")),
        _play(_("13 beats 9, so both cards are yours. Now play the 10."), "TD"),
        Watch(1, "play:8S"),
        _play(_("You won again. Now spend a card that isn't worth much: play the 3."), "3C"),
        Watch(1, "play:AH"),
        _play(_("An ace counts 14, but this one won only a 3. Play your own ace."), "AS"),
        Watch(1, "play:JD"),
        _play(_("14 beats 11: you win. Now play your queen: 12."), "QS"),
        Watch(1, "play:4D"),
    ),
    end=_(
        "The higher card takes all, and suits never matter. You win when the other player has to draw and has no "
        "cards left."
    ),
    teaches=("battle", "values"),
)

WAR = Lesson(
    game="armed",
    name="war",
    title=_("War: equal values"),
    rules_version=1,
    dealer=1,
    deck=_decks("8C QD 5S 7H 6D JS", "8H TC KD 7S 6C 9D"),
    line=(
        _play(_("Battle: you both choose a card in secret. What if they're equal? Play your 8."), "8C"),
        Watch(1, "play:8H", _("The other player chose an 8, too!")),
        _play(_("Equal values mean war: choose one more card. It's added to your 8, so play the queen."), "QD"),
        Watch(1, "play:TC"),
        _play(_("8 + 12 beat 8 + 10: you took all four cards. Now play the 7."), "7H"),
        Watch(1, "play:7S", _("War again.")),
        _play(_("War again: you both played a 7. Add your 6: 7 + 6 makes 13."), "6D"),
        Watch(1, "play:6C", _("Equal again! The war goes on.")),
        _play(_("13 to 13, so the war goes on. Now a strong card: the jack makes 24."), "JS"),
        Watch(1, "play:9D"),
    ),
    end=_(
        "24 beat 22, and you took six cards at once. In a war the higher total takes everything, so keep a high card."
    ),
    teaches=("war",),
)

ENDING = Lesson(
    game="armed",
    name="ending",
    title=_("The end: the most cards win"),
    rules_version=1,
    dealer=1,
    options={"battles": 5},
    deck=_decks("2H 9S KC 4C AD JH", "AC 7D QC 5D KS 3S"),
    line=(
        _play(_("This match ends after five battles: the most cards win. Expect an ace, and lose only a 2."), "2H"),
        Watch(1, "play:AC"),
        _play(_("Good guess: the ace is gone for now. Play the 9."), "9S"),
        Watch(1, "play:7D"),
        _play(_("Ahead again. Only an ace beats the king: play it."), "KC"),
        Watch(1, "play:QC"),
        _play(_("The other player still has a king. Spend your 4."), "4C"),
        Watch(1, "play:KS"),
        _play(_("Last battle, and it decides. Nothing beats your ace."), "AD"),
        Watch(1, "play:5D"),
    ),
    end=_(
        "You hold 27 cards, the other player 25: you win. Most matches go on until a player has to draw and can't; "
        "turn-based matches end after 26 battles."
    ),
    teaches=("battles",),
)

LAST_DRAW = Lesson(
    game="armed",
    name="last-draw",
    title=_("Nothing left to draw"),
    rules_version=1,
    dealer=1,
    deck=deck(
        _PACK,
        (
            "KC QH AS 9H AH AC 9D TC 9S KD 6D QD 8C KH 6S AD JC JS KS TH JD 7D 8H QS TD QC",
            "2C 3D TS 4D 9C 4S 4H JH 7C 3H 6H 2H 5D 4C 6C 3S 7S 5C 8S 8D 7H 2S 3C 2D 5H 5S",
        ),
    ),
    opens_at=32,
    line=(
        *_made("7D 2S 8H 7H 8C 5H TD 8D 8H 5S TC 5C 7H 6C 9S 8S 8S 5D JD 3C 7H 3S JS 6H TD 7C QC 4C QS JH 5S 2H"),
        _play(
            _("If you must draw and can't, you lose. The other player's stock has only four cards left. Play your 3."),
            "3C",
        ),
        Watch(1, "play:3H", _("Another 3: war!")),
        _play(_("A war uses up cards fast. Add the 8 to your 3."), "8S"),
        Watch(1, "play:4H"),
        _play(_("11 beats 7. You both drew two cards, so the other player has two left. Play the 8 of hearts."), "8H"),
        Watch(1, "play:4D"),
        _play(_("Only one is left. Lose on purpose to see what happens: play your 2."), "2S"),
        Watch(1, "play:3D"),
        _play(_("The other player won two cards and drew one: two are left. Win the next with your queen."), "QD"),
        Watch(1, "play:TS"),
        _play(_("One left. Play the 10: you don't need to win high, just win."), "TH"),
        Watch(1, "play:7S"),
        _play(
            _("That stock is empty now, but the other player still holds six cards. Win once more with the 9."), "9S"
        ),
        Watch(1, "play:2S"),
    ),
    end=_(
        "Both have to draw up to six cards again. The other player holds five and has none to draw: you win! Most "
        "matches end like this."
    ),
    teaches=("deck-out",),
)

LESSONS = (BATTLE, WAR, ENDING, LAST_DRAW)
