"""Weft over HTTP, for a host that must never wait and never fail because of its memory. Needs only Python."""

from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
import threading
import time
from typing import Any, Dict, Optional
from urllib.parse import quote, urlsplit


class Refused(Exception):
    """The server said no. `status` is HTTP's, `code` the kind of error."""

    def __init__(self, status: int, error: Optional[Dict[str, Any]] = None):
        error = error or {}
        super().__init__(error.get("message") or "the server answered with %d" % status)
        self.status = status
        self.code = error.get("code", "internal")


def may_pass(error: Exception) -> bool:
    """Later the same call may go through: the server was away or too busy, at fault itself, or asked for another key."""
    return not isinstance(error, Refused) or error.status >= 500 or error.status in (401, 408, 429)


def wrong_key(key: str) -> str:
    """Why a key cannot be one; empty where it can. The key itself is never named: this goes to logs."""
    return "" if re.fullmatch(r"[\x21-\x7e]*", key) else "the configured key holds characters that no key of Weft has"


class Client:
    """A server. Each call has a connection of its own, so that many threads may share this; redirects are not followed,
    for the key is for this server only."""

    def __init__(self, url: str, key: str = ""):
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("the address of the server is no http:// or https:// one")
        self._secure = parts.scheme == "https"
        self._host, self._port, self._base = parts.hostname, parts.port, parts.path.rstrip("/")
        self._key = key

    def call(self, method: str, path: str, body: Any = None, *, user: str = "", group: str = "",
             seconds: float = 5.0) -> Any:
        """The answer's JSON. Raises Refused where the server says no, TimeoutError where it is not done after so many
        seconds, OSError where it cannot be reached."""
        headers = {"Accept": "application/json"}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        if self._key:
            headers["X-Weft-Key"] = self._key
        if user:
            headers["X-Weft-User"] = quote(user, safe="")
        if group:
            headers["X-Weft-Group"] = quote(group, safe="")
        return within(seconds, lambda: self._exchange(method, self._base + path, data, headers, seconds))

    def _exchange(self, method: str, path: str, data: Optional[bytes], headers: Dict[str, str], seconds: float) -> Any:
        if self._secure:
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                self._host, self._port, timeout=seconds, context=ssl.create_default_context())
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=seconds)
        try:
            connection.request(method, path, body=data, headers=headers)
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        if answer.status >= 300:
            error = value.get("error") if isinstance(value, dict) else None
            raise Refused(answer.status, error if isinstance(error, dict) else None)
        if value is None:
            raise OSError("the server's answer is no JSON")
        return value


def within(seconds: float, work: Any) -> Any:
    """What `work` gives or raises; TimeoutError after so many seconds, while it ends by itself on a thread of its own.
    A socket's own limit counts each read anew, so that a server which answers byte by byte could hold a host for long."""
    outcome: Dict[str, Any] = {}

    def run() -> None:
        try:
            outcome["value"] = work()
        except BaseException as error:  # handed to the caller
            outcome["error"] = error

    thread = threading.Thread(target=run, name="weft-call", daemon=True)
    thread.start()
    thread.join(seconds)
    error = outcome.get("error")
    # The socket's limit is the same, so that either may be first; on old Pythons its error is no TimeoutError yet.
    if thread.is_alive() or isinstance(error, (TimeoutError, socket.timeout)):
        raise TimeoutError("no answer within %d ms" % round(seconds * 1000))
    if error is not None:
        raise error
    return outcome["value"]


class Patience:
    """Whether the server answers, told to a log once each time that it changes; and a pause after a failure, since one
    slow turn is enough to know. May be shared by threads."""

    PAUSE = 15.0  # seconds

    def __init__(self, logger: Any):
        self._logger = logger
        self._lock = threading.Lock()
        self._away = False
        self._paused_until = 0.0

    def paused(self) -> bool:
        with self._lock:
            return time.monotonic() < self._paused_until

    def answered(self) -> None:
        with self._lock:
            was_away, self._away, self._paused_until = self._away, False, 0.0
        if was_away:
            self._logger.info("weft: the memory answers again")

    def failed(self, doing: str, error: Exception) -> None:
        refused = not may_pass(error)
        with self._lock:
            silent = self._away and not refused
            if not refused:
                self._away, self._paused_until = True, time.monotonic() + self.PAUSE
        if not silent:
            self._logger.warning("weft: %s: %s; the host goes on without it", doing, error)
