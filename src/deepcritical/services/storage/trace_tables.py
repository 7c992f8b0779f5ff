"""The tables of traces, as the newest migration leaves them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

METADATA = sa.MetaData()
_ID = sa.String(64)


class UtcDateTime(sa.types.TypeDecorator[datetime]):
    """Moments in UTC, also where the database knows no time zones."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """As it is written; SQLite would drop the zone."""
        if value is None or dialect.name != "sqlite":
            return value
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: Any, _dialect: sa.Dialect) -> datetime | None:
        """As it was given."""
        if value is None:
            return None
        known: datetime = value if value.tzinfo else value.replace(tzinfo=UTC)
        return known.astimezone(UTC)


organizations = sa.Table(
    "organizations",
    METADATA,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
)

users = sa.Table(
    "users",
    METADATA,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("org_id", _ID, sa.ForeignKey("organizations.id", name="fk_users_org")),
    sa.Column("created_at", UtcDateTime, nullable=False),
)

tool_traces = sa.Table(
    "tool_traces",
    METADATA,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("user_id", _ID, sa.ForeignKey("users.id", name="fk_traces_user"), nullable=False),
    sa.Column("org_id", _ID, sa.ForeignKey("organizations.id", name="fk_traces_org")),
    sa.Column("tool_name", _ID, nullable=False),
    sa.Column("input_params", sa.JSON, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("progress", sa.Float, nullable=False),
    sa.Column("current_stage", sa.String(32), nullable=False),
    sa.Column("state", sa.JSON, nullable=False),
    sa.Column("result", sa.JSON(none_as_null=True)),
    sa.Column("error_message", sa.Text, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("started_at", UtcDateTime),
    sa.Column("completed_at", UtcDateTime),
    sa.Column("metrics", sa.JSON, nullable=False),
    sa.Index("ix_tool_traces_user_tool", "user_id", "tool_name"),
    sa.Index("ix_tool_traces_status", "status"),
    sa.Index("ix_tool_traces_user_newest", "user_id", "created_at", "id"),
)

trace_events = sa.Table(
    "trace_events",
    METADATA,
    sa.Column(
        "trace_id",
        _ID,
        sa.ForeignKey("tool_traces.id", name="fk_events_trace", ondelete="CASCADE"),
        primary_key=True,
    ),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("key", sa.String(80), nullable=False),
    sa.Column("at", UtcDateTime, nullable=False),
    sa.Column("stage", sa.String(32), nullable=False),
    sa.Column("progress", sa.Float, nullable=False),
    sa.Column("event", sa.JSON, nullable=False),
    sa.UniqueConstraint("trace_id", "key", name="uq_trace_events_key"),
)

jobs = sa.Table(
    "jobs",
    METADATA,
    sa.Column(
        "run_id",
        _ID,
        sa.ForeignKey("tool_traces.id", name="fk_jobs_trace", ondelete="CASCADE"),
        primary_key=True,
    ),
    sa.Column("recipe", sa.JSON, nullable=False),
    sa.Column("worker", _ID, nullable=False),
    sa.Column("queued_at", UtcDateTime, nullable=False),
    sa.Column("queue_deadline", UtcDateTime, nullable=False),
    sa.Column("first_step_at", UtcDateTime),
    sa.Column("takeovers", sa.Integer, nullable=False),
    sa.Column("cancel_requested", sa.Boolean, nullable=False),
    sa.Column("write_now_requested", sa.Boolean, nullable=False),
    sa.Column("lost_at", sa.String(64), nullable=False, server_default=""),
    sa.Column("lost_with_others", sa.Integer, nullable=False, server_default="0"),
    sa.Column("pruned", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("taken_at", sa.Float, nullable=False, server_default="0"),
)
"""Runs that an engine conducts. The worker is the one that took the run in, then who has it, since
`taken_at` (seconds of the database's clock); '' is nobody. Take-overs are the losses of a worker
that had this run alone, at the place where the run was lost last; `lost_with_others` those that
tell less: of one that had others, too, or was lost as soon as it had taken the run up."""

model_answers = sa.Table(
    "model_answers",
    METADATA,
    sa.Column(
        "run_id",
        _ID,
        sa.ForeignKey("tool_traces.id", name="fk_answers_trace", ondelete="CASCADE"),
        primary_key=True,
    ),
    sa.Column("step", _ID, primary_key=True),
    sa.Column("content", _ID, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("sent", sa.Integer, nullable=False),
    sa.Column("answer", sa.Text, nullable=False),
    sa.Column("spent", sa.JSON, nullable=False),
)
"""Requests to models by the step of the run, what was asked, and how often that was asked before;
with the times that each was sent, and its answer once it is there."""

workers = sa.Table(
    "workers",
    METADATA,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("beat_at", sa.Float, nullable=False),
    sa.Column("conducts", sa.Boolean, nullable=False, server_default=sa.true()),
)
"""Processes that have runs, each with its last sign of life (seconds of the database's clock), and
whether it takes those that wait."""

rate_limits = sa.Table(
    "rate_limits",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("free_at", sa.Float, nullable=False),
)
"""Limits that processes share, each with when its next permit is free: seconds of that clock."""

study_readings = sa.Table(
    "study_readings",
    METADATA,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("text_sha256", sa.String(64), nullable=False),
    sa.Column("record_id", sa.Text, nullable=False),
    sa.Column("owner", _ID, nullable=False),
    sa.Column("accepted", sa.Boolean, nullable=False),
    sa.Column("reading", sa.Text, nullable=False),
    sa.Column("kept_at", sa.Float, nullable=False),
    sa.Index("ix_study_readings_text", "text_sha256"),
    sa.Index("ix_study_readings_record", "record_id"),
)
"""Readings by text and reader. The owner is '' for what all share; one that was imported is not
accepted until the operator says so."""

reading_claims = sa.Table(
    "reading_claims",
    METADATA,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("holder", _ID, nullable=False),
    sa.Column("until", sa.Float, nullable=False),
)
"""Readings that a run is making, and until when others wait for them: seconds since 1970."""

uploads = sa.Table(
    "uploads",
    METADATA,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("user_id", _ID, nullable=False),
    sa.Column("record", sa.Text, nullable=False),
    sa.Column("until", sa.Float, nullable=False),
    sa.Index("ix_uploads_until", "until"),
)
"""Documents that users uploaded, as JSON, and until when they are kept: seconds since 1970."""
