"""The six sounds of the table, made of noise and a few damped tones: free of copyright, and always the same."""

import math
import struct
import wave
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

RATE = 16_000
#: The loudest sample: below the format's maximum, so that no sound is startling.
PEAK = 0.6
#: Samples of the fade-out, so that no sound ends with a click.
FADE = 160

Sound = list[float]


def silence(seconds: float) -> Sound:
    """Silence of this length."""
    return [0.0] * round(seconds * RATE)


def noise(name: str, seconds: float, low: Callable[[float], float], decay: float, attack: float = 0.002) -> Sound:
    """Decaying noise; ``low`` is its brightness, from 0 to 1, at a time from 0 to 1."""
    rng = Random(name)  # noqa: S311 - noise is no secret
    count = round(seconds * RATE)
    sound, last = [], 0.0
    for at in range(count):
        last += low(at / count) * (rng.uniform(-1, 1) - last)
        sound.append(last * min(1, at / (attack * RATE)) * math.exp(-decay * at / RATE))
    return sound


def tone(pitch: float, seconds: float, decay: float, loud: float = 1.0, bend: float = 0.0) -> Sound:
    """A struck tone in hertz that falls by ``bend`` hertz a second."""
    times = (at / RATE for at in range(round(seconds * RATE)))
    return [
        loud * math.sin(2 * math.pi * (pitch * t - bend * t * t / 2)) * math.exp(-decay * t) * min(1, t * 900)
        for t in times
    ]


def mixed(*sounds: Sound) -> Sound:
    """Several sounds at once."""
    length = max(map(len, sounds))
    return [sum(sound[at] for sound in sounds if at < len(sound)) for at in range(length)]


def scaled(sound: Sound, loud: float) -> Sound:
    """A sound at another volume."""
    return [sample * loud for sample in sound]


#: By name: playing a card, drawing, taking a trick, a slap, a wrong slap, and a knock for your turn.
SOUNDS: dict[str, Callable[[], Sound]] = {
    "card": lambda: mixed(noise("card", 0.09, lambda _t: 0.5, 60), tone(170, 0.09, 45, 0.5)),
    "draw": lambda: scaled(noise("draw", 0.16, lambda t: 0.15 + 0.6 * t, 16, 0.05), 0.7),
    "sweep": lambda: scaled(noise("sweep", 0.32, lambda t: 0.65 - 0.5 * t, 9, 0.08), 0.8),
    "slap": lambda: mixed(scaled(noise("slap", 0.2, lambda t: 0.9 - 0.7 * t, 30), 1.3), tone(115, 0.2, 22, 0.9, 160)),
    "wrong": lambda: mixed(tone(150, 0.3, 14, 0.8, 220), [*silence(0.13), *tone(118, 0.17, 16, 0.8, 200)]),
    "turn": lambda: mixed(
        tone(540, 0.22, 32, 0.7),
        tone(1340, 0.22, 55, 0.35),
        tone(2180, 0.22, 90, 0.2),
        noise("turn", 0.02, lambda _t: 0.6, 200),
    ),
}


def samples(sound: Sequence[float]) -> list[int]:
    """The samples for a file: all sounds have the same peak."""
    most = max(map(abs, sound))
    fade = [min(1, (len(sound) - 1 - at) / FADE) for at in range(len(sound))]
    return [round(sample / most * soft * PEAK * 32767) for sample, soft in zip(sound, fade, strict=True)]


def write(folder: Path) -> None:
    """Write every sound as a WAV file."""
    for name, make in SOUNDS.items():
        found = samples(make())
        with wave.open(str(folder / f"{name}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes(struct.pack(f"<{len(found)}h", *found))
