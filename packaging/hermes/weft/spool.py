"""Turns that the server could not take yet. They wait in a file, so that neither side's restart loses them."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from pathlib import Path
from typing import Any, Dict, Iterator, List

try:
    import fcntl
except ImportError:  # Windows: there one process at a time is the user's care
    fcntl = None  # type: ignore[assignment]

MOST_BYTES = 4 * 1024 * 1024
_of_this_process = threading.Lock()


class Spool:
    """A file of turns, oldest first, which only its owner may read. Agents of a gateway, and the commands beside it, share
    one: who reads and writes holds `alone`."""

    def __init__(self, file: Path):
        self._file = file

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Waits until no other thread and no other process works with the file."""
        with _of_this_process:
            if fcntl is None:
                yield
                return
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = os.open(self._file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
            finally:
                os.close(lock)

    def read(self) -> List[Dict[str, Any]]:
        """All waiting turns; lines that a crash cut off are left out."""
        try:
            text = self._file.read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        turns = []
        for line in text.split("\n"):
            try:
                turn = json.loads(line)
            except ValueError:
                continue
            if isinstance(turn, dict):
                turns.append(turn)
        return turns

    def write(self, turns: List[Dict[str, Any]]) -> int:
        """Puts these turns in the place of the file's. Gives how many of the oldest had no room."""
        lines = [json.dumps(turn) + "\n" for turn in turns]
        size, dropped = sum(map(len, lines)), 0
        while size > MOST_BYTES:
            size -= len(lines[dropped])
            dropped += 1
        if dropped == len(lines):
            self._file.unlink(missing_ok=True)
            return dropped
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = self._file.with_suffix(".new")
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
            out.write("".join(lines[dropped:]))
        new.replace(self._file)
        return dropped
