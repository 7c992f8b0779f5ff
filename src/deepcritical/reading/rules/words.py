"""Words of English that several rules share: people, and words that tell no two names apart."""

from __future__ import annotations

from deepcritical.domain.text.patterns import bounded

PEOPLE = (
    r"(?:patients|participants|subjects|women|men|children|infants|adults|individuals|people|"
    r"persons|volunteers|veterans|mothers|girls|boys|adolescents|students|outpatients|inpatients|"
    r"survivors|athletes|residents|recipients|mice|rats|animals|pigs|eyes|cases)"
)
_STOP_WORDS = frozenset(
    "a an the of in on at to for with by and or from than as was were is are be been being that "
    "those these this which who had has have did not no it its their our we during after before "
    "between among both all per into group groups arm arms patients participants subjects women "
    "men children people treatment therapy treated receiving received alone either respectively "
    "using given plus".split()
)
_WORD = bounded(r"[^\W_]+")


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text that tell it from others, in lower case and without plural s."""
    words = (word.casefold() for word in _WORD.findall(text))
    return frozenset(
        word.rstrip("s") if len(word) > 3 else word for word in words if word not in _STOP_WORDS
    )
