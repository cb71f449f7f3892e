"""Second factors: what they prevent, how to log in without them, and that secrets are encrypted.

Passkeys need a browser: see ``tests/browser/test_passkeys.py``.
"""

import re
import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from accounts.models import OutgoingMail, User
from accounts.moderation.models import AuditEntry
from tests.factories.clients import QuickClient
from tests.factories.people import PASSWORD, Person, last_mail, link_in

pytestmark = pytest.mark.django_db


def digits(secret: str, steps: int = 0) -> str:
    """The code shown by an app with this secret, this many half minutes from now."""
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + steps))


@pytest.fixture
def secret(person, ada) -> str:
    """The secret of the app set up in ``person``'s browser."""
    person.log_in()
    url = reverse("mfa_activate_totp")
    assert person.client.get(url)["Location"].startswith(reverse("account_reauthenticate"))
    person.client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    secret = re.search(r'id="totp-secret" value="(\w+)"', person.client.get(url).content.decode())[1]
    assert person.client.post(url, {"code": digits(secret, 50)}).status_code == 200
    assert person.client.post(url, {"code": digits(secret)})["Location"] == reverse("mfa_view_recovery_codes")
    return secret


def recovery_codes(person: Person) -> list[str]:
    page = person.client.get(reverse("mfa_view_recovery_codes")).content.decode()
    return re.findall(r"<li>(\d{8})</li>", page)


def test_a_password_alone_opens_nothing_any_more(stranger, ada, secret):
    assert stranger.log_in()["Location"] == reverse("mfa_authenticate")
    assert stranger.user is None
    assert stranger.client.get(reverse("account_settings")).status_code == 302
    page = stranger.client.post(reverse("mfa_authenticate"), {"code": digits(secret, 50)})
    assert "code is wrong" in page.content.decode()
    assert stranger.user is None
    stranger.client.post(reverse("mfa_authenticate"), {"code": digits(secret, 1)})
    assert stranger.user == ada


def test_digits_count_once(stranger, ada, secret):
    code = digits(secret, 1)
    stranger.log_in()
    stranger.client.post(reverse("mfa_authenticate"), {"code": code})
    assert stranger.user == ada
    third = Person(Client())
    third.log_in()
    third.client.post(reverse("mfa_authenticate"), {"code": code})
    assert third.user is None


def test_guessing_digits_is_stopped(stranger, ada, secret):
    stranger.log_in()
    for _try in range(5):
        stranger.client.post(reverse("mfa_authenticate"), {"code": digits(secret, 50)})
    page = stranger.client.post(reverse("mfa_authenticate"), {"code": digits(secret)}).content.decode()
    assert "Too many failed attempts" in page
    assert stranger.user is None


def test_a_recovery_code_lets_in_once(person, stranger, ada, secret):
    codes = recovery_codes(person)
    assert len(codes) == 10
    for expected in (ada, None):
        other = Person(Client())
        other.log_in()
        other.client.post(reverse("mfa_authenticate"), {"code": codes[0]})
        assert other.user == expected
    assert codes[0] not in recovery_codes(person)


def test_a_password_reset_by_email_does_not_bypass_it(stranger, ada, secret):
    stranger.client.post(reverse("account_reset_password"), {"email": ada.email})
    link = link_in(last_mail(ada.email))
    form = stranger.client.get(link, follow=True)
    new = "another good password"
    stranger.client.post(form.request["PATH_INFO"], {"password1": new, "password2": new})
    assert stranger.user is None
    stranger.log_in(password=new)
    assert stranger.user is None


def test_the_database_alone_gives_no_secret_away(person, ada, secret):
    stored = " ".join(str(data) for data in Authenticator.objects.values_list("data", flat=True))
    assert secret not in stored
    assert not any(code in stored for code in recovery_codes(person))


@pytest.mark.django_db(transaction=True)
def test_the_owner_is_notified_by_email(person, ada, secret):
    subjects = set(OutgoingMail.objects.filter(to=ada.email).values_list("subject", flat=True))
    assert "An authenticator app was set up at Armani" in subjects
    person.client.post(reverse("mfa_deactivate_totp"))
    assert last_mail(ada.email).subject == "The authenticator app was turned off at Armani"
    assert "network address 127.0.0.1" in last_mail(ada.email).html


def test_guests_have_nothing_to_protect_yet(client):
    client.force_login(User.objects.create_user(name="Guest 1000"))
    for name in ("mfa_index", "mfa_activate_totp", "mfa_add_webauthn"):
        assert client.get(reverse(name))["Location"] == reverse("account_signup")


@pytest.mark.parametrize(
    "what", ["null", "{}", "[]", '{"id": 1}', '"x"', "not json", '{"response": {"userHandle": 5}}']
)
def test_an_invalid_passkey_is_refused(person, ada, what):
    person.client.get(reverse("mfa_login_webauthn"), headers={"accept": "application/json"})
    response = person.client.post(reverse("mfa_login_webauthn"), {"credential": what})
    assert response.status_code == 302
    assert person.user is None


@pytest.fixture
def staff(ada) -> User:
    ada.is_staff = ada.is_superuser = True
    ada.save()
    return ada


def test_the_admin_site_asks_for_a_second_factor_if_it_is_required(settings, person, staff):
    person.log_in()
    assert person.client.get("/admin/").status_code == 200
    settings.ADMIN_SECOND_FACTOR = True
    assert person.client.get("/admin/")["Location"] == reverse("mfa_index")
    assert "need a second login step" in person.client.get(reverse("mfa_index")).content.decode()


def test_a_session_from_before_the_second_factor_has_to_show_it_for_the_administration(person, staff, secret):
    response = person.client.get("/admin/accounts/user/")
    assert response["Location"] == reverse("mfa_reauthenticate") + "?next=%2Fadmin%2Faccounts%2Fuser%2F"
    response = person.client.post(response["Location"], {"code": digits(secret, 1)})
    assert response["Location"] == "/admin/accounts/user/"
    assert person.client.get("/admin/accounts/user/").status_code == 200


def test_the_administration_shows_no_one_s_secrets(person, staff, secret):
    person.client.post(reverse("mfa_reauthenticate"), {"code": digits(secret, 1)})
    row = Authenticator.objects.get(type="totp")
    page = person.client.get(reverse("admin:mfa_authenticator_change", args=[row.pk]))
    assert page.status_code == 200
    assert row.data["secret"] not in page.content.decode()


def _moderator() -> Client:
    moderator = User.objects.create_user("mod@example.org", name="Mod", is_staff=True)
    moderator.groups.add(Group.objects.get(name="Moderators: accounts"))
    client = QuickClient()
    client.force_login(moderator)
    return client


def test_moderators_of_accounts_remove_a_lost_second_factor_and_notify_its_owner(ada, secret):
    client = _moderator()
    row = Authenticator.objects.get(user=ada, type="totp")
    client.post(reverse("admin:mfa_authenticator_delete", args=[row.pk]), {"post": "yes"})
    assert not Authenticator.objects.filter(user=ada).exists()  # the recovery codes existed for it alone
    assert last_mail(ada.email).subject == "Your Armani two-step login was changed"
    assert AuditEntry.objects.get(action="take second factor away").target_name == str(ada)


def test_the_second_factors_of_people_with_a_role_stay(ada, secret):
    client = _moderator()
    User.objects.filter(pk=ada.pk).update(is_staff=True)
    row = Authenticator.objects.get(user=ada, type="totp")
    address = reverse("admin:mfa_authenticator_delete", args=[row.pk])
    assert client.post(address, {"post": "yes"}).status_code == 403
    assert Authenticator.objects.filter(pk=row.pk).exists()
