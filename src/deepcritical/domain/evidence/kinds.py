"""Recognises kinds of records: papers, notices, and trials that stopped or are under way.

Reasons for stopping are read from the registry's free text by a table of rules.
"""

import re

from deepcritical.domain.evidence.record import Evidence, StopClass
from deepcritical.domain.text.patterns import bounded

_RETRACTED = bounded(
    r"retracted publication|^\W*(?:retracted|withdrawn)\b|\bretraction in\b", re.IGNORECASE | re.M
)
_RETRACTED_TEXT = bounded(
    r"\W*(?:This|The) (?:article|paper|publication|preprint|manuscript|study) has been "
    r"(?:retracted|withdrawn)\b",
    re.IGNORECASE,
)
_RETRACTED_NOTE = bounded(
    r"(?:^|[;.(])[^\w;.(]*(?:(?:this|the) )?"
    r"(?:(?:article|paper|publication|preprint|manuscript|study),? )?"
    r"(?:(?:has been|was|is|since|later) ){0,2}(?:retracted|withdrawn)\b",
    re.IGNORECASE,
)
"""In a note on a paper. That one of the trials that it pools was withdrawn is no such note."""
_NOTICE_TYPE = bounded(
    r"retraction (?:of publication|notice)|^(?:partial[ -])?retraction$|"
    r"expression[ -]of[ -]concern|^(?:published )?erratum|^corrigendum|^correction$",
    re.IGNORECASE | re.MULTILINE,
)
_NOTICE_TITLE = bounded(
    r"^\W*(?:retraction(?: notice| note)?\s*(?:to\b|of\b|:)|expression of concern\b|"
    r"(?:erratum|corrigendum|correction)\s*(?:to\b|:))",
    re.IGNORECASE,
)
_RETRACTED_TITLE = bounded(
    r"^\W*(?:(?:RETRACTED|WITHDRAWN)\b|(?:Retracted|Withdrawn)(?: [Aa]rticle| [Pp]aper)?\s*[:\]])|"
    r"[(\[](?:\w+ )?(?:RETRACTED|WITHDRAWN)[)\]]\W*$"
)

_PREPRINT = bounded(r"preprint", re.IGNORECASE)


def is_paper(evidence: Evidence) -> bool:
    """Return whether the text is a paper's: a registry entry may be merged with its paper."""
    meta = evidence.metadata
    published = bool(meta.pmid or meta.pmcid or meta.doi)
    return meta.kind != "trial" or (
        published
        and bool(evidence.content)
        and meta.text_kind in ("abstract", "full_text", "summary")
    )


def is_preprint(evidence: Evidence) -> bool:
    """Return whether the index calls the paper a preprint, or its text begins with that mark."""
    told = "\n".join((*evidence.metadata.publication_types, evidence.content[:60]))
    return is_paper(evidence) and bool(_PREPRINT.search(told))


def is_retracted(evidence: Evidence) -> bool:
    """Return whether index, title, note or an integrity look-up say so, or the text is the notice.

    A notice has the words of title and text from the work that it takes back.
    """
    types = "\n".join(evidence.metadata.publication_types)
    if _RETRACTED.search(types) or _NOTICE_TYPE.search(types):
        return bool(_RETRACTED.search(types))
    noted = is_paper(evidence) and _RETRACTED_NOTE.search(evidence.metadata.note or "")
    return evidence.metadata.integrity == "retracted" or bool(
        noted
        or _RETRACTED_TITLE.search(evidence.citation.title)
        or _RETRACTED_TEXT.match(evidence.content)
    )


def is_notice(evidence: Evidence) -> bool:
    """Return whether the record is a notice of retraction, concern or correction."""
    types = "\n".join(evidence.metadata.publication_types)
    return bool(_NOTICE_TYPE.search(types) or _NOTICE_TITLE.search(evidence.citation.title))


