"""A busy week at the moderators' desk: hundreds of reports in all states, with decisions and appeals."""

import random
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.utils import timezone

from accounts.models import User
from accounts.moderation.models import Appeal, AppealMessage, Report, Rule, Sanction
from games.matches.models import Match
from games.moderation import queue
from games.moderation.answers import ANSWERS, REASONS

#: Number of reports in a busy week.
REPORTS = 300
#: The columns that change while reports are handled.
HANDLED = (
    "claimed_by", "claimed_at", "snoozed_until", "merged_into", "desk", "closed_at", "closed_by", "outcome", "answer",
)  # fmt: skip
#: Reported behaviour, by rule.
SENTENCES = {
    Rule.RESPECT: ("He swears at everybody.", "She called me an idiot.", "Insults after each trick."),
    Rule.FAIR: ("They show each other their cards.", "He slaps faster than a person can.", "The same person twice."),
    Rule.STALL: ("Waits until the last second of each turn.", "Left us sitting for an hour."),
    Rule.NAME: ("This name is an insult.", "The profile is about selling things."),
    Rule.SPAM: ("Links to a shop at every table.", "Advertising in the chat."),
    Rule.OTHER: ("Spoils every match on purpose.",),
}


def fill(rng: random.Random, people: Sequence[User], moderators: Sequence[User], matches: Sequence[Match]) -> None:
    """Create reports from the last seven days: most closed, some waiting, claimed, put aside, merged or handed over."""
    judges = [each for each in moderators if any(each.has_perm(power) for power in queue.DESKS)]
    now = timezone.now()
    made = [_report(rng, people, matches, now - timedelta(hours=rng.uniform(0, 168)), n) for n in range(REPORTS)]
    Report.objects.bulk_create(made)
    for report in made:
        _handle(rng, report, rng.choice(judges), made, now)
    Report.objects.bulk_create(made, update_conflicts=True, unique_fields=["pk"], update_fields=HANDLED)


def _report(rng: random.Random, people: Sequence[User], matches: Sequence[Match], at: datetime, n: int) -> Report:
    reporter, accused = rng.sample(people, 2)
    rule = rng.choices(list(SENTENCES), weights=(8, 6, 4, 2, 3, 1))[0]
    match = rng.choice(matches) if matches and rule in (Rule.FAIR, Rule.STALL) else None
    return Report(
        kind=Report.Kind.MATCH if match else Report.Kind.PLAYER,
        rule=rule,
        thing=f"demo:{n}",
        reporter=reporter,
        reporter_name=reporter.name,
        accused=accused,
        accused_name=accused.name,
        match=match,
        move_number=match.version if match else None,
        sentence=rng.choice(SENTENCES[rule]),
        created_at=at,
        due_at=queue.due_at(rule, 0.5, at),
    )


def _handle(rng: random.Random, report: Report, judge: User, others: Sequence[Report], now: datetime) -> None:
    """Process a report as moderators would have by now, without saving it; two of three are closed."""
    kind = rng.choices(("closed", "waits", "claimed", "aside", "merged", "handed"), weights=(66, 16, 6, 4, 4, 4))[0]
    if kind == "closed":
        _close(rng, report, judge, now)
    elif kind == "claimed":
        report.claimed_by, report.claimed_at = judge, now - timedelta(hours=rng.uniform(0, 7))
    elif kind == "aside":
        report.snoozed_until = now + timedelta(hours=rng.choice((24, 72)))
    elif kind == "merged":
        same = (each for each in others if each.accused_id == report.accused_id and each.closed_at is None)
        report.merged_into = next((each for each in same if each is not report and each.merged_into is None), None)
    elif kind == "handed":
        report.desk = rng.choice(list(queue.DESKS))


def _close(rng: random.Random, report: Report, judge: User, now: datetime) -> None:
    upheld = rng.random() < 0.55
    took = timedelta(hours=rng.expovariate(1 / 9))
    report.closed_at, report.closed_by = min(now, report.created_at + took), judge
    report.claimed_by, report.claimed_at = judge, report.closed_at
    report.outcome = Report.Outcome.UPHELD if upheld else Report.Outcome.DISMISSED
    report.answer = str(ANSWERS["done" if upheld else "nothing"])
    if not upheld or rng.random() < 0.3:
        return
    kind = rng.choice((Sanction.Kind.WARNING, Sanction.Kind.WARNING, Sanction.Kind.SILENCE, Sanction.Kind.SUSPENDED))
    decision = Sanction.objects.create(
        person=report.accused,
        person_name=report.accused_name,
        kind=kind,
        rule=report.rule,
        reason=str(REASONS["insult" if report.rule == Rule.RESPECT else "stall"]),
        report=report,
        imposed_by=judge,
        imposed_at=report.closed_at,
        in_force_at=report.closed_at,
        read_at=report.closed_at,
        until=report.closed_at + timedelta(minutes=30) if kind in Sanction.LASTING else None,
    )
    if rng.random() < 0.15:
        appeal = Appeal.objects.create(sanction=decision, created_at=report.closed_at)
        AppealMessage.objects.create(appeal=appeal, author=report.accused, text="That was not me.")
