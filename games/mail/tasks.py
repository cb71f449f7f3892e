"""Celery tasks of notices; each may run at any time, twice, or at the same time as itself."""

from celery import shared_task

from accounts.languages import speaking_to
from accounts.models import User
from games.mail import dispatch, push
from games.mail.models import Discretion, Notice, PushSubscription
from games.mail.outgoing.turn_email import has_not_looked, read_turn, title
from games.matches.models import Match, Seat


@shared_task
def send_notices() -> None:
    """Tell whatever is due."""
    dispatch.send_due()


@shared_task
def tidy() -> None:
    """Remove old notices."""
    dispatch.tidy()


@shared_task
def send_pushes(notice_id: int, stage: str) -> None:
    """Push one stage of a turn's notice to the browsers of its person, if it still is their turn."""
    notice = Notice.objects.filter(pk=notice_id).first()
    if notice is None or not PushSubscription.objects.filter(user=notice.user_id).exists():
        return
    seats = Seat.objects.select_related("match", "player__notice_preferences").filter(match=notice.match_id)
    seat = seats.filter(player=notice.user_id, asked_version=notice.version, ai_level="").first()
    if seat is None or seat.player is None or seat.match.status != Match.Status.RUNNING or not has_not_looked(seat):
        return
    with speaking_to(seat.player):
        _push(seat, seat.player, stage)


def _push(seat: Seat, user: User, stage: str) -> None:
    discretion = dispatch.preferences_of(user).discretion
    news = ""
    if discretion == Discretion.FULL:
        turn = read_turn(seat, discretion)
        news = turn.news.public_headline
    names = [place.name for place in seat.match.seats.order_by("number")]
    whole = title(seat.match, names, seat.number)
    push.send(user, push.payload(seat.match, whole, news, discretion, stage))