STOPPED = frozenset({"TERMINATED", "WITHDRAWN", "SUSPENDED", "STOPPED"})
"""Registry statuses of trials that ended before their end."""
_ASIDE = (
    r"(?:data (?:and |& )?)?safety (?:and |& )?(?:data )?monitoring(?: board| committee)?|"
    r"safety (?:review )?(?:board|committee)|\bDSMB\b|\bDMC\b|efficacy and safety (?=trial|study)"
)
"""Names of boards and studies, which are no causes."""
_CAUSES = (
    r"(?:any|an?|the|or|and|nor|of|in|to|with|new|study|trial|drug|product|treatment|patient|"
    r"participant|subject|lack|serious|unexpected|significant|related|efficacy|effectiveness|"
    r"futility|safety|tolerability|toxicity|toxicities|harms?|adverse|side|effects?|events?|"
    r"concerns?|issues?|signals?|findings?|problems?|reasons?|identified|observed|seen|noted|"
    r"reported|found|raised|were|was|have|has|been)"
)
_DENIED = bounded(
    # "not due to safety or efficacy concerns", "unrelated to any safety issue"
    r"(?:\bnot (?!only|just|solely)(?:(?:made|taken|done|based|related|driven|prompted|caused|"
    r"a result|due|because|for|by|on|of|to|in any way) ?)*|\bunrelated to\b|"
    r"\bnothing to do with\b|\brather than\b|\binstead of\b|\bother than\b)"
    rf"(?=[\s\w,/-]*\b(?:safety|efficacy|futility|toxicity|harm|tolerability|adverse)\b)"
    rf"(?:[\s,/-]*\b{_CAUSES}\b)+"
    # "no safety concerns", "no new adverse events"; "no efficacy" alone is a cause
    r"|\b(?:no|without|absence of)\b(?=(?:[\s,/-]*\b(?!lack\b)\w+\b){0,5}?[\s,/-]*"
    rf"\b(?:safety|adverse|toxicity|toxicities|harms?|side effects?|concerns?)\b)"
    rf"(?:[\s,/-]*\b{_CAUSES}\b)+"
    # "non-safety reasons", "safety was not a concern"
    r"|\bnon[- ]?(?:safety|efficacy)\b(?:[- ]related)?"
    r"|\b(?:safety|efficacy|toxicity)(?: (?:or|and) (?:safety|efficacy|toxicity))?"
    r"(?: \w+){0,2} (?:was|were|is|are) not\b(?: an?| the)? "
    r"(?:concern|issue|reason|cause|factor)s?",
    re.IGNORECASE,
)
_NOT_OF_RECRUITING = (
    r"(?![^.;,]*(?:enrol|recruit|accru|sample size|target number|inclusion|funding))"
)
_GOOD = r"(?:efficacy|effect|effectiveness|benefit|response|activity|improvement|superiority)"
_TABLE: tuple[tuple[StopClass, str], ...] = (
    # A trial that stopped because the drug worked says nothing against it.
    (
        "other",
        r"\boverwhelming (?:\w+ )?(?:efficacy|benefit)|"
        r"\b(?:stopped|terminated|ended|halted)(?: early)? for (?:efficacy|benefit)\b"
        r"(?! (?:concern|reason|issue|and|or))|"
        r"\bend ?points? (?:was |were )?(?:already |early )?"
        r"(?:met|reached|achieved)\b",
    ),
    (
        "efficacy",
        rf"futil|\black of (?:\w+ ){{0,3}}{_GOOD}\b|\bineffective(?! (?:recruit|enrol))|"
        r"\b(?:insufficient|inadequate|poor|limited|low|no|without|absence of|little|minimal) "
        rf"(?:\w+ ){{0,2}}{_GOOD}\b|\b(?:insufficient|no|lack of) (?:\w+ )?difference|"
        rf"\b(?:did|does|do|could|would) ?(?:not|n[o'’]t) {_NOT_OF_RECRUITING}"
        r"(?:meet|reach|achieve|demonstrate|show|improve|work|support|differ)|"
        rf"\bfail(?:ed|ure|s|ing) to {_NOT_OF_RECRUITING}"
        r"(?:meet|reach|achieve|demonstrate|show|improve|prove)|"
        r"\bnot (?:be )?(?:effective|efficacious|superior|beneficial|better)|"
        rf"\bunlikely (?:that|to) {_NOT_OF_RECRUITING}"
        r"(?:the |be |meet|show|demonstrate|achieve|reach|benefit)|"
        r"\bnegative (?:\w+ )?(?:results?|outcomes?|trial|study|data|findings)|"
        r"conditional power|\bend ?points? (?:was|were|is|are|will|would) not |"
        r"\befficacy (?:results|criteri|analysis|data|reasons?|concerns?|endpoint)",
    ),
    (
        "safety",
        r"safety|adverse|toxic|harm|side.effects?|tolera(?:bility|nce|ted)|\bS?U?SAEs?\b|"
        r"(?:risk|benefit)[-/ :]+(?:to[- ])?(?:risk|benefit)|\bdeaths?\b|mortality|bleeding",
    ),
    (
        "enrolment",
        r"enrol|recr(?:ui|iu)t|accru|inclusion|"
        r"(?:(?:lack|shortage|scarcity|number|unavailability) of|"
        r"\b(?:no|few|fewer|insufficient|not enough)) (?:\w+ ){0,2}"
        r"(?:patients|participants|subjects|volunteers|candidates)\b|screen(?:ing)? fail",
    ),
    (
        "business",
        r"business|sponsor|fund|financ|budget|strateg|commerc|company|companies|portfolio|"
        r"acqui[rs]|bankrup|insolv|priorit|grant\b|develop\w* (?:program\w*|plan)|"
        r"(?:discontinu|stop|halt|terminat)\w* (?:\w+ ){0,3}development|marketing|licen[cs]|"
        r"\bcosts?\b|\beconomic|contract|resources|manufactur",
    ),
)
"""In this order: what speaks against the drug outranks what came along with it."""
_RULES = tuple((name, bounded(pattern, re.IGNORECASE)) for name, pattern in _TABLE)
_LONGEST = 1_000
"""Characters that are read; the registry allows 250."""
_PANDEMIC = bounded(r"covid|pandemic|sars-cov", re.IGNORECASE)


