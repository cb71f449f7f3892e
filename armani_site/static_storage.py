"""Static files of a deployed site."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Hashed, compressed names that browsers may keep for ever; imports between ES modules follow them."""

    support_js_module_import_aggregation = True
    #: A module's hash follows those of the modules it imports: so many may stand one behind the other.
    max_post_process_passes = 12
