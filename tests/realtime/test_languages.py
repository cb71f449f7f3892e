"""Work in another language."""

import threading

import pytest
from django.utils.translation import get_language, gettext, override

from games.realtime import log_context
from games.realtime.languages import in_language


@pytest.mark.parametrize("language", ["en", "de", None])
def test_the_language_is_active_for_the_work_alone(language: str | None) -> None:
    with override("en"):
        for _time in range(2):
            assert in_language(language, get_language) == language
            assert get_language() == "en"
    assert in_language("de", gettext, "The match is over.") != "The match is over."


def test_arguments_results_and_errors_are_passed_on() -> None:
    def work(number: int, *, plus: int) -> int:
        return 10 // number + plus

    assert in_language("de", work, 2, plus=1) == 6
    with pytest.raises(ZeroDivisionError):
        in_language("de", work, 0, plus=1)


def test_work_may_use_the_same_language_again_and_changes_nothing_for_the_next() -> None:
    def work() -> str | None:
        with override("fr"):
            return in_language("de", get_language)

    assert in_language("de", work) == "de"
    assert in_language("de", get_language) == "de"


def test_two_threads_may_work_in_one_language() -> None:
    found: list[str | None] = []

    def work() -> None:
        other = threading.Thread(target=lambda: found.append(in_language("de", get_language)))
        other.start()
        other.join(5)

    in_language("de", work)
    assert found == ["de"]


def test_where_the_language_is_active_already_the_log_keeps_its_context() -> None:
    with override("de"):
        log_context.begin(match="abc")
        try:
            assert in_language("de", log_context.bound) == {"match": "abc"}
        finally:
            log_context.begin()
