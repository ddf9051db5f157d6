"""Where calls go and how long they may take."""

from __future__ import annotations

import math
import os
import re
import ssl
from dataclasses import dataclass
from typing import Any, Mapping, Optional
from urllib.parse import urlsplit

from ._errors import misconfigured

_NO_HEADER = re.compile(r"[^\x21-\x7e]")
_MAX_RETRIES = 10
_MAX_CACHE_ENTRIES = 100_000
_LONGEST_SECONDS = 1e9


@dataclass(frozen=True)
class Settings:
    scheme: str
    host: str
    port: int
    #: Path before ``/api/...``, without a slash at its end.
    prefix: str
    #: For sentences.
    url: str
    api_key: str
    context_headers: Mapping[str, str]
    timeout: float
    total_timeout: float
    retries: int
    cache_ttl: float
    cache_stale: float
    cache_entries: int
    meta_properties: Mapping[str, Any]
    ssl_context: Optional[ssl.SSLContext]

    def __repr__(self) -> str:
        """Without the key: a representation ends up in logs."""
        return f"Settings(url={self.url!r})"


def _number(name: str, value: float, least: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise misconfigured(f"{name} is not a number.")
    if value < least or value > most:
        raise misconfigured(f"{name} is {value}: give a number from {least} to {most}.")
    return value


def _parts_of(given: Optional[str]) -> tuple[str, str, int, str, str]:
    """Never puts the address itself into an error: it may hold a password."""
    text = (given or "").strip() or os.environ.get("PLATFORM_URL", "").strip()
    if not text:
        raise misconfigured("The address of the platform is not known: give `url` or set PLATFORM_URL.")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    else:
        if parts.scheme not in ("http", "https"):
            raise misconfigured("The address of the platform begins with http:// or https://.")
    if not host or _NO_HEADER.search(text):
        raise misconfigured(
            "The address of the platform is not a URL: it looks like https://candela.example.com."
        )
    if parts.username is not None or parts.password is not None:
        raise misconfigured(
            "The address of the platform holds a user or password: take it out and give `api_key`."
        )
    prefix = parts.path.rstrip("/")
    url = f"{parts.scheme}://{parts.netloc}{prefix}"
    return parts.scheme, host, port or (443 if parts.scheme == "https" else 80), prefix, url


def _key_of(given: Optional[str]) -> str:
    """A key with a line break in it would be quoted by http.client in its own error."""
    key = (given or "").strip() or os.environ.get("PLATFORM_API_KEY", "").strip()
    if not key:
        raise misconfigured(
            "No API key: give `api_key` or set PLATFORM_API_KEY. Keys are made in Settings, API keys."
        )
    if _NO_HEADER.search(key):
        raise misconfigured(
            "The API key holds blanks, line breaks or other characters that no key of Candela has."
        )
    return key


def resolve_settings(
    *,
    url: Optional[str],
    api_key: Optional[str],
    environment: Optional[str],
    project_id: Optional[str],
    database_config_id: Optional[str],
    timeout: float,
    total_timeout: float,
    retries: int,
    cache_ttl: float,
    cache_stale: float,
    cache_entries: int,
    meta_properties: Optional[Mapping[str, Any]],
    ssl_context: Optional[ssl.SSLContext],
) -> Settings:
    """Fills in what was left out; raises a ``CandelaError`` of code ``configuration`` for what cannot be right."""
    scheme, host, port, prefix, shown = _parts_of(url)
    headers: dict[str, str] = {}
    for name, header, value in (
        ("environment", "x-platform-environment", environment),
        ("project_id", "x-platform-project-id", project_id),
        ("database_config_id", "x-platform-database-config-id", database_config_id),
    ):
        if not value:
            continue
        if _NO_HEADER.search(value):
            raise misconfigured(f"{name} holds characters that no header takes.")
        headers[header] = value
    return Settings(
        scheme=scheme,
        host=host,
        port=port,
        prefix=prefix,
        url=shown,
        api_key=_key_of(api_key),
        context_headers=headers,
        timeout=_number("timeout", timeout, 0.001, _LONGEST_SECONDS),
        total_timeout=_number("total_timeout", total_timeout, 0.001, _LONGEST_SECONDS),
        retries=int(_number("retries", retries, 0, _MAX_RETRIES)),
        cache_ttl=_number("cache_ttl", cache_ttl, 0, _LONGEST_SECONDS),
        cache_stale=_number("cache_stale", cache_stale, 0, _LONGEST_SECONDS),
        cache_entries=int(_number("cache_entries", cache_entries, 1, _MAX_CACHE_ENTRIES)),
        meta_properties=dict(meta_properties or {}),
        ssl_context=ssl_context,
    )
