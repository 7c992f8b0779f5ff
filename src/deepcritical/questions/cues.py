"""The words by which a question's polarity, its outcomes and its groups are known.

None of them names a drug, a condition or a field: they are what English asks with.
"""

from __future__ import annotations

import re

from deepcritical.domain.text.patterns import bounded
from deepcritical.vocabulary.conditions import find_conditions
from deepcritical.vocabulary.outcomes import term_in
from deepcritical.vocabulary.qualifiers import ADMITTED

SENTENCE_END = bounded(r"(?<! [A-Z]\.)(?<!vs\.)(?<!e\.g\.)(?<=[.!?;]) +")
"""Between two sentences; the point of "C. difficile" ends none."""


def asks_in(text: str) -> tuple[str, str]:
    """The first and the last sentence of a text that asks; all of it where none does."""
    asks = [told for told in SENTENCE_END.split(text) if told.endswith("?")] or [text]
    return asks[0], asks[-1]


def _cue(pattern: str) -> re.Pattern[str]:
    return bounded(rf"\b(?:{pattern})\b", re.IGNORECASE)


_ONLY_SAYS_WHO = (
    r"(?:only|just|sure|on|in|at|taking|respon\w+|tolerat\w+|controlled|cured|enough|know\w*|a|an|"
    r"the|previously|well|suitable|fit|eligible|able|my|yet known)\b"
)
_GAIN = (
    r"better|help|proof|evidence|effects?|differences?|benefits?|excess|use|good|role|advantages?|impact|"
    r"point|value|improvements?|more than placebo|increase|link|association|reason"
)
_DOES = r"(?:does|do|did|is|are|was|were|has|have|had|can|could|will|would|should|ca|wo)"
_DOES_NOT = rf"{_DOES}(?:n['’]?t| not)"
_DOESNT = rf"{_DOES}n['’]?t"
_NEGATIVE = _cue(
    rf"{_DOES_NOT}(?! only)|cannot|no longer|not (?!{_ONLY_SAYS_WHO})|"
    rf"(?:no|little|hardly any) (?:\w+ ){{0,2}}(?:{_GAIN})|waste of|myth|nobody|neither|"
    r"(?<!than )(?<!or )nothing|"
    r"pointless|futile|worthless|hopeless|useless|ineffective|unhelpful|unaffected|unchanged|unable|"
    r"debunked|disproven|disproved|refuted|"
    r"fail(?:s|ed)? (?:to|in|at|for|against)|(?<!have )(?<!has )failed(?=[?.!,]|$)|flop(?:s|ped)|"
    r"(?:were|was) (?:all )?negative|negative (?:trials?|results?)|"
    r"(?:the )?same as placebo|(?:worse than|inferior to) placebo|placebo (?:\w+ ){0,2}better than|"
    r"lacks? (?:of )?(?:\w+ )?(?:efficacy|benefit|effect)|"
    r"never (?:\w+ )?(?:work|help|shown|proven)\w*|without (?:any )?(?:effect|benefit)"
)
_ASIDE = bounded(
    rf"^\W*(?:(?:but|so|and|then|well),? )?{_DOESNT} |"
    r"\b(?:is|was) (?:it|that) not (?=(?:true|so|right|correct|the case|a fact|(?:\w+ )?known)\b)|"
    rf"\b{_DOESNT} (?:it|they|there|he|she|that)\W*$|"
    rf"\bthat {_DOES_NOT}\b|\bso (?:the|my|our|his|her|their|a|an) \w+ {_DOES_NOT}\b|"
    r"\b(?:is|are|was|were|am) not (?:being )?(?:in (?:a |the )?hospital|admitted|hospitali[sz]ed|"
    r"on (?:oxygen|dialysis|ventilat\w+))\b|"
    rf"\b{_DOES_NOT} (?:find|explain|say|tell|tolerate|take|know|understand|remember|sleep)\b|"
    r"\b(?:or|why) not\b|\bwho (?:have|has|had) (?:not|failed)\b|"
    r"\b(?:who|if|when|where|whom|so that) (?:\w+ )?(?:\w+n['’]?t|not|no longer|cannot|fail\w*)\b",
    re.IGNORECASE,
)
"""Negations that expect a yes, or say who somebody is: "isn't it", "those who don't respond"."""
_ASKS_BACK = _cue(
    r"true|correct|right|so|fair|agree|case|myth|evidence|proof|support\w*|that|is it"
)
_MOST_WORDS_BACK = 7
"""Words of a question that asks whether what stands before it is right: "Is that correct?"."""


