"""Say whether the torch that pip would install here is a CPU build.

Usage: `python -m pip install --dry-run --no-deps --report FILE torch`, then this script with FILE.
Exit code 0: a CPU build. 1: it asks for accelerator packages, which are printed.

Only pip and the standard library are there when this runs, so it uses pip's own copy of packaging.
"""

import json
import sys
from pathlib import Path

from pip._vendor.packaging.requirements import Requirement

ACCELERATOR_PREFIXES = ("cuda", "nvidia", "pytorch-triton", "triton")


def find_accelerator_packages(requires_dist: list[str]) -> list[str]:
    """Return the required accelerator packages whose marker holds on this machine."""
    requirements = [Requirement(line) for line in requires_dist]
    return [
        requirement.name
        for requirement in requirements
        if requirement.name.startswith(ACCELERATOR_PREFIXES)
        and (requirement.marker is None or requirement.marker.evaluate({"extra": ""}))
    ]


def main(report: Path) -> int:
    """Read pip's report and return the exit code."""
    items = json.loads(report.read_text(encoding="utf-8"))["install"]
    for item in items:
        metadata = item["metadata"]
        found = find_accelerator_packages(metadata.get("requires_dist", []))
        if found:
            print(f"{metadata['name']} {metadata['version']} here needs {', '.join(found)}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
