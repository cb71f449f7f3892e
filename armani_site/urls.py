"""Addresses of the site."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("games.health")),
    path("", include("games.urls")),
    path("rules/", include("games.rules_pages")),
    path("", include("accounts.urls")),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
]
if settings.DEV_TOOLS:
    urlpatterns.append(path("dev/mailbox/", include("accounts.mailbox")))
