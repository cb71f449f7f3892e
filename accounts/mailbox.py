"""The development mailbox: read the outbox's emails in the browser.

Only with ``MAILBOX``, and only on the machine itself.
"""

import re
from collections.abc import Callable
from functools import wraps
from ipaddress import ip_address

from csp.decorators import csp, csp_update
from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.http.request import split_domain_port
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_POST, require_safe

from .models import OutgoingMail

#: The most emails that are listed.
_SHOWN = 100
#: Hosts under which a browser on the machine itself reaches it.
_OWN_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
#: Parts of the names of headers that proxies add.
_FORWARDED = re.compile("FORWARDED|HTTP_VIA|REAL_IP|CLIENT_IP|CONNECTING_IP|CLUSTER_IP|SSL_CLIENT")
#: Emails may not run scripts or load anything; their links open as pages of their own.
_MAIL_POLICY = {
    "default-src": ["'none'"],
    "style-src": ["'unsafe-inline'"],
    "img-src": ["data:"],
    "frame-ancestors": ["'self'"],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
    "sandbox": ["allow-popups", "allow-popups-to-escape-sandbox", "allow-top-navigation-by-user-activation"],
}


def on_this_machine(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Allow only browsers on the machine itself: a trial site in a network must not show its emails to others.

    A proxy on the same machine also connects from there, for all visitors. So requests with a sign of a proxy are
    refused, and requests in HTTP 1.0, which browsers no longer use but a badly configured proxy may.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *args: int, **kwargs: int) -> HttpResponseBase:
        try:
            is_here = ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
        except ValueError:
            is_here = False
        host, _port = split_domain_port(request.get_host())
        is_forwarded = any(map(_FORWARDED.search, request.META)) or _is_old(request)
        if not settings.MAILBOX or not is_here or host not in _OWN_NAMES or is_forwarded:
            raise Http404
        return view(request, *args, **kwargs)

    return guarded


def _is_old(request: HttpRequest) -> bool:
    return isinstance(request, ASGIRequest) and request.scope["http_version"] == "1.0"


@require_safe
@on_this_machine
@csp_update({"frame-src": ["'self'"]})
def mailbox(request: HttpRequest, pk: int | None = None) -> HttpResponse:
    """The emails, newest first, with one of them open."""
    mails = OutgoingMail.objects.defer("html")[:_SHOWN]
    opened = get_object_or_404(OutgoingMail, pk=pk) if pk is not None else None
    return render(request, "account/mailbox.html", {"mails": mails, "opened": opened})


@require_safe
@on_this_machine
@xframe_options_sameorigin
@csp(_MAIL_POLICY)  # type: ignore[arg-type]  # its types know only views without arguments
def mailbox_html(request: HttpRequest, pk: int) -> HttpResponse:
    """The HTML part of an email, for the sandboxed frame."""
    return HttpResponse(get_object_or_404(OutgoingMail, pk=pk).html)


@require_POST
@on_this_machine
def mailbox_clear(request: HttpRequest) -> HttpResponse:
    """Empty the mailbox."""
    OutgoingMail.objects.all().delete()
    return redirect("mailbox")


urlpatterns = [
    path("", mailbox, name="mailbox"),
    path("<int:pk>/", mailbox, name="mailbox_mail"),
    path("<int:pk>/html/", mailbox_html, name="mailbox_html"),
    path("clear/", mailbox_clear, name="mailbox_clear"),
]
