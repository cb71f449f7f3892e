"""Playing times of people: time zone, waking hours, rest days, leave. ``accounts.calendars`` is the way in."""
