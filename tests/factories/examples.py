"""How Hypothesis looks for examples in these tests."""

import sys
from types import ModuleType
from typing import cast

from hypothesis import HealthCheck, settings

# A busy machine makes no example wrong. The rest is as it was: random here, the same each time where CI is set.
settings.register_profile(
    "busy", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("busy")

# With libcst and zope.interface in one process the patch that it would propose fails, and hides the example.
sys.modules["hypothesis.extra._patching"] = cast(ModuleType, None)
