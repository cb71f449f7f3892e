"""Bytes made up for what reads them: ``python -m tests.fuzz NAME [--seconds 600] [--corpus FOLDER]``.

It needs atheris (``.venv/bin/python -m pip install -r requirements/fuzz.txt``), which traces the effect of each byte.
What it learns is stored in FOLDER, so the next run continues from there. A failing input ends it, and becomes a file in
``tests/fuzz/cases/NAME``, which ``test_cases.py`` shows its target from then on.
"""

import argparse
import hashlib
import logging
import os
import sys
import time
from pathlib import Path

import atheris
import django
from django.conf import settings

from tests.factories.site_process import ROOT

#: Maximum bytes, maximum seconds per try, and megabytes of memory.
LONGEST, SLOWEST, MOST_MEMORY = 4096, 10, 2048
#: Processor seconds after which the cost of an input is counted.
SUSPICIOUS = 0.005

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "armani_site.settings")
with atheris.instrument_imports(include=["accounts", "games", "mailparser_reply"]):
    django.setup()
    from tests.fuzz import targets


def watch(name: str, data: bytes) -> None:
    """Run a target, and count the cost of slow inputs: counting all would take most of the time."""
    begin = time.thread_time()
    targets.TARGETS[name].look(data)
    if time.thread_time() - begin > SUSPICIOUS:
        targets.show(name, data)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(targets.TARGETS))
    parser.add_argument("--seconds", type=int, default=600, help="default: %(default)s")
    parser.add_argument("--corpus", type=Path, default=Path(settings.DATA_DIR) / "fuzz", help="default: %(default)s")
    options = parser.parse_args()
    corpus, cases = options.corpus / options.name, ROOT / "tests" / "fuzz" / "cases" / options.name
    for folder in (corpus, cases):
        folder.mkdir(parents=True, exist_ok=True)
    # Refusals are logged, millions of times.
    logging.disable()
    settings.REPLY_ADDRESS = targets.REPLIES
    for seed in targets.TARGETS[options.name].seeds():
        (corpus / hashlib.sha256(seed).hexdigest()).write_bytes(seed)
    atheris.Setup(
        [
            sys.argv[0],
            str(corpus),
            f"-max_total_time={options.seconds}",
            f"-max_len={LONGEST}",
            f"-timeout={SLOWEST}",
            f"-rss_limit_mb={MOST_MEMORY}",
            f"-artifact_prefix={cases}/",
            "-print_final_stats=1",
        ],
        lambda data: watch(options.name, data),
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
