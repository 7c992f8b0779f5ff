from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepcritical.domain.errors import SearchError
from deepcritical.domain.evidence.kinds import classify_stop
from deepcritical.domain.evidence.record import Evidence
from deepcritical.tools.clinicaltrials.records import parse
from tests.servers.clinicaltrials import made_up_studies, made_up_study

STUDIES = made_up_studies()
GOOD = made_up_study(9999)
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=True),
    st.text(max_size=20),
    st.lists(st.one_of(st.none(), st.integers(), st.text(max_size=5)), max_size=3),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=3),
)


def places(part: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in a study with each of its keys or indexes."""
    keys = part.keys() if isinstance(part, dict) else range(len(part))
    for key in list(keys):
        yield part, key
        if isinstance(part[key], dict | list):
            yield from places(part[key])


@st.composite
def bent_studies(draw: st.DrawFn) -> Any:
    """A study of which up to three places are missing, null or of another type."""
    study = copy.deepcopy(draw(st.sampled_from(STUDIES)))
    for _ in range(draw(st.integers(1, 3))):
        known = list(places(study))
        if not known:
            break
        part, key = draw(st.sampled_from(known))
        if draw(st.booleans()):
            del part[key]
        else:
            part[key] = draw(JUNK)
    return study


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(bent_studies())
def test_a_bent_study_is_read_or_named_and_the_batch_lives(study: Any) -> None:
    parsed = parse(json.dumps({"studies": [study, GOOD]}).encode())
    assert len(parsed.records) + len(parsed.skipped) == 2
    assert parsed.records[-1].metadata.nct_id == "NCT99009999"
    for record in parsed.records:
        assert record.citation.title
        assert record.citation.url.startswith("https://clinicaltrials.gov/study/NCT")
        assert Evidence.model_validate_json(record.model_dump_json()) == record


@given(st.one_of(st.binary(max_size=200), JUNK.map(lambda junk: json.dumps(junk).encode())))
def test_any_payload_is_read_or_a_search_error(payload: bytes) -> None:
    with contextlib.suppress(SearchError):
        assert parse(payload).records == ()


@given(JUNK)
def test_any_page_of_junk_is_read_or_a_search_error(junk: Any) -> None:
    payload = json.dumps({"studies": [junk, junk], "totalCount": junk, "nextPageToken": junk})
    assert len(parse(payload.encode()).skipped) == 2


@given(st.text(max_size=300))
def test_any_reason_has_a_class(why: str) -> None:
    assert classify_stop(why) in ("efficacy", "safety", "business", "enrolment", "other")
