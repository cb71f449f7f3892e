"""Tests of the site, in folders named as its packages."""

import pytest

# What tests share tells as much of an assertion that fails as they do themselves.
pytest.register_assert_rewrite("tests.browser", "tests.factories", "tests.laws")
