"""Handing turns over to the server: in order, each once, and never lost because the server was away."""

from __future__ import annotations

import time
from typing import Any, Dict, List
from urllib.parse import quote

from .client import Client, Patience, may_pass
from .spool import Spool


class Delivery:
    """Turns go behind those that still wait in the spool. For many threads and processes, one at a time; a call sends for
    `seconds` at most."""

    def __init__(self, client: Client, spool: Spool, patience: Patience, logger: Any, seconds: float):
        self._client, self._spool, self._patience, self._logger = client, spool, patience, logger
        self._seconds = seconds

    def hand_over(self, turn: Dict[str, Any]) -> None:
        """`turn` is {user, group, session, messages}. What the server cannot take now waits for the next call."""
        with self._spool.alone():
            waiting = self._spool.read()
            turns = [*waiting, turn]
            taken = self._send(turns)
            if not waiting and taken == len(turns):
                return
            dropped = self._spool.write(turns[taken:])
        if dropped:
            self._logger.warning("weft: too many turns wait for the memory; the oldest %d were dropped", dropped)

    def _send(self, turns: List[Dict[str, Any]]) -> int:
        until = time.monotonic() + self._seconds
        taken = 0
        for one in turns:
            left = until - time.monotonic()
            if left <= 0:
                break
            try:
                self._client.call("POST", "/v1/sessions/%s/messages" % quote(one["session"], safe=""),
                                  {"messages": one["messages"]}, user=one["user"], group=one["group"], seconds=left)
                self._patience.answered()
            except Exception as error:  # whatever it was, the host goes on
                if may_pass(error):
                    self._patience.failed("a turn waits to be observed", error)
                    break
                self._patience.failed("a turn was refused", error)
            taken += 1
        return taken
