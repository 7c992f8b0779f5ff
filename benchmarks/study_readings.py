"""Time to load 1,000 kept readings, as the second question on a topic has them loaded.

`python -m benchmarks.study_readings`. The readings are made up, on SQLite, each of about 2 KB; they
are kept once, and then looked up five times by the hashes of their texts.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from deepcritical.domain.study.reading import (
    Arm,
    ArmFigure,
    Effect,
    Intervention,
    Population,
    Reader,
    Result,
    StudyReading,
)
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.database_url import normalised_url
from deepcritical.services.storage.study_readings import StudyReadings, reading_key

OUTCOMES = 6
REPEATS = 5


def made_reading(number: int) -> StudyReading:
    """Return a made-up reading of two arms and some outcomes, all of them with figures."""
    results = tuple(
        Result(
            outcome=f"testitis symptoms at week {week}",
            concept="testitis symptoms",
            level="primary" if week == 0 else "secondary",
            a="A",
            b="B",
            better="a",
            effect=Effect(
                measure="MD", value=-1.5 - week, ci_low=-4.0 - week, ci_high=-0.5, p=0.01
            ),
            figures=(
                ArmFigure(arm="A", n=40, value=3.1, spread=1.1),
                ArmFigure(arm="B", n=41, value=4.6, spread=1.2),
            ),
            unit="points",
            sentences=(week + 1,),
        )
        for week in range(OUTCOMES)
    )
    arms = (
        Arm(id="A", label="examplol 10 mg", interventions=(Intervention(name="examplol"),), n=40),
        Arm(id="B", label="placebo", control="placebo", n=41),
    )
    return StudyReading(
        record_id=f"pmid:{99_000_000 + number}",
        text_sha256=hashlib.sha256(str(number).encode()).hexdigest(),
        reader=Reader(kind="model", name="made-up:reader"),
        read_at=datetime.now(UTC),
        kinds=("trial",),
        design=("randomised", "double_blind", "placebo_controlled"),
        population=Population(conditions=("testitis",), n_randomised=81, sentences=(1,)),
        arms=arms,
        results=results,
    )


async def measure(number: int, url: str) -> tuple[float, list[float]]:
    """Return the seconds to keep so many readings, and to load them each time."""
    readings = [made_reading(n) for n in range(number)]
    keyed = {reading_key(r.text_sha256, r.reader.name): r for r in readings}
    hashes = [reading.text_sha256 for reading in readings]
    database = Database(url)
    store = StudyReadings(database)
    await store.find(hashes[:1], "")  # opens and migrates
    begun = time.perf_counter()
    await store.keep(keyed, "")
    kept_s = time.perf_counter() - begun
    loaded_s = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        found = await store.find(hashes, "")
        loaded_s.append(time.perf_counter() - begun)
        if len(found) != number:
            raise SystemExit(f"{len(found)} of {number} readings were found")
    await database.close()
    return kept_s, loaded_s


def main() -> None:
    """Print the seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readings", type=int, default=1_000)
    number = parser.parse_args().readings
    size = len(made_reading(0).model_dump_json(exclude_defaults=True))
    with tempfile.TemporaryDirectory() as folder:
        url = normalised_url(f"sqlite:///{Path(folder) / 'runs.sqlite'}")
        kept_s, loaded_s = asyncio.run(measure(number, url))
    print(f"{number:,} readings of {size:,} characters on SQLite")
    print(f"  to keep them: {kept_s:.3f} s")
    print(f"  to load them: {median(loaded_s):.3f} s (median of {REPEATS}; {max(loaded_s):.3f} s)")


if __name__ == "__main__":
    main()
