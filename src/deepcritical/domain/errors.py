"""All errors that a user can meet. Each says what happened and what to do next."""

from __future__ import annotations

from inspect import signature

from deepcritical.domain.base import Model


class DeepCriticalError(Exception):
    """Root of all errors meant for users.

    It says what happened and what to do next, a sentence each.
    """

    def __init__(self, message: str, advice: str = "") -> None:
        # Exactly the constructor's arguments go to Exception, so that pickling rebuilds the error.
        super().__init__(message, advice)
        self.message = message
        self.advice = advice

    def __str__(self) -> str:
        return f"{self.message} {self.advice}".strip()


class AccessError(DeepCriticalError):
    """The caller lacks the permission for this."""


class AuthenticationError(AccessError):
    """No token was sent, or none that is known here."""


class OwnershipError(AccessError):
    """The run was started by another user."""


class QuotaExceededError(AccessError):
    """Asked for too often within a time."""

    def __init__(self, message: str, advice: str = "", retry_after_s: float = 0.0) -> None:
        super().__init__(message, advice)
        self.retry_after_s = retry_after_s
        self.args = (message, advice, retry_after_s)


class ConfigurationError(DeepCriticalError):
    """A setting, an option or a path is not usable."""


class KeyRefusedError(ConfigurationError):
    """The model's server does not take the key."""


class ModelUnknownError(ConfigurationError):
    """The model's server knows no model of this name."""


class PlanError(ConfigurationError):
    """A plan of research is not there, not readable as one, or goes beyond the limits."""


class SnapshotNotFoundError(ConfigurationError):
    """There is no snapshot of that name or at that path."""


class QuestionError(DeepCriticalError):
    """The question cannot be worked on as it stands."""


class NoVerdictError(QuestionError):
    """The question is none on a drug's effect, so that no report answers it; an answer may."""


class EmptyQuestionError(QuestionError):
    """The question has no words."""


class QuestionDeclinedError(QuestionError):
    """The text was understood, and is not searched.

    `reason` is the value of a `DeclineReason`, or of `QuestionKind` for small talk; `offers` are
    names or questions to ask about instead, the nearest first.
    """

    def __init__(
        self, message: str, advice: str = "", reason: str = "", offers: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message, advice)
        self.reason = reason
        self.offers = tuple(offers)
        self.args = (message, advice, reason, self.offers)


class QuestionTooLongError(QuestionError):
    """The question is longer than the limit."""


class SearchError(DeepCriticalError):
    """A source could not be read."""


class RateLimitError(SearchError):
    """A source refused for the moment.

    `retry_after_s` is None where it did not say for how long.
    """

    def __init__(self, message: str, advice: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(message, advice)
        self.retry_after_s = retry_after_s
        self.args = (message, advice, retry_after_s)


class ReasoningError(DeepCriticalError):
    """A judgement could not be made."""


class BudgetExceeded(DeepCriticalError):  # noqa: N818 - the name that the design gives it
    """A limit of the run was reached."""


class ClaimsUnsupportedError(DeepCriticalError):
    """A report holds references or sentences that its sources do not bear out."""


class ChecksFailedError(DeepCriticalError):
    """Something that a run needs was found not to work."""


class CapacityError(DeepCriticalError):
    """Too many runs are under way; nothing was started."""


class ToolInputError(DeepCriticalError):
    """A tool cannot take what it is given; nothing was run."""


class UnknownToolError(DeepCriticalError):
    """There is no tool of that name."""


class StorageError(DeepCriticalError):
    """Something stored cannot be read or written."""


class DatabaseBusyError(StorageError):
    """The database does not answer for the moment; the same request may succeed soon."""


class DatabaseDamagedError(StorageError):
    """The database is damaged, or is not a database."""


class DatabaseFullError(StorageError):
    """The disk of the database is full; what was kept before is still there."""


class DatabaseReadOnlyError(StorageError):
    """The database, or the disk under it, can only be read."""


class DatabaseUnreachableError(StorageError):
    """No database answers at its address."""


class DocumentError(StorageError):
    """A document of the user's own cannot be read."""


class DocumentNotFoundError(DocumentError):
    """There is no upload of that id, none of this user, or not any more."""


class DocumentTooLargeError(DocumentError):
    """A document has more bytes than are read."""


class SnapshotCorruptError(StorageError):
    """A snapshot is there, but cannot be read as one."""


class TraceNotFoundError(StorageError):
    """There is no trace of that id, or none of this user."""


class TraceEndedError(StorageError):
    """A trace has ended, or goes on elsewhere: nothing more is taken from here."""


class TraceTakenError(TraceEndedError):
    """Another process goes on with the run of a trace."""


class ResearchCancelled(BaseException):
    """The user stopped the run. Not an Exception, so that no framework turns it into text."""


ERRORS: dict[str, type[DeepCriticalError]] = {
    kind.__name__: kind
    for kind in list(globals().values())
    if isinstance(kind, type) and issubclass(kind, DeepCriticalError)
}
"""Every error a user can meet, by its name: as events and records name it."""


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