_FALSE = bounded(
    r"\b(?:it|that|this) (?:\w+ )?(?:false|untrue|incorrect|wrong|inaccurate)\b|"
    r"\b(?:false|untrue|incorrect|wrong|inaccurate) (?:to say |to think )?that\b|"
    r"\bcontradict\w*(?! each)|\brul(?:e|es|ed|ing) out\b",
    re.IGNORECASE,
)
"""Turns round what is asked: whether it is false that there is an effect."""


def is_negative(text: str) -> bool:
    """Return whether a question asks if there is no effect; a story told before does not count.

    "Is it false that it does not help?" asks if it does.
    """
    sentences = SENTENCE_END.split(text)
    asks = [n for n, sentence in enumerate(sentences) if "?" in sentence]
    last = asks[-1] if asks else len(sentences) - 1
    is_short = len(sentences[last].split()) <= _MOST_WORDS_BACK
    asks_back = is_short and _ASKS_BACK.search(sentences[last])
    first = max(last - bool(asks_back), 0)
    asked = sentences[first : last + 1]
    denies = any(_NEGATIVE.search(_ASIDE.sub(" ", told)) for told in asked)
    return denies != any(_FALSE.search(told) for told in asked)


WORSE = _cue(
    r"worsen\w*|worse|cause[sd]?(?! by)|causing|trigger\w*|induc(?:e|es|ing)|aggravat\w*|"
    r"exacerbate\w*|avoid\w*|contra-?indicated|harm\w*|dangerous|unsafe"
)
"""Asks for drugs that do harm, where drugs are asked for."""
RAISES = _cue(
    r"increas\w*|rais(?:e|es|ed|ing)|elevat\w*|higher|greater|more|excess|worsen\w*|worse|caus\w*|"
    r"rise|harm\w*|accelerat\w*|speed\w* up|hasten\w*|trigger\w*"
)
"""More of what is measured, or its getting worse."""
LOWERS = _cue(
    r"reduc\w*|lower\w*|decreas\w*|prevent\w*|fewer|less|improv\w*|helps?|helpful|protect\w*|"
    r"slow\w*|delay\w*|better|benefi\w*|effective\w*|shorten\w*|halv\w*|cuts?|cutting|"
    r"shrink\w*|regress\w*|reliev\w*|slash\w*|postpon\w*|"
    r"(?:keep\w*|kept|stop\w*)(?: \w+){1,3} from|"
    r"(?:stop|halt|avert)s?(?: (?!caus|rais|increas)\w+){0,2} "
    r"(?:worsening|deteriorat\w+|progress\w*|deaths?)"
)
ASKS_WHO = _cue(
    r"whom|which|what|predict\w*|respon\w+|subgroups?|candidates?|select\w*|choose|pick|"
    r"characteristics|markers?|most|best|differ\w*|equally|vary|varies|depend\w*|"
    r"(?<!\w )who|who(?! (?:are|is|have|has|had|was|were|takes?|needs?|can|cannot|did|do)\b)"
)
"""Asks which people do well on a drug, not whether it helps people who are named."""
LISTS_TRIALS = bounded(
    r"^\W*(?:(?:please|can you|could you) )*(?:list|show(?: me)?|name|find) (?:(?:all|the|any|some|"
    r"clinical|randomi[sz]ed|controlled|ongoing|registered) ){0,4}trials\b|"
    r"^(?!(?:does|do|did|is|are|was|were|can|could|will|would|has|have|had|should|how|why|what|which|"
    r"who|show|say|tell)\b)(?:(?!(?:in|from|by|of) )[\w-]+ ){1,6}trials\W*$",
    re.IGNORECASE,
)
"""Asks for the trials that there are, and not for what they found."""
MEDICAL = _cue(
    r"\w+(?:ectom(?:y|ies)|otom(?:y|ies)|ostom(?:y|ies)|plast(?:y|ies)|itis|therap(?:y|ies))|"
    r"(?:endo|laparo|arthro|broncho|colono|gastro|cysto|hystero|thoraco)scop(?:y|ies|ic)|"
    r"(?:mammo|angio|tomo|radio|echocardio|ultrasono)graph(?:y|ic)|"
    r"surg(?:ery|eries|ical|eons?)|patients?|clinical|hospitali[sz]\w+|symptoms?|diagnos\w+|"
    r"prognos\w+|therap(?:y|ies|eutic)|diseases?|disorders?|syndromes?|infect\w+|cancers?|"
    r"tumou?rs?|vaccin\w+|immun\w+|contracept\w+|intrauterine|IUDs?|pregnan\w+|c(?:a?e)sarean|"
    r"preterm|neonat\w+|dialysis|transplant\w*|biops\w+|catheter\w*|stents?|prosthe\w+|MRI|"
    r"CT scans?|ultrasound|x-rays?|blood (?:test|pressure|transfusion)s?|serum|genetic\w*|"
    r"genom\w+|mutations?|proteins?|receptors?|enzymes?|antibod\w+|bacteri\w+|microbio\w+|"
    r"inflamm\w+|cardi\w+|renal|hepatic|pulmonary|neuro\w+|an(?:a?e)sthe\w+|intubat\w+|"
    r"mortality|morbidity|epidemiolog\w+|placebo"
)
"""Words that only medicine and biology use."""
KILLS = bounded(
    r"\b(?:how (?:many|much)|what (?:dose|amount))\b[^.?!]{0,80}\b(?:kills?|killing|murder)"
    r" (?:a |an |some|any|my|your|him|her|one|the )?"
    r"(?:self|person|human|man|woman|adult|child|husband|wife|somebody|someone|body)",
    re.IGNORECASE,
)
"""Asks how much it takes: no classifier is to decide on that."""
HELPS_AND_IS_SAFE = bounded(
    r"\b(?:help|work|effective|efficac|benefi|improv|treat)\w*\b[^?;]*[,;]? (?:and|but)"
    r"(?: \w+){0,4} (?:safe|harm|tolerat|side effects)",
    re.IGNORECASE,
)
"""Asks first if a drug helps, then if it is safe."""
OTHERS = _cue(
    r"other than|besides|beside|except|apart from|alternatives?|instead of|in place of|replace\w*|"
    r"who (?:fail|cannot|can't|do not|don't|did not|didn't)|after failing|failed"
)
"""Words before a drug that is not meant, in a question for candidates."""
COMPARES = _cue(
    r"(?:do(?:es)?(?:n['’]t| not)?|any) differ(?:ent|ence)?s?|compar(?:e|es|ed|ison)|versus|vs|"
    r"head[- ]to[- ]head|(?:better|worse|more|less|fewer|safer|stronger) (?:\w+ ){0,4}than|"
    r"(?:either|one|which) (?:one )?of (?:them|the two|these|those)|just as (?:well|good)"
)
"""Two treatments are set against each other, and not given together."""
SAFETY = bounded(
    r"\b(?:safe|harm|adverse|side.effect|toxic|worsen|impair|damag|danger)", re.IGNORECASE
)
SIDE_EFFECTS = _cue(r"(?:side|unwanted|undesirable|adverse)[- ](?:events?|effects?|reactions?)")
INJURES = _cue(
    r"caus(?:e|es|ed|ing)|(?:injur|damag|harm)(?:e|es|ed|ing|s)?|poison(?:s|ed)?|bring\w* on|"
    r"gives? (?:you|people|them|one)"
)
"""A drug does harm."""
WHICH = bounded(
    r"\b(?:which|what)(?: (?:other|new|oral|topical|of the|kinds? of))? $", re.IGNORECASE
)
"""Before a class of which drugs are asked for."""
LATEST = _cue(
    r"latest|newest|newer|new (?:evidence|data|trials?|studies|research|treatments?)|recent(?:ly)?|"
    r"most recent|up[- ]to[- ]date|current evidence|lately|anything new|this year|20(?:2[4-9]|3\d)"
)