def classify_stop(why: str) -> StopClass:
    """The class of a reason for stopping; a cause that is denied does not count.

    A trial that stopped because the drug worked is `other`, and so is one that a pandemic stopped
    for the safety of everyone.
    """
    told = _DENIED.sub(
        " ", re.sub(_ASIDE, " ", " ".join(why[:_LONGEST].split()), flags=re.IGNORECASE)
    )
    for name, pattern in _RULES:
        if pattern.search(told):
            return "other" if name == "safety" and _PANDEMIC.search(told) else name
    return "other"


def is_negative_stop(evidence: Evidence) -> bool:
    """Return whether the registry says that a trial stopped for futility, no effect or harm."""
    meta = evidence.metadata
    if meta.status == "WITHDRAWN" or meta.enrollment == 0:
        return False  # nobody was treated, so nothing was found
    return classify_stop(meta.why_stopped or "") in ("efficacy", "safety")


def is_harm_stop(why: str) -> bool:
    """Return whether a reason for stopping is harm and not futility."""
    return classify_stop(why) == "safety"


_STALE = bounded(
    r"\bstatus\b[^;]{0,80}\b(?:out of date|older|outdated|not current)\b|"
    r"\bdisagree on the status\b|"
    r"\b(?:old|20\d\d) copy of the registry|\bregistry list of (?:19|20)\d\d",
    re.IGNORECASE,
)
"""A note that says that the status of a registry entry may have changed since."""
RUNNING = frozenset(
    {"RECRUITING", "ACTIVE_NOT_RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION"}
)


def is_under_way(record: Evidence, today: str) -> bool:
    """Return whether a registry entry shows a trial under way, with its planned end ahead."""
    meta = record.metadata
    if meta.kind != "trial" or meta.why_stopped or meta.has_results:
        return False
    year = re.search(r"\b(?:19|20)\d\d\b", meta.completion_date or "")
    return meta.status in RUNNING and not (year and year.group() < today[:4])


def is_current(record: Evidence) -> bool:
    """Return whether no note says that the status is of an old copy of the registry."""
    return not _STALE.search(record.metadata.note or "")


def told_status(record: Evidence) -> str:
    """The status in words; one that may change, and that the record's note calls old, with that."""
    meta = record.metadata
    return status_words(meta.status or "", meta.note or "", record.citation.date)


def status_words(status: str, note: str, date: str) -> str:
    """The same from a status in capitals, the note kept with its entry, and the entry's date."""
    told = status.replace("_", " ").lower()
    if status in RUNNING and _STALE.search(note):
        return f"{told} (as recorded{f' in {date[:4]}' if date else ''})"
    return told
