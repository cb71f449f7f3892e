"""Migrated databases that tests offer for copying, because migrating takes longer than everything else of a start."""

import os
import shutil
from pathlib import Path


def template() -> str:
    """The migrated database on the PostgreSQL server; if tests offer none, the empty one that is always there."""
    return os.environ.get("MIGRATED_POSTGRESQL", "template1")


def copy_into(folder: Path) -> bool:
    """Copy the SQLite file, if tests offer one, into a data folder that has none. Tells whether it did."""
    file, copy = os.environ.get("MIGRATED_SQLITE"), folder / "armani.sqlite3"
    if not file or copy.exists():
        return False
    folder.mkdir(exist_ok=True)
    shutil.copyfile(file, copy)
    return True
