"""Playing times: time zone, hours, rest days and leave; use them through ``calendars``."""
