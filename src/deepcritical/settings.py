"""Settings from the environment (prefix ``DEEPCRITICAL_``) or a ``.env`` file.

Only bootstrap and the command line read them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AliasChoices, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from deepcritical.domain.live_sources import SourceKey, parse_sources

__all__ = ["Settings"]


class Settings(BaseSettings):
    """What can be set without a command-line option."""

    model_config = SettingsConfigDict(
        env_prefix="DEEPCRITICAL_",
        env_file=".env",
        env_file_encoding="utf-8",
        extra="ignore",
        populate_by_name=True,  # beside the aliases
        use_attribute_docstrings=True,
    )

    sources: Annotated[tuple[SourceKey, ...], NoDecode] = ("pubmed", "clinicaltrials", "europepmc")
    """Live sources that are searched, with commas between them."""
    snapshot: str | None = None
    """Name of a bundled snapshot, or path of a .jsonl file, that is searched instead of them."""
    model: str | None = None
    """Model as provider:name, such as anthropic:claude-opus-4-6; without it rules reason alone."""
    model_base_url: str | None = None
    """Address of the model's server, for local and compatible ones; else the provider's own."""
    model_api_key: SecretStr | None = None
    """Key for the model's server; else OPENAI_API_KEY, ANTHROPIC_API_KEY or HF_TOKEN."""
    openai_api_key: SecretStr | None = Field(default=None, validation_alias="OPENAI_API_KEY")
    """Key that is sent to OpenAI alone."""
    anthropic_api_key: SecretStr | None = Field(default=None, validation_alias="ANTHROPIC_API_KEY")
    """Key that is sent to Anthropic alone."""
    hf_token: SecretStr | None = Field(default=None, validation_alias="HF_TOKEN")
    """Key that is sent to Hugging Face alone."""
    model_profile: Literal["auto", "small", "large"] = "auto"
    """How much a model is asked at once; auto takes small for local servers and small models."""
    model_timeout_s: float = Field(default=60.0, gt=0)
    """Seconds for one answer of the model."""
    max_calls: int | None = Field(default=None, ge=0)
    """Requests to a model in one run; overrides the depth."""
    max_tokens: int | None = Field(default=None, ge=0)
    """Tokens of a model in one run, read and written; overrides the depth."""
    max_cost_usd: float | None = Field(default=None, ge=0)
    """US dollars for a model in one run; kept only where the model's price is known."""
    max_iterations: int | None = Field(default=None, ge=1, le=10)
    """Rounds of search and judgement, 1-10; overrides the depth."""
    deadline_s: float | None = Field(default=None, gt=0)
    """Seconds from the first step after which the report is written; overrides the depth."""
    ncbi_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("DEEPCRITICAL_NCBI_API_KEY", "NCBI_API_KEY")
    )
    """Key for the E-utilities; with it 10 requests a second are allowed, else 3."""
    contact_email: str = ""
    """Address that is sent to NCBI and Crossref, as both ask for."""
    pubmed_url: str = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/"
    """Base address of the E-utilities."""
    clinicaltrials_url: str = "https://clinicaltrials.gov/api/v2/"
    """Base address of ClinicalTrials.gov."""
    europepmc_url: str = "https://www.ebi.ac.uk/europepmc/webservices/rest/"
    """Base address of Europe PMC."""
    crossref_url: str = "https://api.crossref.org/"
    """Base address of Crossref."""
    check_integrity: bool = False
    """Whether retractions of records with a DOI are also looked up in Crossref."""
    http_cache: Path | None = Path("~/.cache/deepcritical/http.sqlite")
    """File that keeps answers of sources; empty keeps nothing."""
    http_cache_ttl_s: float = Field(default=86_400.0, gt=0)
    """Seconds for which an answer is kept."""
    source_deadline_s: float = Field(default=30.0, gt=0)
    """Seconds that a source gets for all queries of a round."""
    embedding_model: str = "sentence-transformers/all-MiniLM-L6-v2"
    """Sentence-transformers model, or its folder, for hybrid retrieval; empty for lexical only."""
    vector_cache: Path | None = Path("~/.cache/deepcritical/vectors.sqlite")
    """File that keeps vectors of texts; empty keeps nothing."""
    chroma_url: str = ""
    """Index of vectors: empty for memory, a folder, or http(s)://host:port of a Chroma server."""
    host: str = "127.0.0.1"
    """Address that the page is bound to; 127.0.0.1 is this machine only."""
    port: int = Field(default=7860, ge=0, le=65535)
    """Port of the page; 0 takes a free one."""

    @field_validator("sources", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return parse_sources(value) if isinstance(value, str) else value

    @field_validator(
        "http_cache", "snapshot", "vector_cache", "model", "model_base_url", mode="before"
    )
    @classmethod
    def _empty_is_none(cls, value: object) -> object:
        return None if value == "" else value
