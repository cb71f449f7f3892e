"""The readability of pages and emails."""

import html
import re

import pyphen

HYPHENS = pyphen.Pyphen(lang="en_US")
#: Ends of sentences without a full stop.
BLOCK = re.compile(
    r"</?(?:address|article|aside|button|caption|dd|div|dt|fieldset|figcaption|h\d|label|li|main|nav|ol|"
    r"option|p|section|summary|td|th|tr|ul)\b[^>]*>"
)


def grade(sentences: list[str]) -> float:
    """The Flesch–Kincaid grade of sentences; single words and short labels don't count."""
    words = [re.findall(r"[A-Za-z’']+", sentence) for sentence in sentences]
    told = [each for each in words if len(each) > 3]
    if not told:
        return 0
    count = sum(map(len, told))
    syllables = sum(len(HYPHENS.positions(word)) + 1 for each in told for word in each)
    return 0.39 * count / len(told) + 11.8 * syllables / count - 15.59


def of_page(markup: str) -> list[str]:
    main = markup.partition("<main")[2].partition("</main>")[0] or markup
    plain = re.sub(r"<(script|style|svg|template)\b.*?</\1>", " ", main, flags=re.DOTALL)
    parts = re.sub(r"<[^>]+>", " ", BLOCK.sub("\n\n", plain)).split("\n\n")
    return [sentence for part in parts for sentence in split(html.unescape(part))]


def split(part: str) -> list[str]:
    return re.split(r"(?<=[.!?:])\s+", " ".join(part.split()))
