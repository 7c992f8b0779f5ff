"""JSON on a terminal: the same data, and nothing that the terminal would obey."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from deepcritical.interfaces.cli.output import plain_json

HOSTILE = "\x1b[2J \x7f \x85 \x9b31m \u202eabc\u2066 \u200b \u2028 \U000e0041 µ 漢 😀"


@given(st.text() | st.just(HOSTILE))
def test_it_is_the_same_data_without_anything_that_steers(text: str) -> None:
    written = plain_json(json.dumps({"made up": [text]}, ensure_ascii=False, indent=2))
    assert json.loads(written) == {"made up": [text]}
    shown = written.replace("\n", "")
    assert {"Cc", "Cf", "Zl", "Zp"}.isdisjoint(map(unicodedata.category, shown))


def test_what_is_readable_stays_readable() -> None:
    assert plain_json('["µ 漢 😀"]') == '["µ 漢 😀"]'


def printed(on_terminal: bool) -> bytes:
    """A file of JSON, printed by a process of its own."""
    code = f"""
from deepcritical.interfaces.cli.output import file_to_stdout
file_to_stdout("json", {json.dumps(["abc" + chr(0x202E)], ensure_ascii=False).encode()!r})
"""
    command = [sys.executable, "-c", code]
    if not on_terminal:
        return subprocess.run(command, capture_output=True, check=True).stdout  # noqa: S603
    ours, terminal = pty.openpty()
    subprocess.run(command, stdout=terminal, check=True)  # noqa: S603 - our own code
    os.close(terminal)
    said = os.read(ours, 1000)
    os.close(ours)
    return said


def test_a_file_is_printed_byte_by_byte_but_on_a_terminal() -> None:
    assert printed(on_terminal=False) == '["abc\u202e"]'.encode()
    assert printed(on_terminal=True) == b'["abc\\u202e"]'
