"""Tests of the site, in folders named as its packages."""

import pytest

# Rewrite assertions in shared test code, too, so that failures are explained.
pytest.register_assert_rewrite("tests.browser", "tests.factories", "tests.laws")
