"""Access control: who may start, stop and list runs.

On loopback everybody is the local user. Elsewhere a token says who asks, unless the server is
public: then everybody is an anonymous user with a quota, and owns what a random token of his says,
or what his account says where visitors may sign in.
Where tokens are asked for, a run is read by its owner, or with a share link that he makes.
Elsewhere the id of a run, which nobody can guess, is what gives access to read it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import ipaddress
import re
import secrets
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pydantic import SecretStr
from starlette.requests import HTTPConnection
from starlette.responses import Response

from deepcritical.domain import errors
from deepcritical.domain.tool.traces import LOCAL_USER
from deepcritical.interfaces.accounts import account_of
from deepcritical.interfaces.sharing import SHARE, ShareLinks, set_cookie
from deepcritical.tools.rate_limiter import Quota

if TYPE_CHECKING:
    from deepcritical.interfaces.sign_in import SignIn
    from deepcritical.jobs.run import RunView
    from deepcritical.jobs.runs import RunService

OWNER_COOKIE = "deepcritical_owner"
"""Holds the token of an anonymous user of a browser."""
COOKIE_S = 365 * 86_400
RUNS_PER_HOUR = 20
"""Runs that an anonymous user may start in an hour."""
TURNS_PER_RUN = 6
"""Messages of a chat that a user may send for each run that he may start."""
USERS_PER_ADDRESS = 5
"""Factor by which an address may send more: several users share one."""
HEAVY_PER_MINUTE = 60
"""Files and checks of claims that an address may ask a public server for in a minute."""
SESSIONS_PER_HALF_HOUR = 100
"""Sessions that an address may begin before the first one has ended by lying idle."""
MIN_TOKEN_CHARS = 16
_ANONYMOUS = "anonymous-"
_OWNER_TOKEN = re.compile(r"anonymous-[A-Za-z0-9_-]{43}")
_USER = re.compile(r"[A-Za-z0-9._@-]{1,64}")
_TOKEN = re.compile(rf"[!-~]{{{MIN_TOKEN_CHARS},512}}")
_ADVICE = (
    "Write user:token with commas or line breaks between them, tokens of 16 characters or more."
)


class Mode(StrEnum):
    """The way in which callers are identified."""

    LOCAL = "local"
    TOKENS = "tokens"
    PUBLIC = "public"


class Caller(NamedTuple):
    """The sender of a request."""

    user_id: str
    address: str
    """IP address; an IPv6 address stands for its network of 64 bits."""
    anonymous: bool = False
    """True if he has a quota; who signed in has one, too."""
    new_token: SecretStr | None = None
    """A token made for an anonymous user who sent none; without it he cannot show who he is."""

    @property
    def owner_token(self) -> str:
        """The new token, '' without one."""
        return self.new_token.get_secret_value() if self.new_token else ""


class Access:
    """Says who asks, and whether he may.

    `runs_per_hour` are those that an anonymous user may start.
    """

    def __init__(
        self,
        mode: Mode = Mode.LOCAL,
        tokens: Mapping[str, SecretStr] = MappingProxyType({}),
        runs_per_hour: int = RUNS_PER_HOUR,
        shares: ShareLinks | None = None,
        *,
        public_documents: bool = False,
    ) -> None:
        self.mode = mode
        self.takes_documents = public_documents or mode is not Mode.PUBLIC
        """Whether whoever uses the page may upload documents."""
        self.shares = shares or ShareLinks()
        self.sign_in: SignIn | None = None
        """Set where visitors of a public server may sign in."""
        self._users = {user: _digest(token.get_secret_value()) for user, token in tokens.items()}
        self._runs_of_user = Quota(runs_per_hour, 3600)
        self._runs_of_address = Quota(runs_per_hour * USERS_PER_ADDRESS, 3600)
        self._turns_of_user = Quota(runs_per_hour * TURNS_PER_RUN, 3600)
        self._turns_of_address = Quota(runs_per_hour * TURNS_PER_RUN * USERS_PER_ADDRESS, 3600)
        self._heavy_of_address = Quota(HEAVY_PER_MINUTE, 60)
        self._sessions_of_address = Quota(SESSIONS_PER_HALF_HOUR, 1800)

    def identify(self, connection: HTTPConnection) -> Caller:
        """Return the sender of a request.

        Raises:
            AuthenticationError: A token is needed and not sent, or not known.
        """
        address = address_of(connection)
        if self.mode is Mode.LOCAL:
            return Caller(LOCAL_USER, address)
        token = _token_of(connection)
        if user := self._user_of(token):
            return Caller(user, address)
        if self.mode is Mode.TOKENS or (token and not _OWNER_TOKEN.fullmatch(token)):
            raise _unauthenticated(token)
        if not token and (account := account_of(connection)):
            return Caller(account.user_id, address, anonymous=True)
        own = token or connection.cookies.get(OWNER_COOKIE, "")
        if _OWNER_TOKEN.fullmatch(own):
            return Caller(_owner(own), address, anonymous=True)
        new = f"{_ANONYMOUS}{secrets.token_urlsafe(32)}"
        return Caller(_owner(new), address, anonymous=True, new_token=SecretStr(new))

    @property
    def keeps_private(self) -> bool:
        """Return whether a run is read by its owner alone, unless he makes a share link."""
        return self.mode is Mode.TOKENS

    def check_reader(self, connection: HTTPConnection, run_id: str, owner: str = "") -> None:
        """Refuse to let others read a private run.

        `owner` is '' where there is no run of this id.

        Raises:
            AuthenticationError: There is neither a token nor a share link to this run.
            OwnershipError: The run is another user's.
        """
        if not self.keeps_private or self.shares.covers(connection, run_id):
            return
        if SHARE in connection.query_params and not _token_of(connection):
            raise errors.AuthenticationError(
                "This share link has expired, or is not valid.",
                "Ask the owner of the run for a new one.",
            )
        if self.identify(connection).user_id != owner and owner:
            raise errors.OwnershipError(
                "This run is another user's.", "Ask its owner for a share link to it."
            )

    async def readable(
        self, runs: RunService, connection: HTTPConnection, run_id: str
    ) -> RunView | None:
        """Return a run for who may read it; None where there is none of this id.

        Raises:
            AuthenticationError, OwnershipError: As of `check_reader`.
        """
        self.check_reader(connection, run_id)  # first, so that a stranger learns nothing of ids
        run = await runs.find(run_id)
        if run:
            self.check_reader(connection, run_id, run.user_id)
        return run

    def owns(self, connection: HTTPConnection, owner: str) -> bool:
        """Return whether a run of this owner is that of who asks."""
        try:
            return self.identify(connection).user_id == owner
        except errors.AuthenticationError:
            return False

    def admit_run(self, caller: Caller) -> None:
        """Count the start of a run.

        Raises:
            QuotaExceededError: An anonymous user, or his address, started too many.
        """
        _count(caller, self._runs_of_user, self._runs_of_address, "runs")

    def admit_turn(self, caller: Caller) -> None:
        """Count a message of a chat.

        Raises:
            QuotaExceededError: An anonymous user, or his address, sent too many.
        """
        _count(caller, self._turns_of_user, self._turns_of_address, "messages")

    def admit_upload(self, caller: Caller) -> None:
        """Count the upload of a document, as a message of a chat.

        Raises:
            AccessError: The server is public, and takes none of anonymous users.
            QuotaExceededError: As of `admit_turn`.
        """
        if caller.anonymous and not self.takes_documents:
            raise errors.AccessError(
                "This public server takes no files.",
                "Give ids or paste the text, or use a server of your own.",
            )
        self.admit_turn(caller)

    def admit_heavy(self, connection: HTTPConnection) -> None:
        """Count what takes the server work and needs no user: a file, a check of a claim.

        Raises:
            QuotaExceededError: The server is public, and this address asks too often.
        """
        if self.mode is Mode.PUBLIC:
            _admit(self._heavy_of_address.wait_s(address_of(connection)), "such requests")

    def check_sessions(self, connection: HTTPConnection) -> None:
        """Find out whether this address may begin a session.

        Raises:
            QuotaExceededError: It has begun too many, and not everybody is the local user.
        """
        if self.mode is not Mode.LOCAL:
            _admit(self._sessions_of_address.full_s(address_of(connection)), "sessions")

    def count_session(self, connection: HTTPConnection) -> None:
        """Count a session that was begun."""
        self._sessions_of_address.wait_s(address_of(connection))

    def _user_of(self, token: str) -> str:
        """The user of a token, '' for none; every token is compared, each in constant time."""
        given = _digest(token)
        found = [user for user, known in self._users.items() if hmac.compare_digest(known, given)]
        return found[0] if found else ""


def check_owner(caller: Caller, user_id: str) -> None:
    """Refuse what only the owner of a run may do.

    Raises:
        OwnershipError: It is another user's.
    """
    if caller.user_id != user_id:
        raise errors.OwnershipError(
            "Only who started a run may stop or delete it.",
            "Send the token that it was begun with.",
        )


def set_cookies(
    response: Response, caller: Caller | None, connection: HTTPConnection, shares: ShareLinks
) -> None:
    """Let the browser of a new anonymous user remember who he is, and the share link it opens.

    Over HTTPS also within a frame of another site, such as that of a Space: apart from what it
    remembers for other sites, so that none of them can send anything in his name.
    """
    is_secure = connection.url.scheme == "https"
    frames = "SameSite=None; Secure; Partitioned" if is_secure else "SameSite=Lax"
    if opened := shares.opened(connection):
        set_cookie(response, opened, frames)
    if caller and (token := caller.owner_token):
        # By hand: `set_cookie` knows partitions from Python 3.14 on.
        cookie = f"{OWNER_COOKIE}={token}; Max-Age={COOKIE_S}; Path=/; HttpOnly; {frames}"
        response.headers.append("Set-Cookie", cookie)


def access_for(
    host: str,
    tokens: Mapping[str, SecretStr],
    *,
    public: bool = False,
    public_documents: bool = False,
    runs_per_hour: int = RUNS_PER_HOUR,
    share_secret: SecretStr | None = None,
) -> tuple[Access, SecretStr | None]:
    """The access to a server at an IP address, and the token that was made for its only user.

    At no address, '', nobody is local.

    Tokens and `public` hold on loopback, too: whoever sets them there has a proxy in front of it,
    whose users are not local.
    """
    shares = ShareLinks(share_secret)
    if public:
        public_access = Access(
            Mode.PUBLIC, tokens, runs_per_hour, shares, public_documents=public_documents
        )
        return public_access, None
    if tokens:
        return Access(Mode.TOKENS, tokens, shares=shares), None
    if host and is_loopback(host):
        return Access(), None
    made = SecretStr(secrets.token_urlsafe(32))
    return Access(Mode.TOKENS, {LOCAL_USER: made}, shares=shares), made


def parse_tokens(text: str) -> dict[str, SecretStr]:
    """The token of each user, of text with ``user:token`` between commas or on lines.

    Raises:
        ConfigurationError: An entry is none; the error holds no token.
    """
    found: dict[str, SecretStr] = {}
    for number, entry in enumerate(filter(None, map(str.strip, re.split(r"[,\n]", text))), 1):
        user, _, token = entry.partition(":")
        usable = _USER.fullmatch(user) and not user.startswith(_ANONYMOUS)
        if not usable or not _TOKEN.fullmatch(token):
            raise errors.ConfigurationError(
                f"Entry {number} of the tokens is no user:token.", _ADVICE
            )
        if user in found or token in (known.get_secret_value() for known in found.values()):
            raise errors.ConfigurationError(
                f"Entry {number} of the tokens is there twice.", _ADVICE
            )
        found[user] = SecretStr(token)
    return found


def is_loopback(host: str) -> bool:
    """Return whether an IP address is of this machine alone."""
    return ipaddress.ip_address(host.partition("%")[0]).is_loopback


def _token_of(connection: HTTPConnection) -> str:
    """The token of the header: as Bearer, or as the password that a browser asked for."""
    scheme, _, sent = connection.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return sent.strip()
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(sent, validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""


def address_of(connection: HTTPConnection) -> str:
    """The IP address of who asks; an IPv6 address stands for its network of 64 bits."""
    host = connection.client.host if connection.client else ""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if address.version == 4:
        return host
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))


def _digest(token: str) -> bytes:
    # Of one length, so that comparing tells nothing of it.
    return hashlib.sha256(token.encode()).digest()


def _owner(token: str) -> str:
    """The user of an anonymous token: the database, which holds it, gives the token to nobody."""
    return _ANONYMOUS + hashlib.sha256(token.encode()).hexdigest()[:32]


def _unauthenticated(token: str) -> errors.AuthenticationError:
    if token:
        return errors.AuthenticationError(
            "This token is not known here.", "Ask who runs the server."
        )
    return errors.AuthenticationError(
        "This server needs a token.", "Send it in the header Authorization: Bearer TOKEN."
    )


def _count(caller: Caller, of_user: Quota, of_address: Quota, what: str) -> None:
    if caller.anonymous:
        _admit(of_user.wait_s(caller.user_id), what)
        _admit(of_address.wait_s(caller.address), f"{what} from this address")


def _admit(wait_s: float, what: str) -> None:
    if wait_s:
        raise errors.QuotaExceededError(
            f"Too many {what} for now.", f"Try again in {wait_s:.0f} s.", wait_s
        )
