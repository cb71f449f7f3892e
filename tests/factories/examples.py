"""The settings of Hypothesis for these tests."""

import sys
from types import ModuleType
from typing import cast

from hypothesis import HealthCheck, settings

# A slow example on a busy machine is no error. Otherwise unchanged: random here, deterministic if CI is set.
settings.register_profile(
    "busy", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("busy")

# With libcst and zope.interface in one process, its patch proposal fails, and hides the example.
sys.modules["hypothesis.extra._patching"] = cast(ModuleType, None)
