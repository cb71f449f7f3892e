"""Template tags that do once what Django's do again for every page.

A page has about fifty links, static files and texts without variables, most of them in its frame, and they took a sixth
of its time. The library takes the place of Django's ``i18n``, ``static``, ``url`` and ``extends`` in all templates,
also in those of other packages (``TEMPLATES`` in the settings).
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from django import template
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.template import base, defaulttags, loader_tags
from django.templatetags import i18n, static
from django.urls import get_script_prefix
from django.utils.translation import get_language

register = template.Library()
for _library in (i18n.register, static.register):
    register.tags |= _library.tags
    register.filters |= _library.filters

#: One text in quotes, without a filter.
_LITERAL = re.compile(r""""[^"]*"|'[^']*'""")

Compiler = Callable[[base.Parser, base.Token], template.Node]


class Fixed(template.Node):
    """A tag whose output depends only on ``circumstances`` and on whether the template escapes HTML."""

    child_nodelists = ()

    def __init__(self, tag: template.Node, circumstances: Callable[[], object]) -> None:
        self._tag = tag
        self._circumstances = circumstances
        self._said: dict[tuple[object, bool], Any] = {}

    def render(self, context: template.Context) -> Any:
        key = (self._circumstances(), context.autoescape)
        said = self._said.get(key)
        if said is None:
            said = self._said[key] = self._tag.render(context)
        return said


def _fixed(compiler: Compiler, circumstances: Callable[[], object]) -> Compiler:
    """The tag of ``compiler``, rendered once in the same circumstances if its only word is a literal."""

    def compiled(parser: base.Parser, token: base.Token) -> template.Node:
        tag = compiler(parser, token)
        words = token.split_contents()[1:]
        return Fixed(tag, circumstances) if len(words) == 1 and _LITERAL.fullmatch(words[0]) else tag

    return compiled


def _files() -> object:
    return staticfiles_storage.__class__


class StaticFile(static.StaticNode):
    """The address of a static file, which is worked out once for each file."""

    @classmethod
    def handle_simple(cls, path: str) -> str:
        """The address of the file at ``path``, as Django's node asks for it."""
        return _address(_files(), path)


@cache
def _address(_storage: object, path: str) -> str:
    return static.StaticNode.handle_simple(path)


register.tag("static", _fixed(StaticFile.handle_token, _files))
register.tag("trans", _fixed(i18n.do_translate, get_language))
register.tag("translate", _fixed(i18n.do_translate, get_language))


def _addresses() -> object:
    return settings.ROOT_URLCONF, get_script_prefix()


@register.tag
def url(parser: base.Parser, token: base.Token) -> template.Node:
    """A link. A name with a colon may mean another one in each application, so that is Django's."""
    return (defaulttags.url if ":" in token.contents else _fixed(defaulttags.url, _addresses))(parser, token)


class Extends(loader_tags.ExtendsNode):
    """Extend a template, and look for its blocks once: it has hundreds of nodes, and Django walks all for each page."""

    def get_parent(self, context: template.Context) -> base.Template:
        parent = super().get_parent(context)
        nodes = parent.nodelist
        if "get_nodes_by_type" not in vars(nodes):
            vars(nodes)["get_nodes_by_type"] = cache(nodes.get_nodes_by_type)
        return parent


@register.tag
def extends(parser: base.Parser, token: base.Token) -> Extends:
    """Extend a template, as Django's tag does."""
    tag = loader_tags.do_extends(parser, token)
    return Extends(tag.nodelist, tag.parent_name)
