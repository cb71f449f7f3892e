"""German dates: 23. Nov. 2026 in a sentence, 23.11.2026 in a list of the staff pages."""

DATE_FORMAT = "j. N Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "j. N Y, H:i"
SHORT_DATE_FORMAT = "d.m.Y"
SHORT_DATETIME_FORMAT = "d.m.Y H:i"
MONTH_DAY_FORMAT = "j. F"
