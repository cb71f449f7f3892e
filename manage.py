#!/usr/bin/env python
"""Django's command line for this site."""

import gc
import os
import sys

if __name__ == "__main__":
    # What is imported stays for good, and looking for garbage among it takes a fifth of the start.
    gc.set_threshold(50_000)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "armani_site.settings")
    try:
        from django.core.management import execute_from_command_line

        execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        sys.exit(130)