_MORE_OF_IT = bounded(
    r"\b(?:caus(?:e|es|ed|ing)|increas(?:e|es|ed|ing)|rais(?:e|es|ed|ing)|trigger\w*|excess|more|"
    r"higher|worse|bring\w* on|speed\w* up|hasten\w*|accelerat(?:e|es|ed|ing))"
    r"(?: (?!(?:patients?|people|those|with|in|for|of|than)\b)[\w'’-]+){0,2} "
    r"(?:(?:risks?|rates?|chances?|odds|incidence) of (?:the )?)?$",
    re.IGNORECASE,
)
_DOES_GOOD = bounded(
    r"\b(?:stop|avert|treat|cur(?:e|es|ed|ing)|clear|control|achiev|heal|abort|resolv|relie[fv]|"
    r"remission|respon[sd]|toleran|manag|recover|repair|discharg)\w*",
    re.IGNORECASE,
)
"""Before a condition that a drug may bring more of."""
_CLAUSE = re.compile(r"[,;:](?: and| but| or)? | but ")
_NEAR = 100
"""Characters beside a name that are looked at."""


def is_brought(text: str, start: int, end: int) -> bool:
    """Return whether a question says that there may be more of a condition, which stands there."""
    before = _CLAUSE.split(text[max(0, start - _NEAR) : start])[-1]
    clause = f"{before}{text[start:end]}{_CLAUSE.split(text[end : end + _NEAR])[0]}"
    if LOWERS.search(clause) or _DOES_GOOD.search(clause):
        return False
    return bool(_MORE_OF_IT.search(before))


