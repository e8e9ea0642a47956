"""Turns that the server could not take yet. They wait in a file, so that neither side's restart loses them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, List

MOST_BYTES = 4 * 1024 * 1024


class Spool:
    """A file of turns, oldest first, which only its owner may read. Not for several threads at a time."""

    def __init__(self, file: Path):
        self._file = file

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
