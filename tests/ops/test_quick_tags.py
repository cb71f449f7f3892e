"""Tags that are rendered once say the same as Django's."""

from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.core.checks import run_checks
from django.template import Context, Engine, NodeList, engines
from django.test import override_settings
from django.urls import set_script_prefix
from django.utils import translation

from armani_site import quick_tags
from armani_site.static_storage import HashedStaticFiles

PARENT = "{% load i18n %}<{% block a %}{% translate 'Lobby' %}{% endblock %}|{% block b %}b{% endblock %}>"
TAGS = {
    "child": "{% extends 'parent' %}{% block b %}{{ block.super }}{{ name }}{% endblock %}",
    "grandchild": "{% extends child %}{% block a %}A{% endblock %}",
    "text": '{% load i18n %}{% translate "Lobby" %} {% trans "Rules" %}',
    "text with marks": "{% load i18n %}{% translate '\"Fish & chips\": 100%%' %}",
    "text as": "{% load i18n %}{% translate 'Lobby' as here %}{{ here }}",
    "text with context": "{% load i18n %}{% translate 'May' context 'x' %}{% translate 'Lobby' noop %}",
    "variable": "{% load i18n %}{% translate name %}{% translate 'lobby'|capfirst %}",
    "link": "{% url 'lobby' %} {% url \"rules_index\" %} {% url 'admin:index' %}",
    "link with words": "{% url 'rules_page' slug='armed' %} {% url page %} {% url 'lobby' as here %}{{ here }}",
    "file": "{% load static %}{% static 'css/a&b.css' %} {% static name %} {% static 'a.js' as here %}{{ here }}",
    "no escapes": "{% load i18n static %}{% autoescape off %}{% translate 'a & b' %} {% static 'a&b' %}"
    "{% endautoescape %}{% translate 'a & b' %} {% static 'a&b' %}",
    "the rest of the libraries": "{% load i18n static %}{% get_current_language as l %}{{ l|language_name }}"
    "{% get_static_prefix %}{% blocktranslate %}Hello {{ name }}{% endblocktranslate %}",
}
LOADER = ("django.template.loaders.locmem.Loader", {**TAGS, "parent": PARENT})
I18N = {name: f"django.templatetags.{name}" for name in ("i18n", "static")}


@pytest.fixture(params=list(TAGS))
def both(request: pytest.FixtureRequest) -> Any:
    """The outputs of a template with our tags and with Django's."""
    ours, djangos = (
        Engine(loaders=[("django.template.loaders.cached.Loader", [LOADER])], **options).get_template(request.param)
        for options in (
            {"libraries": engines["django"].engine.libraries, "builtins": ["armani_site.quick_tags"]},
            {"libraries": I18N},
        )
    )
    values = {"name": "Lobby", "page": "my_matches", "child": "child"}
    return lambda: (ours.render(Context(values)), djangos.render(Context(values)))


def test_every_tag_says_what_djangos_says_in_each_language_the_second_time_too(both: Any) -> None:
    for language in ("en", "de", "en", "de"):
        with translation.override(language):
            ours, djangos = both()
            assert ours == djangos


def test_below_another_path_links_are_others() -> None:
    page = engines["django"].from_string("{% url 'lobby' %}")
    assert page.render() == "/lobby/"
    try:
        set_script_prefix("/games/")
        assert page.render() == "/games/lobby/"
    finally:
        set_script_prefix("/")
    assert page.render() == "/lobby/"


def test_other_storages_have_other_files(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    page = engines["django"].from_string("{% load static %}{% static 'a.js' %}")
    assert page.render() == "/static/a.js"
    monkeypatch.setattr(HashedStaticFiles, "url", lambda self, name: f"/hashed/{name}")
    name = f"{HashedStaticFiles.__module__}.{HashedStaticFiles.__qualname__}"
    with override_settings(STATIC_ROOT=tmp_path, STORAGES={"staticfiles": {"BACKEND": name}}):
        assert page.render() == "/hashed/a.js"
    assert page.render() == "/static/a.js"


def test_what_says_the_same_is_rendered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    page = engines["django"].from_string(
        "{% load i18n static %}{% static 'a.js' %}{% url 'lobby' %}{% translate 'Lobby' %}{% translate 'Lobby' as l %}"
    )
    first = page.render()
    asked = []
    monkeypatch.setattr(StaticFilesStorage, "url", lambda *words: asked.append(words))
    monkeypatch.setattr("django.urls.reverse", lambda *words, **more: asked.append(words))
    monkeypatch.setattr("django.templatetags.i18n.render_value_in_context", lambda *words: asked.append(words) or "")
    assert page.render() == first
    assert len(asked) == 1, "only the one kept for later"


def test_the_blocks_of_a_frame_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    page = engines["django"].from_string("{% extends 'base.html' %}{% block content %}Hello{% endblock %}")
    assert isinstance(page.template.nodelist[0], quick_tags.Extends)
    first = page.render()
    walks = []
    monkeypatch.setattr(NodeList, "get_nodes_by_type", lambda *words: walks.append(words) or [])
    assert page.render() == first
    assert "Hello" in first
    assert walks == []


def test_no_other_library_takes_the_place_of_one() -> None:
    assert settings.SILENCED_SYSTEM_CHECKS == ["templates.W003"]
    doubled = [warning.msg for warning in run_checks(tags=["templates"])]
    assert [text.split(" is used")[0] for text in sorted(doubled)] == ["'i18n'", "'static'"]
