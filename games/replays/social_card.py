"""The preview picture of a match's link: only what a spectator may see."""

import io
import math
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from PIL import Image, ImageDraw, ImageFont

from games import rules
from games.matches.live_match import LiveMatch
from games.matches.models import Match
from games.rules.wording import rank_label

SIZE = (1200, 630)
#: Drawn larger and reduced, for smooth edges.
SCALE = 2
CARD = (190, 266)
INK, PAPER, SOFT, RED, BLACK = "#12261f", "#f6f1e4", "#d9e3da", "#c0202f", "#16181a"
BACK, BACK_EDGE = "#7d2231", "#f3dede"
MOST_CARDS = 4
LONGEST_NAME = 22


def picture(match: Match, table: LiveMatch) -> bytes:
    """A PNG of 1200 × 630: the game, players, score or result, and public cards."""
    image = Image.new("RGB", (SIZE[0] * SCALE, SIZE[1] * SCALE), _cloth(match.slug))
    draw = ImageDraw.Draw(image)
    _cards(image, open_cards(table))
    _text(draw, (80, 70), match.game_name, "young-serif-latin-400-normal.woff2", 76, PAPER)
    _text(draw, (80, 178), _standing(match, table), "figtree-latin-wght-normal.woff2", 36, SOFT)
    for line, name in enumerate(_players(match)):
        _text(draw, (80, 258 + 46 * line), name, "figtree-latin-wght-normal.woff2", 34, PAPER, weight=600)
    _text(draw, (80, 548), "Armani", "young-serif-latin-400-normal.woff2", 40, "#e7b64b")
    written = io.BytesIO()
    image.reduce(SCALE).save(written, "PNG")
    return written.getvalue()


def _standing(match: Match, table: LiveMatch) -> str:
    if match.status == Match.Status.OVER:
        first = [seat.name for seat in match.seats.all() if seat.place == 1]
        return _("{names} won").format(names=_short(" & ".join(first), 34)) if first else _("The match is over")
    return _("Running: move {n}").format(n=table.version)


def _players(match: Match) -> list[str]:
    """Up to six lines of names, with places if the match is over."""
    seats = sorted(match.seats.all(), key=lambda seat: (seat.place or 0, seat.number))
    lines = [f"{seat.place}. {seat.name}" if seat.place else seat.name for seat in seats]
    if len(lines) > 6:
        lines = [*lines[:5], _("and {n} more").format(n=len(lines) - 5)]
    return [_short(line, LONGEST_NAME + 3) for line in lines]


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def open_cards(table: LiveMatch) -> list[str]:
    """The last few cards of the most important zone a spectator sees; none if all are hidden."""
    zones: Sequence[Any] = table.state.view(None).zones
    for kind in rules.presentation(table.slug).open_zones:
        cards = [
            code.partition("=")[0]
            for zone in zones
            if zone.id.partition(":")[0] == kind
            for code in zone.cards or ()
            if code is not None
        ]
        if cards:
            return cards[-MOST_CARDS:]
    return []


@cache
def _cloth(slug: str) -> str:
    """The game's cloth colour, from the style sheets."""
    tokens = (settings.BASE_DIR / "static" / "css" / "tokens.css").read_text(encoding="utf-8")
    found = re.search(rf"--cloth-{re.escape(slug)}:\s*(#[0-9a-f]{{6}})", tokens)
    return found[1] if found else INK