_MEASURES = (
    (
        "mortality",
        "-",
        r"mortality|deaths?|die[sd]?|dying|all-cause mortality|fatal\w*|cv death|"
        r"(?:sav(?:e|es|ed|ing)|costs?|takes?) (?:\w+ )?lives|"
        r"life-?saving|kill(?:s|ed)? (?:patients|people|more)",
    ),
    (
        "survival",
        "+",
        r"overall survival|survival|(?:live|survive)s? longer|OS|length of life|lifespan|"
        r"(?:lengthen|prolong|extend)\w* (?:\w+ )?li(?:fe|ves)",
    ),
    ("progression-free survival", "+", r"progression[- ]free survival|PFS"),
    (
        "recurrence",
        "-",
        r"recurren\w+|relaps(?:es?|ing(?![- ]remitting))|(?:comes?|coming|came) back|"
        r"flare[- ]?ups?|flares?|recurring",
    ),
    ("remission", "+", r"remission|remit\w*"),
    (
        "tumour response",
        "+",
        r"tumou?rs? (?:\w+ )?shrink\w*|shrink\w* (?:\w+ ){0,2}"
        r"(?:tumou?rs?|cancers?|lesions?|\w+omas?|fibroids)|"
        r"tumou?r response|response rates?|pCR",
    ),
    ("exacerbations", "-", r"exacerbations?|attacks?"),
    (
        "progression",
        "-",
        r"progress(?!ive\b)\w*|advanc(?:es?|ing|ement)|course of|"
        r"(?:clinical(?:ly)? |clin )?(?:worsening|deteriorat\w+)|"
        r"(?:gets?|getting|becom(?:e|es|ing)) (?:\w+ ){0,2}worse",
    ),
    (
        "hospitalisation",
        "-",
        r"hospitali[sz]ations?|admissions?|(?:be|being|gets?|getting) admitted to hospital|"
        r"readmission|(?:end\w* up in|out of|need\w*|go(?:es|ing)? (?:in)?to) (?:the )?hospital\b",
    ),
    ("incidence", "-", r"risk of developing|onset|new cases"),
    ("cognition", "+", r"cogniti\w+|memory(?! clinics?\b)"),
    ("seizure frequency", "-", r"seizures?"),
    ("fractures", "-", r"fractur\w+|break fewer bones"),
    ("stroke", "-", r"strokes?"),
    ("pain", "-", r"pain|analges\w+"),
    ("quality of life", "+", r"quality of life|QoL"),
    ("weight", "", r"weight(?: loss| gain)?|BMI"),
    ("blood pressure", "", r"blood pressure"),
    ("HbA1c", "-", r"hba1c|a1c|glyc(?:a?e)mic control|blood sugar|glucose"),
    ("LDL cholesterol", "-", r"ldl(?:[- ]c\w*)?|cholesterol levels?"),
    ("kidney function", "+", r"e?gfr|kidney function|renal function|kidney decline"),
    ("lung function", "+", r"lung function|fev1|fvc|breathing tests"),
    ("live birth", "+", r"live births?|pregnancy rates?"),
    ("cardiovascular events", "-", r"cardiovascular events|mace|cv (?:death|events)|heart attacks"),
    ("symptoms", "-", r"symptoms?"),
    ("sleep", "", r"sleep quality|sleep"),
    ("bone mineral density", "+", r"bone (?:mineral )?density|BMD"),
    ("ovulation", "+", r"ovulat\w+"),
    ("hair growth", "+", r"hair (?:re)?growth"),
    ("abstinence", "+", r"abstinen\w+"),
    ("healing", "+", r"(?:wound |ulcer )?healing"),
    ("function", "+", r"disability|mobility|walking|physical function"),
    (
        "length of stay",
        "-",
        r"length of (?:\w+ )?stay|(?:hospital|hospital's|icu) stays?|days in hospital|LOS|"
        r"(?:go|goes|get|sent) home (?:\w+ )?(?:sooner|earlier)",
    ),
    ("viral load", "-", r"viral (?:load|clearance)|seroconversion"),
    ("bleeding", "", r"bleed\w*|ha?emorrhag\w+"),
    ("transplant survival", "+", r"graft (?:survival|loss|rejection)|rejection"),
    ("vision", "+", r"vision|visual acuity|sight|blind\w*"),
    ("consumption", "", r"drinking|drinks|consumption|intake|craving"),
    ("colectomy", "-", r"colectom\w+"),
    ("relapse-free survival", "+", r"(?:disease|relapse|event)[- ]free survival"),
)
"""Outcomes that trials measure: name, good direction (weight depends on who has it), words."""
OUTCOMES = tuple((name, _cue(pattern)) for name, _, pattern in _MEASURES)

