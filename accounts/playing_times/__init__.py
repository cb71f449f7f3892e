"""Playing times of people: time zone, waking hours, rest days, leave; ``calendars`` is the way in."""
