"""Static files of a deployed site."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Hashed, compressed names that browsers may keep for good; imports between ES modules use them, too."""

    support_js_module_import_aggregation = True
    #: How long a chain of imports may be: a module's hash depends on the hashes of the modules it imports.
    max_post_process_passes = 12
