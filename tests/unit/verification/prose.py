"""Sentences of good English over the invented findings, as an expert would write them."""

from __future__ import annotations

NATURAL = [
    # Words that link, and words for the size of a study.
    ("The trial alone showed no clear effect of examplol on mortality between the groups.", "F3"),
    (
        "In the larger trial examplol showed no clear effect on relapse, but it was reduced in "
        "the smaller one.",
        "F1 F6",
    ),
    ("By contrast, Study E6 already showed no clear effect of examplol on relapse.", "F6"),
    (
        "One trial agrees with the other only in part: relapse was reduced with examplol in "
        "Study E1, whereas Study E6 found no difference.",
        "F1 F6",
    ),
    (
        "The trials conflict: examplol reduced relapse in Study E1 (RR 0.71), but not in Study E6 "
        "(RR 1.02; 0.70-1.48).",
        "F1 F6",
    ),
    ("In a trial of 412 adults examplol reduced relapse, but not in a trial of 300.", "F1 F6"),
    # Usual ways of giving figures.
    (
        "Relapse was less frequent with examplol than with placebo (0.71 [0.55, 0.92]; p=0.01).",
        "F1",
    ),
    ("Examplol reduced relapse compared with placebo: RR 0.71, 95% CI 0.55-0.92.", "F1"),
    (
        "Median survival rose from 6.1 to 9.4 months with examplol (HR 0.80; 95% CI 0.7 to 0.9).",
        "F8",
    ),
    ("Survival was longer with examplol, and 45% vs 30% responded.", "F8"),
    ("With examplol the hazard of death was lower, and survival longer, than with placebo.", "F8"),
    # Labels that hold numbers, and "without".
    ("In the phase 2 CheckUp 227 trial examplol prolonged survival in stage IV testitis.", "F8"),
    (
        "Survival was longer with examplol in a trial that counted events of grade 3 or higher.",
        "F8",
    ),
    (
        "In observational studies without randomisation examplol was associated with a higher "
        "risk of fracture than madeupol.",
        "F2",
    ),
    (
        "Compared with madeupol rather than placebo, examplol was associated with more fracture.",
        "F2",
    ),
    (
        "Fracture was more frequent with examplol than with madeupol in a cohort of patients, not "
        "all of them with testitis.",
        "F2",
    ),
    ("With examplol fracture was more frequent than with madeupol, no randomisation done.", "F2"),
    # Told from the side of the comparator.
    ("Relapse was more frequent with placebo than with examplol in Study E1.", "F1"),
    # How great a change was, and whose result it is.
    ("In the same patients relapse dropped more with examplol than with placebo.", "F1"),
    ("The reduction in relapse was greater with examplol than with placebo.", "F1"),
    # All that was given, and one drug of the class that a finding is told of.
    ("Metformin plus simvastatin reduced relapse compared with placebo.", "F9"),
    ("Semaglutide lowered body weight in a randomised trial of adults with testitis.", "F10"),
    ("Relapse fell less with placebo than with examplol.", "F1"),
    # An apposition, and clauses without a subject.
    (
        "Relapse, the main outcome, fell with examplol, while fracture, a harm, rose.",
        "F1 F2",
    ),
    ("Examplol cut relapse to less than that with placebo.", "F1"),
    ("In the same 412 adults relapse was less frequent with examplol than with placebo.", "F1"),
    ("With examplol relapse fell to less than with placebo.", "F1"),
    ("Examplol lowered relapse (RR 0.71), mortality did not fall (RR 0.98).", "F1 F3"),
    ("Relapse fell with examplol (RR 0.71), mortality did not (RR 0.98).", "F1 F3"),
    ("Examplol lowered relapse, a result not seen in Study E6.", "F1 F6"),
    # Several findings of one study, and one that nobody compared.
    ("Neither mortality nor relapse differed between examplol and placebo.", "F3 F6"),
    (
        "Adults with testitis were studied in Study E1 and Study E6, with examplol and placebo.",
        "F1 F6",
    ),
]
"""Each with the findings that it cites; all of them are true."""
