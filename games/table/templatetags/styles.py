"""Inline style sheets, so that the first paint waits for nothing but the page itself."""

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import cast
from urllib.parse import urljoin

from django import template
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import ManifestFilesMixin, staticfiles_storage
from django.templatetags.static import static
from django.utils.safestring import SafeString
from rcssmin import cssmin

register = template.Library()

_URL = re.compile(r"""url\(["']?(?!data:)([^"')]+)["']?\)""")


@register.simple_tag
def style_text(*names: str) -> SafeString:
    """The named style sheets in one text, without comments, for a ``<style>`` element.

    The element needs the page's nonce, or browsers refuse it: ``<style nonce="{{ request.csp_nonce }}">``.
    """
    is_hashed = isinstance(staticfiles_storage, ManifestFilesMixin)
    return SafeString("".join(map(_collected if is_hashed else _found, names)))


@cache
def _collected(name: str) -> str:
    """A collected sheet with hashed names; it can't change while the process lives."""
    path = f"css/{name}.css"
    with staticfiles_storage.open(cast(ManifestFilesMixin, staticfiles_storage).stored_name(path)) as stored:
        return _for_page(path, stored.read().decode())


def _found(name: str) -> str:
    """A sheet in its source folder, in its current state."""
    path = f"css/{name}.css"
    place = finders.find(path)
    if place is None:
        raise ValueError(f"there is no style sheet {path}")
    return _read(path, Path(place), Path(place).stat().st_mtime_ns)


@lru_cache(maxsize=32)
def _read(path: str, place: Path, _changed_at: int) -> str:
    return _for_page(path, place.read_text())


def _for_page(path: str, text: str) -> str:
    """Rewrite relative references of a sheet for use within a page."""
    address = static(path)
    return _URL.sub(lambda match: f'url("{urljoin(address, match[1])}")', cssmin(text))
