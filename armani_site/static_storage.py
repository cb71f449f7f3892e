"""Static files of a deployed site."""

from collections.abc import Callable
from typing import Any, cast

from django.core.files.base import ContentFile, File
from rcssmin import cssmin
from rjsmin import jsmin
from whitenoise.storage import CompressedManifestStaticFilesStorage

#: What removes comments and needless spaces from our own files; names and code remain. The folder keeps other
#: packages' files out of it: nothing here tests how those look afterwards.
_SHORTENERS: dict[str, tuple[str, Callable[[str], str]]] = {".css": ("css/", cssmin), ".js": ("js/", jsmin)}


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Hashed, compressed names that browsers may keep for good; imports between ES modules use them, too.

    Our scripts and sheets are stored without their comments, which were a fifth of a table's first load.
    """

    support_js_module_import_aggregation = True
    #: How long a chain of imports may be: a module's hash depends on the hashes of the modules it imports.
    max_post_process_passes = 12

    def file_hash(self, name: str | None, content: "File[Any] | None" = None) -> str | None:
        """The hash of what is stored, which a new release of a shortener changes, and a comment doesn't."""
        if name and content:
            content = ContentFile(as_sent(name, b"".join(content.chunks())))
        return cast(str | None, super().file_hash(name, content))

    def _save(self, name: str, content: "File[Any]") -> str:
        text = b"".join(content.chunks())
        return cast(str, super()._save(name, ContentFile(as_sent(name, text))))


def as_sent(name: str, content: bytes) -> bytes:
    """A static file as browsers get it: scripts and sheets of ours without comments, everything else as it is."""
    for ending, (folder, shorten) in _SHORTENERS.items():
        if name.startswith(folder) and name.endswith(ending):
            return shorten(content.decode()).encode()
    return content
