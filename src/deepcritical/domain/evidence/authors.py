"""Splits names of authors into family and given names, as lists of references need them."""

import re
from typing import NamedTuple

from deepcritical.domain.text.patterns import bounded

_GROUP = bounded(
    r"\b(?:group|collaborat\w+|consortium|investigators|network|committee|team)\b", re.IGNORECASE
)
"""In the name of a collective author."""
_SUFFIX = bounded(r"[\s,]+(Jr|Sr|[IVX]{2,4}|\d(?:nd|rd|th))\.?$")
_PARTICLE = bounded(r"\s(?=(?:[a-z]\w*\s){1,9}\S+$)")
"""Before the lower-case particles of a family name that stands last: "Ada van der Berg"."""


class AuthorName(NamedTuple):
    """A person by family and given name, or a group by its whole name."""

    family: str
    """The whole name of a group."""
    given: str = ""
    """Given names or initials, as printed."""
    suffix: str = ""
    """Jr, III."""
    group: bool = False

    @property
    def inverted(self) -> str:
        """``Family, Given``, or the name of the group."""
        return ", ".join(part for part in (self.family, self.suffix, self.given) if part)


def author_name(printed: str) -> AuthorName:
    """The parts of "Du Pasquier R" as indexes print it, "Aaron M Koenig" and "Ely, E W"."""
    printed = " ".join(printed.split())
    if _GROUP.search(printed):
        return AuthorName(printed, group=True)
    found = _SUFFIX.search(printed)
    name, suffix = (printed[: found.start()], found[1]) if found else (printed, "")
    before, comma, after = name.partition(",")
    if comma and before.strip():
        return AuthorName(before.strip(), after.strip(), suffix)
    words = name.split()
    if not words:
        return AuthorName(printed)
    if len(words) > 1 and words[-1].isupper() and len(words[-1]) <= 3:
        return AuthorName(" ".join(words[:-1]), words[-1], suffix)
    cut = _PARTICLE.search(name)
    given, family = (
        (name[: cut.start()], name[cut.end() :]) if cut else (" ".join(words[:-1]), words[-1])
    )
    return AuthorName(family, given, suffix)
