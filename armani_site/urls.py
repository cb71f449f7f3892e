"""URLs of the site."""

from allauth.account.decorators import secure_admin_login
from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

# One login for everyone, with its rate limits and second factor; the admin site has none of its own.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # as allauth documents it
# One page to change a password, too. The admin site has no setting for it. It wraps this view like its own, so it still
# refuses strangers; in a subclass of the admin site, all models would have to be registered again.
change_password = RedirectView.as_view(pattern_name="account_change_password")
admin.site.password_change = change_password  # type: ignore[assignment,method-assign]  # no setting: see above

urlpatterns = [
    # Listed first because Django tries patterns in order, and those without a prefix are each tried in full.
    path("admin/", admin.site.urls),
    path("", include("games.operations.health")),
    path("", include("games.urls")),
    path("", include("games.mail.urls")),
    path("", include("games.plans.views")),
    path("", include("games.feeds.views")),
    path("turn/", include("games.mail.decision_page.views")),
    path("", include("games.chat.urls")),
    path("", include("games.lobby.urls")),
    path("", include("games.operations.views")),
    path("rules/", include("games.guide.rules_pages")),
    path("learn/", include("games.lessons.urls")),
    path("practice/", include("games.slaps.urls")),
    path("", include("accounts.playing_times.urls")),
    path("", include("accounts.people.urls")),
    path("", include("games.moderation.urls")),
    path("", include("accounts.urls")),
    path("accounts/", include("allauth.urls")),
]
if settings.MAILBOX:
    urlpatterns.append(path("dev/mailbox/", include("accounts.mailbox")))
if settings.MAIL_WEBHOOKS:
    urlpatterns.append(path("anymail/", include("anymail.urls")))
