"""Settings from the environment (prefix ``DEEPCRITICAL_``) or a ``.env`` file.

Only bootstrap and the command line read them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field, SecretStr, ValidationInfo, create_model, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from deepcritical.domain.errors import ConfigurationError
from deepcritical.domain.model_keys import key_variable, provider_of
from deepcritical.domain.run.budget import Step
from deepcritical.services.chroma import TokenHeader, index_address, token_headers
from deepcritical.services.storage.database_url import normalised_url
from deepcritical.tools.base import SourceDescription
from deepcritical.tools.registry import DEFAULT_KEYS, SOURCES, SourceKey, parse_sources

_PREFIX = "DEEPCRITICAL_"
PRIVATE_NETWORKS = "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,127.0.0.0/8,fc00::/7,::1"
"""Networks in which the proxy of a Space has its address, and no visitor."""
_ENV_FILE = ".env"
_BESIDE: dict[str, None] = dict.fromkeys(
    ("reader_model", "writer_model", "verifier_model", "manager_model", "fallback_model")
)
"""Models beside the one that is set, for which another one is not meant."""
_NAME_IN_FILE = re.compile(r"^\s*(?:export\s+)?(\w+)\s*=", re.MULTILINE)


class NamedKey(NamedTuple):
    """A key, and where it was found."""

    found_in: str
    value: SecretStr


_SOURCE_URLS: dict[str, Any] = {
    source.url_setting: (
        str,
        Field(source.url, description=f"Base address of {source.service or source.name}."),
    )
    for source in SOURCES
    if not source.fixed
}
if TYPE_CHECKING:

    class _WithSources(BaseSettings): ...
else:
    _WithSources = create_model("_WithSources", __base__=BaseSettings, **_SOURCE_URLS)


class Settings(_WithSources):
    """The settings: environment variables for what has no command-line option."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX,
        env_file=_ENV_FILE,
        env_file_encoding="utf-8",
        extra="ignore",
        populate_by_name=True,  # beside the aliases
        use_attribute_docstrings=True,
    )

    sources: Annotated[tuple[SourceKey, ...], NoDecode] = DEFAULT_KEYS
    """Live sources that are searched, with commas between them."""
    snapshot: str | None = None
    """Name of a bundled snapshot, or path of a .jsonl file, that is searched instead of them."""
    model: str | None = None
    """Model as provider:name, such as anthropic:claude-opus-4-6; without it rules reason alone."""
    model_base_url: str | None = None
    """Address of the model's server, for local and compatible ones; else the provider's own."""
    model_api_key: SecretStr | None = None
    """Key for the model's server; else its provider's own variable, such as OPENAI_API_KEY."""
    openai_api_key: SecretStr | None = Field(default=None, validation_alias="OPENAI_API_KEY")
    """Key that is sent to OpenAI alone."""
    anthropic_api_key: SecretStr | None = Field(default=None, validation_alias="ANTHROPIC_API_KEY")
    """Key that is sent to Anthropic alone."""
    hf_token: SecretStr | None = Field(default=None, validation_alias="HF_TOKEN")
    """Key that is sent to Hugging Face alone."""
    reader_model: str | None = None
    """Model that reads records; unset, DEEPCRITICAL_MODEL."""
    writer_model: str | None = None
    """Model for the text of reports and answers; unset, DEEPCRITICAL_MODEL."""
    verifier_model: str | None = None
    """Model that checks sentences; unset, DEEPCRITICAL_MODEL."""
    manager_model: str | None = None
    """Model that manages the team, if a model does; unset, DEEPCRITICAL_MODEL."""
    fallback_model: str | None = None
    """Model that is asked where the server of another fails."""
    reasoning_effort: Literal["low", "medium", "high"] | None = None
    """How long models think before they answer, where their provider lets it be said."""
    model_profile: Literal["auto", "small", "medium", "large"] = "auto"
    """How much DEEPCRITICAL_MODEL is asked at once; auto goes by its context and its parameters."""
    model_context: int | None = Field(default=None, ge=2_000)
    """Tokens of the context of DEEPCRITICAL_MODEL, where that is not known or set otherwise."""
    model_at_once: int | None = Field(default=None, ge=1)
    """Requests to DEEPCRITICAL_MODEL under way at the same time; unset, one to a small model."""
    manager: Literal["guided", "standard"] = "guided"
    """Who names the next agent: code (guided), or the model within limits of code (standard)."""
    model_timeout_s: float = Field(default=60.0, gt=0)
    """Seconds for one answer of the model."""
    max_calls: int | None = Field(default=None, ge=0)
    """Requests that a model answers in one run; overrides the depth."""
    max_tokens: int | None = Field(default=None, ge=0)
    """Tokens of a model in one run, read and written; overrides the depth."""
    max_cost_usd: float | None = Field(default=None, ge=0)
    """US dollars for a model in one run; kept only where the model's price is known."""
    max_iterations: int | None = Field(default=None, ge=1, le=10)
    """Rounds of search and judgement, 1-10; overrides the depth."""
    deadline_s: float | None = Field(default=None, gt=0)
    """Seconds from the first step after which the report is written; overrides the depth.

    Without it a slow model gets more time than the depth has, up to four times as much.
    """
    ncbi_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("DEEPCRITICAL_NCBI_API_KEY", "NCBI_API_KEY")
    )
    """Key for the E-utilities; with it 10 requests a second are allowed, else 3."""
    contact_email: str = ""
    """Address that is sent to NCBI and Crossref, as both ask for."""
    crossref_url: str = "https://api.crossref.org/"
    """Base address of Crossref."""
    drug_facts: bool = True
    """Whether the drugs asked about are looked up in curated sources, which get their names."""
    mychem_url: str = "https://mychem.info/v1/"
    """Base address of MyChem.info."""
    opentargets_url: str = "https://api.platform.opentargets.org/api/v4/"
    """Base address of Open Targets."""
    openfda_url: str = "https://api.fda.gov/"
    """Base address of openFDA."""
    openfda_api_key: SecretStr | None = None
    """Key for openFDA, which without one answers 1,000 requests a day."""
    pubtator_url: str = "https://www.ncbi.nlm.nih.gov/research/pubtator3-api/"
    """Base address of PubTator3."""
    full_text: bool = True
    """Whether open-access full texts are read where the abstract gives no result."""
    check_integrity: bool = False
    """Whether retractions of records with a DOI are also looked up in Crossref."""
    database_url: Annotated[SecretStr | None, Field(validate_default=True)] = Field(
        default=SecretStr("sqlite:///~/.local/share/deepcritical/deepcritical.sqlite"),
        validation_alias=AliasChoices("DATABASE_URL", "DEEPCRITICAL_DATABASE_URL"),
    )
    """Where runs are kept: sqlite:///FILE or postgresql://USER@HOST/NAME; empty keeps nothing."""
    worker_runs: int = Field(default=20, ge=1)
    """Runs that a process conducts at once; more of them wait."""
    user_active: int | None = Field(default=None, ge=1)
    """Runs of a user that all processes conduct at once; unset, 3/4 of DEEPCRITICAL_WORKER_RUNS."""
    all_active: int | None = Field(default=None, ge=1)
    """Runs that all processes conduct at once; unset, as many as there are slots."""
    queue_limit_s: float = Field(default=1800.0, gt=0)
    """Seconds that a run may wait for its first step before it ends as failed."""
    user_runs: int = Field(default=500, ge=1)
    """Runs of one user that may wait or be under way; further ones are refused."""
    keep_events_days: float | None = Field(default=None, gt=0)
    """Days for which the events of ended runs are kept, but for beginning and end; unset, all."""
    keep_runs_days: float | None = Field(default=None, gt=0)
    """Days for which ended runs are kept with all that is theirs; unset, for ever."""
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
    chroma_url: str = Field(
        default="", validation_alias=AliasChoices("CHROMA_URL", "DEEPCRITICAL_CHROMA_URL")
    )
    """Index of vectors: empty for memory, a folder, or http(s)://host:port of a Chroma server."""
    chroma_token: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("CHROMA_TOKEN", "DEEPCRITICAL_CHROMA_TOKEN")
    )
    """Token that is sent to the Chroma server alone."""
    chroma_token_header: TokenHeader = Field(
        default="Authorization",
        validation_alias=AliasChoices("CHROMA_TOKEN_HEADER", "DEEPCRITICAL_CHROMA_TOKEN_HEADER"),
    )
    """Header in which it is sent; in Authorization as a bearer."""
    chat_deadline_s: float = Field(default=120.0, gt=0)
    """Seconds for one answer in a chat; research that is started from it has its own."""
    similar_ttl_days: float = Field(default=30.0, ge=0)
    """Days for which an answered question is offered again for a similar one; 0 never offers."""
    host: str = "127.0.0.1"
    """Address that the page is bound to; 127.0.0.1 is this machine only."""
    port: int = Field(default=7860, ge=0, le=65535)
    """Port of the page; 0 takes a free one."""
    tokens: SecretStr | None = None
    """Who may use the server, as user:token with commas between them; see docs/api.md."""
    tokens_file: Path | None = None
    """File with more of them, one a line."""
    share_secret: SecretStr | None = Field(default=None, min_length=16)
    """Signs share links, 16 characters or more; unset, they end with the server."""
    public: bool = False
    """Whether anybody may use the server, as an anonymous user with a quota."""
    public_runs_per_hour: int = Field(default=20, ge=1)
    """Runs that an anonymous user may start in an hour; an address, five times as many."""
    public_documents: bool = False
    """Whether anonymous users of a public server may upload documents of their own."""
    believed_proxies: str | None = Field(
        default=None, validation_alias=AliasChoices("DEEPCRITICAL_PROXIES", "FORWARDED_ALLOW_IPS")
    )
    """Proxies that are believed who asks: addresses and networks, with commas between them."""
    public_url: str = ""
    """Address at which others reach the server, where a proxy stands in front of it."""
    sign_in: bool = False
    """Whether visitors of a public server may sign in with Hugging Face, on every device."""
    oauth_client_id: str = Field(default="", validation_alias="OAUTH_CLIENT_ID")
    """Name of the application by which they sign in; set by a Space with hf_oauth: true."""
    oauth_client_secret: SecretStr | None = Field(None, validation_alias="OAUTH_CLIENT_SECRET")
    """Its secret; set by such a Space."""
    oauth_scopes: str = Field(default="openid profile", validation_alias="OAUTH_SCOPES")
    """What is asked of them; with inference-api they may use their own token for a model."""
    openid_url: str = Field("https://huggingface.co", validation_alias="OPENID_PROVIDER_URL")
    """Address of whom they sign in with."""
    space_host: str = Field(default="", validation_alias="SPACE_HOST")
    """Name of the Space's server, set by it; they come back to it unless a public URL is set."""
    space_id: str = Field(default="", validation_alias="SPACE_ID")
    """Name of the Hugging Face Space, set by it; there proxies of private networks are believed."""

    @field_validator("sources", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return parse_sources(value) if isinstance(value, str) else value

    @field_validator("database_url")
    @classmethod
    def _with_driver(cls, value: SecretStr | None) -> SecretStr | None:
        return SecretStr(normalised_url(value.get_secret_value())) if value else None

    @field_validator(*_SOURCE_URLS, "crossref_url", "public_url", "openid_url")
    @classmethod
    def _is_address(cls, value: str, field: ValidationInfo) -> str:
        if not value and field.field_name == "public_url":
            return value
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("give an address with http:// or https:// and a host")
        return value

    @field_validator("chroma_url")
    @classmethod
    def _with_port(cls, value: str) -> str:
        return index_address(value)

    @field_validator(
        *("http_cache", "snapshot", "vector_cache", "model", "model_base_url", *_BESIDE),
        *("reasoning_effort", "model_context", "model_at_once", "database_url"),
        *("tokens", "tokens_file", "share_secret"),
        mode="before",
    )
    @classmethod
    def _empty_is_none(cls, value: object) -> object:
        return None if value == "" else value

    def url_of(self, source: SourceDescription) -> str:
        """Base address of a source."""
        return source.url if source.fixed else str(getattr(self, source.url_setting))

    def token_entries(self) -> str:
        """The tokens as they are written, of the variable and of the file.

        Raises:
            ConfigurationError: The file cannot be read.
        """
        written = self.tokens.get_secret_value() if self.tokens else ""
        if self.tokens_file is None:
            return written
        try:
            return f"{written}\n{self.tokens_file.expanduser().read_text(encoding='utf-8')}"
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(
                f"The file of tokens {self.tokens_file} cannot be read.",
                "Correct DEEPCRITICAL_TOKENS_FILE.",
            ) from error

    @property
    def sign_in_client(self) -> tuple[str, str, SecretStr | None, str, str]:
        """This server's address, name and secret of the application, scopes, the provider."""
        space = self.space_host.partition(",")[0]
        address = self.public_url or (space and f"https://{space}")
        known = self.oauth_client_id, self.oauth_client_secret
        return address, *known, self.oauth_scopes, self.openid_url

    @property
    def proxies(self) -> str | None:
        """Proxies that are believed who asks; None for none."""
        if self.believed_proxies is None and self.space_id:
            return PRIVATE_NETWORKS
        return self.believed_proxies

    @property
    def chroma_headers(self) -> dict[str, str]:
        """Return the headers of every request to the Chroma server."""
        token = self.chroma_token.get_secret_value() if self.chroma_token else ""
        return token_headers(token, self.chroma_token_header)

    @property
    def model_key(self) -> NamedKey | None:
        """The key for the model's server; a provider's own key is sent to no other address."""
        if self.model_api_key:
            return NamedKey("DEEPCRITICAL_MODEL_API_KEY", self.model_api_key)
        if self.model is None or self.model_base_url:
            return None
        name = key_variable(self.model)
        own = (self.openai_api_key, self.anthropic_api_key, self.hf_token)
        fields = dict(zip(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "HF_TOKEN"), own, strict=True))
        key = fields[name] if name in fields else _read_one(name)
        return NamedKey(name, key) if key else None

    def of_step(self, step: Step) -> str | None:
        """The model that is set for a step; None for that of the run."""
        model: str | None = getattr(self, f"{step}_model")
        return model

    @property
    def models_beside(self) -> tuple[str, ...]:
        """The variables that name a model beside the one of the run."""
        return tuple(f"{_PREFIX}{name}".upper() for name in _BESIDE if getattr(self, name))

    def with_model(
        self,
        model: str | None = None,
        base_url: str | None = None,
        api_key: SecretStr | None = None,
    ) -> Settings:
        """These settings with another model, address or key, each as far as it is given.

        What was set for one service is sent to no other: with another provider the address and the
        key of the settings are dropped, with another address the key. Models of steps and the
        fallback stay beside the model of the settings, or beside the first one.

        A `model` of '' stands for rules alone.

        Raises:
            ConfigurationError: An address or a key is given, and no model.
        """
        named = (self.model if model is None else model) or None
        if named is None and (base_url or api_key):
            raise ConfigurationError(
                "An address or a key of a model is given, but no model.",
                "Name one as provider:name with --model or in DEEPCRITICAL_MODEL.",
            )
        same_provider = self.model is None or provider_of(named) == provider_of(self.model)
        url = base_url or (self.model_base_url if same_provider else None)
        same_address = self.model_base_url is None and self.model is None
        keeps_key = same_provider and (url == self.model_base_url or same_address)
        key = api_key or (self.model_api_key if keeps_key else None)
        update = {"model": named, "model_base_url": url, "model_api_key": key}
        stays = named is not None and self.model in (None, named)
        return self.model_copy(update=update if stays else {**update, **_BESIDE})

    @classmethod
    def misspelt(cls) -> tuple[str, ...]:
        """Variables that look like settings and are none, each with the name that is close to it.

        Read from the environment and from ``.env``.
        """
        known = set(_variables(cls))
        file = Path(_ENV_FILE)
        lines = file.read_text(encoding="utf-8") if file.is_file() else ""
        given = {*os.environ, *_NAME_IN_FILE.findall(lines)}
        wrong = sorted(n for n in given if n.upper().startswith(_PREFIX) and n.upper() not in known)
        close = {name: get_close_matches(name.upper(), known, 1) for name in wrong}
        return tuple(
            f"{name} (meant: {like[0]}?)" if like else name for name, like in close.items()
        )


class _One(BaseSettings):
    """A variable whose name is known only when it is looked for."""

    model_config = SettingsConfigDict(env_file=_ENV_FILE, env_file_encoding="utf-8", extra="ignore")
    value: SecretStr | None = None


def _read_one(name: str) -> SecretStr | None:
    """The value of a variable, as the settings read theirs."""
    value = Field(default=None, validation_alias=name)
    found = create_model("_Named", __base__=_One, value=(SecretStr | None, value))()
    return found.value


def _variables(settings: type[Settings]) -> Iterator[str]:
    """The names of the variables that are read."""
    for name, field in settings.model_fields.items():
        alias = field.validation_alias
        if isinstance(alias, AliasChoices):
            yield from map(str, alias.choices)
        else:
            yield alias if isinstance(alias, str) else f"{_PREFIX}{name}".upper()
