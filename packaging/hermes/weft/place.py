"""Whose memory a conversation of the host belongs to, and what it is called there."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any, Dict

MOST_NAME = 200  # characters; the server takes 256
PRIVATE = ("", "dm", "direct", "private")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True)
class Owner:
    """Whose memory. In a group it is the group's, and `user` is who speaks."""

    user: str = ""
    group: str = ""


def safe_name(text: str) -> str:
    """A name that the server takes: long ones and such with control characters become a digest."""
    if len(text) <= MOST_NAME and not _CONTROL.search(text):
        return text
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def session_name(session_id: str) -> str:
    return safe_name("hermes:" + (session_id or "default"))


def owner_of(known: Dict[str, Any], configured: str) -> Owner:
    """What the host says when it begins a session: platform, user_id, chat_id, chat_type. Private talks are the
    configured user's; without one each sender has a memory of their own, and on a terminal, where the host names
    nobody, it is the server's default user, or the key's."""
    platform = str(known.get("platform") or "cli")
    sender = known.get("user_id_alt") or known.get("user_id")
    speaker = safe_name("%s:%s" % (platform, sender)) if sender else ""
    chat_type = str(known.get("chat_type") or "").lower()
    if chat_type not in PRIVATE and known.get("chat_id"):
        return Owner(user=speaker, group=safe_name("%s:%s" % (platform, known["chat_id"])))
    return Owner(user=configured or speaker)
