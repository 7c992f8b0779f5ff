"""Errors of the domain as data."""

from __future__ import annotations

from inspect import signature

from deepcritical.domain.base import Model
from deepcritical.domain.errors import ERRORS, DeepCriticalError


class RecordedError(Model):
    """An error of the domain; one of a narrower kind is recorded as what it is one of."""

    kind: str
    message: str
    advice: str
    retry_after_s: float | None = None
    reason: str = ""
    offers: tuple[str, ...] = ()

    @classmethod
    def of(cls, error: DeepCriticalError) -> RecordedError:
        """Return the record of an error."""
        kind = next(k.__name__ for k in type(error).__mro__ if ERRORS.get(k.__name__) is k)
        told = {name: getattr(error, name) for name in cls.model_fields if hasattr(error, name)}
        return cls(kind=kind, **told)

    def restored(self) -> DeepCriticalError:
        """Return the error, ready to be raised."""
        kind = ERRORS[self.kind]
        taken = signature(kind).parameters
        return kind(**{name: value for name, value in self if name in taken})
