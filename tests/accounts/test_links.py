"""Absolute URLs: they depend on ``SITE_URL`` alone, and an invalid one is reported."""

import pytest

from accounts.links import absolute, check_site_url


def test_an_absolute_address_is_the_sites_address_and_a_path(settings):
    settings.SITE_URL = "https://play.example.org"
    assert absolute("/match/x/") == "https://play.example.org/match/x/"
    assert absolute("//evil.example/") == "https://play.example.org//evil.example/"
    for path in ("https://evil.example/", "@evil.example/", ".evil.example/", ""):
        with pytest.raises(ValueError, match="not a path"):
            absolute(path)


@pytest.mark.parametrize(
    ("url", "is_given", "is_published", "found"),
    [
        ("https://play.example.org", True, True, []),
        ("http://localhost:9000", True, True, []),
        ("http://[::1]:8000", True, True, []),
        ("play.example.org", True, True, ["accounts.E001"]),
        ("https://example.org/cards", True, True, ["accounts.E001"]),
        ("https://user@example.org", True, True, ["accounts.E001"]),
        ("http://localhost:8000", False, False, []),
        ("https://play.example.org", False, True, ["accounts.W001"]),
    ],
)
def test_the_sites_address_is_checked(settings, url, is_given, is_published, found):
    settings.SITE_URL, settings.SITE_URL_IS_GIVEN, settings.PUBLISHED = url, is_given, is_published
    assert [problem.id for problem in check_site_url()] == found
