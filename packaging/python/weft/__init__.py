"""Weft: the memory and context of an LLM agent, within a Python program.

    from weft import Weft

    with Weft("my-memory") as weft:
        ann = weft.user("ann")
        ann.session("monday").observe({"role": "user", "content": "My sister Mei lives in Utrecht."})
        prompt = ann.session("friday").context("Where does Mei live?")["messages"]
"""

from .client import Scope, Session, Weft, WeftError, version

__all__ = ["Scope", "Session", "Weft", "WeftError", "version"]
