"""Format log lines: one per request or error, as ``key=value`` or JSON, without secrets."""

import json
import logging
import re
import time
from typing import Any

from games.realtime import log_context

#: The attributes that every record has; all others were added by the caller with ``extra``.
_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "request", "server_time"}

#: Secrets of confirmation, reset and turn emails are long parts of a path; queries may hold them as well.
_SECRET_PART = re.compile(r"(?<=/)[^/?#\s\"']{21,}|(?<=\?)[^\s\"']+")


def without_secrets(text: str) -> str:
    """``text`` with long path parts and queries masked."""
    return _SECRET_PART.sub("***", text)


class DemoteClientErrors(logging.Filter):
    """Lower the level of odd requests, such as ones with a forged cookie: any client can send them.

    Django logs them as errors with a traceback, but here every error line is an alarm. A webhook call without its
    secret is a warning: the mail service may be set up wrongly.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass, with odd requests as INFO."""
        if record.name.startswith("django.security.") and record.levelno > logging.WARNING:
            record.levelno = logging.WARNING if "Webhook" in record.name else logging.INFO
            record.levelname = logging.getLevelName(record.levelno)
            record.exc_info = record.exc_text = None
        return True


class KeyValueFormatter(logging.Formatter):
    """``time level logger message key=value …`` on one line; a traceback follows on its own lines."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def format(self, record: logging.LogRecord) -> str:
        values = " ".join(f"{key}={_quoted(value)}" for key, value in _extra(record).items())
        line = (
            f"{self.formatTime(record)} {record.levelname.lower()} {record.name} {_message(record)} {values}".rstrip()
        )
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


class JsonFormatter(KeyValueFormatter):
    """The same as one JSON object per line, for log collectors."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "time": self.formatTime(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
            **_extra(record),
        }
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        return json.dumps(fields, default=str)


def _message(record: logging.LogRecord) -> str:
    """The message without secrets and on one line, so that no input can forge a second line."""
    return without_secrets(record.getMessage()).replace("\n", "\\n")


def _extra(record: logging.LogRecord) -> dict[str, Any]:
    """The record's other fields: the bound log context, and what its caller added."""
    own = {key: value for key, value in vars(record).items() if key not in _OWN}
    return {**log_context.bound(), **own}


def _quoted(value: object) -> str:
    text = str(value)
    return json.dumps(text) if not text or re.search(r'[\s="]', text) else text
