"""Numbers in what people and browsers send."""


def number_in(text: object, digits: int = 9) -> int | None:
    """The number that a text is, of at most so many ASCII digits; None for anything else."""
    text = str(text)
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None
