"""Choose a reader's language: from a cookie, their own choice, or the browser's languages."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import translation
from django.views.decorators.http import require_POST

from accounts import links
from accounts.models import User


def speaking_to(user: User | None) -> AbstractContextManager[None]:
    """Activate the language of ``user`` inside this block, for emails and pushes."""
    return translation.override((user and user.language) or settings.LANGUAGE_CODE)


def middleware(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """If this browser has no language cookie, use the language of the logged-in user."""

    def respond(request: HttpRequest) -> HttpResponse:
        cookies = request.COOKIES
        chosen = ""
        if settings.LANGUAGE_COOKIE_NAME not in cookies and settings.SESSION_COOKIE_NAME in cookies:
            chosen = request.user.language if request.user.is_authenticated else ""
        if not chosen:
            return get_response(request)
        translation.activate(chosen)
        request.LANGUAGE_CODE = chosen
        response = get_response(request)
        if settings.LANGUAGE_COOKIE_NAME not in response.cookies:
            _keep(request, response, chosen)
        return response

    return respond


def choose(request: HttpRequest, response: HttpResponse, language: str) -> None:
    """Use ``language`` in this browser from now on, and in the logged-in user's emails."""
    if request.user.is_authenticated and request.user.language != language:
        request.user.language = language
        request.user.save(update_fields=["language"])
    _keep(request, response, language)


@require_POST
def set_language(request: HttpRequest) -> HttpResponse:
    """Choose a language and return to the same page."""
    response = redirect(links.next_page(request, "home"))
    language = request.POST.get("language", "")
    if language in dict(settings.LANGUAGES):
        choose(request, response, language)
    return response


def _keep(request: HttpRequest, response: HttpResponse, language: str) -> None:
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME, language, max_age=365 * 24 * 3600, samesite="Lax", secure=request.is_secure()
    )
