"""Static files of a deployed site."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Hashed, compressed names that browsers may keep for ever; imports between ES modules follow them."""

    support_js_module_import_aggregation = True
