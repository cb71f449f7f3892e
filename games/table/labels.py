"""The words of the table page: what its buttons and marks say. Pages and scripts fill in the same sentences."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from games.engine import Move
from games.engine.cards import CODES
from games.rules.avalanche import RANKS, rank_name
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
    "lay#": gettext_lazy("Lay {n} {rank}"),
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
    "your_card": gettext_lazy("Your card is next"),
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
    "report_move": gettext_lazy("Report this move"),
    "report_failed": gettext_lazy("That did not work. Try again in a moment."),
    "cannot": gettext_lazy("No move uses this card now."),
    "cannot_turn": gettext_lazy("It is not your turn."),
    "cannot_with": gettext_lazy("No move uses this card together with those chosen."),
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
    "handicap": gettext_lazy("+{ms} ms"),
    "handicap_full": gettext_lazy("Calibrated slaps: {ms} ms are given to this hand"),
    "handicap_less": gettext_lazy("less {handicap} ms given"),
    "by_lot": gettext_lazy("as fast: drawn by lot"),
    "practice_ready": gettext_lazy("Hand above the stack…"),
    "practice_again": gettext_lazy("Begin anew"),
    "practice_right": gettext_lazy("right"),
    "practice_done": gettext_lazy("That was the last card."),
    "practice_share": gettext_lazy("you take {share}% of the piles"),
    "waiting_for": gettext_lazy("{name} is away, and the table waits."),
    "waiting_left": gettext_lazy("It goes on in {n} s at the latest."),
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
    "reason_agreement": gettext_lazy("All players agreed to end the match. It counts for nobody."),
    "result_agreed": gettext_lazy("Ended without a result"),
    "rematch_there": gettext_lazy("A rematch is waiting: sit down"),
    "clock_left": gettext_lazy("Time left:"),
    "clock_bank": gettext_lazy("On the clock:"),
    "clock_days": gettext_lazy("{n} days"),
    "clock_hours": gettext_lazy("{n} h"),
    "clock_minutes": gettext_lazy("{n} min"),
    "clock_due": gettext_lazy("Time to play:"),
    "clock_until": gettext_lazy("until {time}"),
    "clock_low": gettext_lazy("{n} seconds left"),
    "autopilot": gettext_lazy("away: a stand-in plays"),
    "seat_offered": gettext_lazy("seat offered"),
    "missed_one": gettext_lazy(
        "You missed your last turn: a stand-in played it with care, the cautious move for each choice. "
        "If you miss the next one, too, it plays on until you make a move."
    ),
    "missed_autopilot": gettext_lazy(
        "You missed turns, and a stand-in plays for you. Your next move, as soon as it is your turn, ends that."
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
    "makes": gettext_lazy("These make a {what}."),
    "run_of": gettext_lazy("run of {n}"),
    "set_of": gettext_lazy("set of {n}"),
    "one_more": gettext_lazy("One more card makes a {what}."),
    "more_for": gettext_lazy("{n} more cards make a {what}."),
    "fits": gettext_lazy("This fits {melds}."),
    "fits_either": gettext_lazy("This fits more than one: {melds}."),
    "meld_of": gettext_lazy("meld {n} of {name}"),
    "add_to": gettext_lazy("Add to {meld}"),
    "lay_down": gettext_lazy("Lay a {what}"),
    "joker_is": gettext_lazy("{joker} is {card}"),
    "rank_card": gettext_lazy("a {rank}"),
    "which_meld": gettext_lazy("Which meld gets it?"),
    "which_joker": gettext_lazy("What is the joker?"),
    "take_must": gettext_lazy("You take {n} cards and must lay {card} in this turn."),
    "take_one_must": gettext_lazy("You take {card} and must lay it in this turn."),
    "to_grow": gettext_lazy("To make it grow"),
    "grows_with": gettext_lazy("{n} × {rank} or higher, or more cards"),
    "would_start": gettext_lazy("starts an avalanche"),
    "would_grow": gettext_lazy("it grows to {n}"),
    "would_stop": gettext_lazy("it stops: {n} cards leave the game"),
    "would_fall": gettext_lazy("it falls: {n} cards to {name}"),
    "would_keep": gettext_lazy("nobody can answer: {n} cards to you"),
    "which_suit": gettext_lazy("Which suit must follow?"),
    "own_suit": gettext_lazy("{n} in your hand"),
    "draw_n": gettext_lazy("Draw {n} cards"),
    "penalty_for": gettext_lazy("cards to draw for {name}, or to counter"),
    "showdown_now": gettext_lazy("A showdown now"),
    "showdown_safe": gettext_lazy("you count {n}, safe"),
    "showdown_over": gettext_lazy("you count {n}, more than 30: eliminated"),
    "showdown_card": gettext_lazy("you count {n}, and {card} eliminates you"),
    "trick_to": gettext_lazy("{name} took this trick"),
    "battle_to": gettext_lazy("{one} against {other}: {name} took the battle"),
    "war_note": gettext_lazy("Equal totals: both lay another card."),
    "plan_make": gettext_lazy("Plan the next battles"),
    "plan_help": gettext_lazy("Touch your cards in the order in which they are to be played."),
    "plan_cards": gettext_lazy("Planned:"),
    "plan_done": gettext_lazy("The plan is played."),
    "plan_start": gettext_lazy("Play the plan"),
    "plan_stop": gettext_lazy("Stop the plan"),
    "get_rid": gettext_lazy("How do you get rid of {card}?"),
    "discard_draw": gettext_lazy("Discard it and draw two"),
    "give_to": gettext_lazy("Make {name} take it"),
    "keeps": gettext_lazy("You keep {card}; {other} goes on the discard pile."),
    "notice_mine": gettext_lazy("The table is on notice: you claim a made hand."),
    "notice_by": gettext_lazy("You are on notice: {name} claims a made hand."),
    "on_notice": gettext_lazy("claims"),
    "safe": gettext_lazy("safe in this round"),
    "keep_task": gettext_lazy("Your turn: keep one of the two"),
    "give_task": gettext_lazy("Your turn: give {name} a card"),
    "end_task": gettext_lazy("Your turn: claim, or end it"),
    "top_task": gettext_lazy("Your turn: which card lies on top?"),
    "show_task": gettext_lazy("Show your hand?"),
    "moment_claim": gettext_lazy("You’re on notice!"),
    "moment_claim_by": gettext_lazy("{name} claims a made hand."),
    "moment_challenge": gettext_lazy("You’re dead to me!"),
    "moment_challenge_by": gettext_lazy("{name} challenges {claimer}."),
    "moment_round": gettext_lazy("The round is over"),
    "moment_losers": gettext_lazy("Losing it: {names}."),
    "moment_offer": gettext_lazy("Get a load of this!"),
    "moment_offer_by": gettext_lazy("{name} makes you take a card."),
    "moment_you_gave": gettext_lazy("You gave it to {name}."),
    "moment_you_got": gettext_lazy("{name} gave it to you."),
    "away_title": gettext_lazy("While you were away: {n} things happened"),
    "deal_n": gettext_lazy("Deal {n}"),
    "round_n": gettext_lazy("Round {n}"),
    "sum": gettext_lazy("Sum"),
    "notice_turn": gettext_lazy("It is your turn."),
    "away_turn": gettext_lazy("{title}: your turn"),
}


def script_words() -> dict[str, Any]:
    """All of it in the reader's language, with the cards and suits by their letters: one block for the scripts."""
    return _script_words(get_language())


@cache
def _script_words(_language: str | None) -> dict[str, Any]:
    return {
        "moves": {key: str(text) for key, text in MOVES.items()},
        "texts": {key: str(text) for key, text in TEXTS.items()},
        "cards": {code: card_name(code) for code in CODES},
        "suits": {suit: suit_name(suit) for suit in "CDHS"},
        "ranks": {rank: [rank_name(at, 1), rank_name(at, 2)] for at, rank in enumerate(RANKS)},
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
        return str(MOVES["lay#"]).format(n=number, rank=rank_name(RANKS.index(rank), int(number)))
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
