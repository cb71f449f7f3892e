"""Replies by email."""

from email.message import EmailMessage

_number = iter(range(1, 10_000))


def reply(to: str, text: str = "1", **headers: str) -> EmailMessage:
    """An email as sent by a person's mail program; underscores in header names stand for hyphens."""
    message = EmailMessage()
    message["From"] = "Ada <ada@example.org>"
    message["To"] = to
    message["Subject"] = "Re: Rummy 500 with Ben – your turn"
    message["Message-ID"] = f"<{next(_number)}@mail.example.org>"
    for name, value in headers.items():
        header = name.replace("_", "-")
        del message[header]
        message[header] = value
    message.set_content(text)
    return message
