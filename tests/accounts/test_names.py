"""Display names."""

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from accounts import names
from accounts.models import User


@pytest.mark.parametrize(
    "name",
    ["Al", "Ada Lovelace", "x_X-9.5", "J.R. Smith", "Dr. No", "St. Ada", "Zoë", "Ольга", "नमिता", "李小龍", "a" * 24],
)
def test_letters_of_any_one_alphabet_digits_and_four_signs_make_a_name(name):
    names.validate(name)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", "length"),
        ("A", "length"),
        ("a" * 25, "length"),
        ("Ada\n", "characters"),
        ("Ada\u200b", "characters"),  # zero width space
        ("Ada\u202eadA", "characters"),  # right-to-left override
        ("Ada\u2060", "characters"),  # word joiner
        ("\u3164\u3164", "characters"),  # Hangul filler: an invisible letter
        ("Ada\u034f", "characters"),  # combining grapheme joiner
        ("Ada\ufe0f", "characters"),  # variation selector
        ("A\u0301\u0302\u0303", "characters"),  # stacked marks
        ("Ada!", "characters"),
        ("Ada♠", "characters"),
        ("<b>Ada", "characters"),
        (".Ada", "beginning"),
        ("-Ada", "beginning"),
        ("evil.com", "address"),
        ("www.evil.com", "address"),
        ("free-coins.win", "address"),
        ("Ada evil.рф", "address"),
        ("Ada  L", "spaces"),
        ("Ada ", "spaces"),
        ("Аda", "alphabets"),  # the first letter is Cyrillic
    ],
)
def test_an_invalid_name_is_refused_with_the_reason(name, code):
    with pytest.raises(ValidationError) as refused:
        names.validate(name)
    assert refused.value.code == code


@pytest.mark.django_db
@pytest.mark.parametrize("twin", ["ada", "ADA", "Ａｄａ", " Ada "])
def test_a_name_is_taken_in_any_case_and_width(twin):
    User.objects.create_user("ada@example.org", name="Ada")
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user(name=twin)


@pytest.mark.django_db
def test_umlauts_have_two_cases_too():
    User.objects.create_user(name="Öl")
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user(name="ÖL")


@pytest.mark.django_db
def test_an_address_is_one_address_in_any_case():
    User.objects.create_user("Ada@Example.org", name="Ada")
    assert User.objects.get_by_natural_key("ADA@example.ORG").email == "ada@example.org"
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("aDA@example.org", name="Ada 2")


@pytest.mark.django_db
def test_a_player_who_has_no_address_is_a_guest_in_the_database_too():
    guest = User.objects.create_user(name="Gus")
    assert guest.is_guest
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.filter(pk=guest.pk).update(is_guest=False)
    guest.email = "gus@example.org"
    guest.save(update_fields=["email"])
    guest.refresh_from_db()
    assert not guest.is_guest


@pytest.mark.django_db
def test_a_new_name_updates_its_key_even_if_only_the_name_is_saved():
    user = User.objects.create_user(name="Gus")
    user.name = "Gil"
    user.save(update_fields=["name"])
    user.refresh_from_db()
    assert user.name_key == "gil"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada", "A-d-a"),
        ("Ada", "Adá"),
        ("Coco", "Сосо"),  # all of it Cyrillic
        ("Nova", "Νova".replace("ova", "ονα")),  # all of it Greek
        ("Bill", "B1II"),
        ("Morna", "Moma"),
        ("Zoo", "Z00"),
    ],
)
def test_names_that_could_pass_for_each_other_look_the_same(one, other):
    assert names.look(one) == names.look(other) != ""


def test_different_names_look_different_and_so_do_guests():
    people = ["Ada", "Ben", "Cleo", "Ольга", "李雷", "Ωmega", *(f"Guest {number}" for number in range(1000, 1200))]
    assert len({names.look(name) for name in people}) == len(people)


@pytest.mark.parametrize(
    "name", ["Admin", "ARMANl", "The Moderator", "support-7", "adm1n", "Armani Support", "Deleted 4"]
)
def test_reserved_words_are_refused(name):
    with pytest.raises(ValidationError) as refused:
        names.refuse_word(name)
    assert refused.value.code == "reserved"


@pytest.mark.parametrize(
    "name", ["Fuck you", "F-u-c-k", "FVCK".replace("V", "u"), "xxN1gg3r".replace("3", "e"), "piss", "Hitler88", "сука"]
)
def test_insults_are_refused_however_they_are_spelt(name):
    with pytest.raises(ValidationError) as refused:
        names.refuse_word(name)
    assert refused.value.code == "insult"


@pytest.mark.parametrize(
    "name", ["Cassandra", "Dickens", "Scunthorpe", "Penistone", "Nazim", "Moderato", "Badminton", "Rootstock", "Anusha"]
)
def test_harmless_names_with_such_letters_are_allowed(name):
    names.refuse_word(name)