BETTER_HIGHER = frozenset(name for name, better, _ in _MEASURES if better == "+")
BETTER_LOWER = frozenset(name for name, better, _ in _MEASURES if better == "-")

ANIMALS = "animals"
GROUPS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, _cue(pattern))
    for name, pattern in (
        (
            "children",
            r"child(?:ren|hood)?|kids?|p(?:a)?ediatric\w*|infants?|neonat\w+|newborns?|toddlers?|bab(?:y|ies)|"
            r"adolescents?|teen\w*|preterm infants?|boys|girls|juvenile",
        ),
        (
            "older adults",
            r"older|elderly|seniors|geriatric\w*|aged (?:over )?\d+|frail|old (?:people|age)|"
            r"nursing home\w*",
        ),
        ("pregnant women", r"pregnan(?!cy rate)\w+|expectant mothers?|gestation\w*"),
        ("breastfeeding women", r"breast-?feeding|lactat\w+|nursing mothers?"),
        ("women", r"wom[ae]n|females?|postmenopausal"),
        ("men", r"men|males?"),
        ("people on dialysis", r"dialysis|ha?emodialysis"),
        (
            "people with kidney impairment",
            r"(?:renal|kidney) (?:impairment|insufficiency)|impaired kidney function|"
            r"kidneys are impaired|(?:reduced|poor|impaired) renal function|renal function is poor",
        ),
        (
            "people on mechanical ventilation",
            r"ventilated|(?:on|under) (?:\w+ )?ventilat(?:ion|ors?)",
        ),
        ("critically ill people", r"critically ill|intensive care|ICU"),
        (
            "inpatients",
            r"in-?p(?:atien)?ts?|(?<!non)(?<!non-)hospitali[sz]ed|(?<!up )(?<!not )"
            rf"(?<!not being )in hospital|hospital patients|{ADMITTED}",
        ),
        (
            "outpatients",
            r"out-?p(?:atien)?ts?|non-?hospitali[sz]ed|ambulatory|not (?:being )?in hospital",
        ),
        ("healthy people", r"healthy (?:people|adults|volunteers|subjects)"),
        (
            "people after a transplant",
            r"transplant (?:recipients?|patients?)|"
            r"(?:after|following) (?:[\w-]+ ){0,3}transplant\w*",
        ),
        ("healthcare workers", r"health-? ?care (?:workers?|personnel|professionals?|staff)"),
        ("surgical patients", r"(?:after|before|during) surgery|surgical patients|perioperative"),
        ("athletes", r"athletes?"),
        ("veterans", r"veterans"),
        ("Asian people", r"asians?|chinese|japanese|koreans?|taiwanese"),
        (ANIMALS, r"mice|mouse|rats?|dogs?|animals?"),
    )
)
"""The people who are studied, under one name each."""
_CHANGED = bounded(
    r"\b(?:reduc|lower|decreas|lessen|cut|improv|increas|enhanc|prevent|avoid|shorten|prolong|slow|"
    r"preserv|restor|protect)\w* (?:the |an? |any |their )?(?P<what>"
    r"(?:(?:need|use|rate|risk|number|level)s? (?:for|of) )?[a-z][\w -]{2,60}?)"
    r"(?= (?:in|for|of|among|during|after|with|when|by|on|to|than|compared|versus|vs|over|at)\b|"
    r"[?.!,;:]|$)",
    re.IGNORECASE,
)
"""Words for a change that a drug is to bring: "reduce the need for ventilation in"."""


def measures_in(text: str, taken: str = "") -> tuple[str, ...]:
    """Return what is measured; of "progression-free survival" not survival and progression, too.

    Args:
        text: Where it is said.
        taken: Words of it that mean something else.
    """
    found = [
        (name, match.start(), match.end())
        for name, pattern in OUTCOMES
        for match in pattern.finditer(text)
        if match[0].casefold() not in taken
    ]
    whole = [
        name
        for name, start, end in found
        if not any(s <= start and end <= e and (s, e) != (start, end) for _, s, e in found)
    ]
    return tuple(dict.fromkeys(whole))


def changed_in(text: str) -> tuple[str, ...]:
    """Return what a drug is to change, in the question's own words; () for a condition.

    Only what the table of outcomes knows counts: other words may mean anything.
    """
    found = []
    for match in _CHANGED.finditer(text):
        what = " ".join(match["what"].split())
        term = term_in(what)
        if term and not term.construct.generic and not find_conditions(what, any_case=True):
            found.append(what)
    return tuple(dict.fromkeys(found))
