"""Finds out whether the typesetter of the PDF works here."""

from __future__ import annotations

from deepcritical.domain.checks import Check, failed, passed
from deepcritical.domain.errors import ConfigurationError

__all__ = ["check_pdf"]


def check_pdf() -> Check:
    """Whether a page of one word can be set. Blocks for less than a second."""
    try:
        import typst

        written = typst.Compiler(b"checked").compile(format="pdf")
    except (ImportError, OSError, RuntimeError) as error:
        reason = f"The typesetter cannot be used: {error}."
        return failed("PDF", ConfigurationError(reason, "Install the package typst again."))
    size = len(written) if isinstance(written, bytes) else 0
    return passed("PDF", f"a page of one word was set in {size:,} bytes")
