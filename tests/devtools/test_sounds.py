"""The sounds of the table are those the script generates, small, and of suitable volume."""

import struct
import wave
from pathlib import Path

import pytest

from games.devtools import sounds
from tests.factories.site_process import ROOT

FOLDER = ROOT / "static" / "sounds"


def read(file: Path) -> list[int]:
    with wave.open(str(file)) as sound:
        return list(struct.unpack(f"<{sound.getnframes()}h", sound.readframes(sound.getnframes())))


def test_there_are_six_and_they_weigh_less_than_sixty_kilobytes() -> None:
    files = list(FOLDER.iterdir())
    assert {file.stem for file in files} == sounds.SOUNDS.keys()
    assert len(files) == 6
    assert sum(file.stat().st_size for file in files) < 60_000


@pytest.mark.parametrize("name", sounds.SOUNDS)
def test_the_file_is_the_output_of_the_script(name: str) -> None:
    stored, made = read(FOLDER / f"{name}.wav"), sounds.samples(sounds.SOUNDS[name]())
    assert len(stored) == len(made)
    # Another processor may round the last bit differently.
    assert max(abs(one - other) for one, other in zip(stored, made, strict=True)) <= 1


@pytest.mark.parametrize("name", sounds.SOUNDS)
def test_it_begins_and_ends_softly(name: str) -> None:
    stored = read(FOLDER / f"{name}.wav")
    most = max(map(abs, stored))
    assert 0.5 * 32767 < most < 0.65 * 32767
    assert abs(stored[0]) < most / 10
    assert max(map(abs, stored[-20:])) < most / 5
