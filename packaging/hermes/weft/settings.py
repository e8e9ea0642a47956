"""What the plug-in is told: $HERMES_HOME/weft.json, then the environment, then what a server of one's own needs."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List

FILE = "weft.json"


@dataclass(frozen=True)
class Settings:
    url: str = "http://127.0.0.1:7077"
    key: str = ""  # of `weft key add`; never written to the file
    user: str = ""  # all private talks are this person's; empty: each sender has a memory of their own
    recall_ms: int = 1500
    observe_ms: int = 5000


FIELDS: List[Dict[str, Any]] = [
    {"key": "url", "description": "Address of the Weft server", "default": Settings.url, "env_var": "WEFT_URL"},
    {"key": "key", "description": "Key of the server, where it asks for one (weft key add)", "secret": True,
     "env_var": "WEFT_KEY"},
    {"key": "user", "description": "Whose memory it is; empty: each sender has a memory of their own", "default": "",
     "env_var": "WEFT_USER"},
]


def _milliseconds(told: Any, variable: str, otherwise: int) -> int:
    """The first of file, environment and default that is a number of milliseconds a host can wait."""
    for value in (told, os.environ.get(variable, "")):
        try:
            number = int(value)
        except (TypeError, ValueError):
            continue
        if 10 <= number < 100_000:
            return number
    return otherwise


def read(home: Path) -> Settings:
    """The settings. A file that cannot be read is as none."""
    try:
        told = json.loads((home / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        told = {}
    if not isinstance(told, dict):
        told = {}

    def text(name: str, variable: str, otherwise: str) -> str:
        value = told.get(name) or os.environ.get(variable) or otherwise
        return value if isinstance(value, str) else otherwise

    return Settings(
        url=text("url", "WEFT_URL", Settings.url),
        key=os.environ.get("WEFT_KEY", ""),
        user=text("user", "WEFT_USER", ""),
        recall_ms=_milliseconds(told.get("recall_ms"), "WEFT_PLUGIN_RECALL_MS", Settings.recall_ms),
        observe_ms=_milliseconds(told.get("observe_ms"), "WEFT_PLUGIN_OBSERVE_MS", Settings.observe_ms),
    )


def save(values: Dict[str, Any], home: Path) -> None:
    """Adds to the file what the setup of the host has asked for. Keys stay in the host's .env."""
    file = home / FILE
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        told = {}
    if not isinstance(told, dict):
        told = {}
    told.update({name: value for name, value in values.items() if name in ("url", "user") and value})
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