@cache
def _font(name: str, size: int, weight: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(str(settings.BASE_DIR / "static" / "fonts" / name), size * SCALE)
    if "wght" in name:
        font.set_variation_by_axes([weight])
    return font


def _text(
    draw: ImageDraw.ImageDraw,
    at: tuple[int, int],
    text: str,
    font: str,
    size: int,
    colour: str,
    *,
    weight: int = 500,
) -> None:
    draw.text((at[0] * SCALE, at[1] * SCALE), text, font=_font(font, size, weight), fill=colour)


def _cards(image: Image.Image, codes: Sequence[str]) -> None:
    """A fan of cards at the right; card backs if none is visible."""
    faces = [_face(code) for code in codes] or [_back()] * 3
    middle = (len(faces) - 1) / 2
    for place, face in enumerate(faces):
        turned = face.rotate((middle - place) * 9, expand=True, resample=Image.Resampling.BICUBIC)
        left = (840 + (place - middle) * 92) * SCALE - turned.width // 2
        top = (320 + abs(place - middle) ** 2 * 9) * SCALE - turned.height // 2
        image.paste(turned, (round(left), round(top)), turned)


def _blank(fill: str) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    card = Image.new("RGBA", (CARD[0] * SCALE, CARD[1] * SCALE), (0, 0, 0, 0))
    draw = ImageDraw.Draw(card)
    draw.rounded_rectangle(
        (0, 0, card.width - 1, card.height - 1), 16 * SCALE, fill=fill, outline="#b9b2a2", width=SCALE
    )
    return card, draw


@cache
def _back() -> Image.Image:
    card, draw = _blank(BACK_EDGE)
    edge = 12 * SCALE
    draw.rounded_rectangle((edge, edge, card.width - edge, card.height - edge), 10 * SCALE, fill=BACK)
    return card


@cache
def _face(code: str) -> Image.Image:
    card, draw = _blank("#fffdf8")
    is_joker = code[1] == "J"
    colour = RED if code == "RJ" or (not is_joker and code[1] in "DH") else BLACK
    if is_joker:
        _star(draw, (CARD[0] / 2, CARD[1] / 2), 58, colour)
        _star(draw, (34, 36), 20, colour)
        return card
    _text(draw, (18, 8), rank_label(code[0]), "figtree-latin-wght-normal.woff2", 62, colour, weight=700)
    _suit(draw, code[1], (40, 102), 34, colour)
    _suit(draw, code[1], (CARD[0] / 2 + 12, CARD[1] * 0.62), 96, colour)
    return card


def _suit(draw: ImageDraw.ImageDraw, suit: str, middle: tuple[float, float], size: float, colour: str) -> None:
    """A suit drawn from circles and triangles, ``size`` high."""
    x, y, half = middle[0] * SCALE, middle[1] * SCALE, size * SCALE / 2

    def circle(dx: float, dy: float, radius: float) -> None:
        left, top = x + dx * half - radius * half, y + dy * half - radius * half
        draw.ellipse((left, top, left + 2 * radius * half, top + 2 * radius * half), fill=colour)

    def shape(*points: tuple[float, float]) -> None:
        draw.polygon([(x + dx * half, y + dy * half) for dx, dy in points], fill=colour)

    stem = ((0, 0.1), (0.34, 1), (-0.34, 1))
    if suit == "D":
        shape((0, -1), (0.74, 0), (0, 1), (-0.74, 0))
    elif suit == "H":
        circle(-0.42, -0.42, 0.46)
        circle(0.42, -0.42, 0.46)
        shape((-0.84, -0.22), (0.84, -0.22), (0, 1))
        shape((-0.5, -0.5), (0.5, -0.5), (0, 0.3))
    elif suit == "S":
        circle(-0.42, 0.22, 0.44)
        circle(0.42, 0.22, 0.44)
        shape((-0.82, 0.06), (0.82, 0.06), (0, -1))
        shape(*stem)
    else:
        circle(0, -0.5, 0.44)
        circle(-0.46, 0.18, 0.44)
        circle(0.46, 0.18, 0.44)
        shape(*stem)


def _star(draw: ImageDraw.ImageDraw, middle: tuple[float, float], radius: float, colour: str) -> None:
    points = []
    for point in range(10):
        turn = math.pi * (point / 5 - 0.5)
        reach = radius * SCALE * (1 if point % 2 == 0 else 0.42)
        points.append((middle[0] * SCALE + reach * math.cos(turn), middle[1] * SCALE + reach * math.sin(turn)))
    draw.polygon(points, fill=colour)
