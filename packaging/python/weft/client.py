"""The engine, loaded from the library that lies beside this file."""

import ctypes
import json
import os
import pathlib
import threading
from typing import Any, Dict, Iterable, Iterator, List, Optional, Union
from urllib.parse import quote, urlencode

Message = Dict[str, Any]
Answer = Dict[str, Any]


class WeftError(Exception):
    """What was wrong; `code` is its kind ("not_found"), `hint` says what to do, `status` is what HTTP would answer."""

    def __init__(self, error: Dict[str, str], status: int = 0):
        super().__init__(error.get("message", "") + (" (%s)" % error["hint"] if error.get("hint") else ""))
        self.code = error.get("code", "internal")
        self.hint = error.get("hint", "")
        self.status = status


def _load() -> ctypes.CDLL:
    path = os.environ.get("WEFT_LIBRARY") or str(pathlib.Path(__file__).parent / "libweft.so")
    library = ctypes.CDLL(path)
    text, freed = ctypes.c_char_p, ctypes.c_void_p
    library.weft_version.restype = text
    library.weft_open.restype = ctypes.c_void_p
    library.weft_open.argtypes = [text, text, ctypes.POINTER(freed)]
    library.weft_close.argtypes = [ctypes.c_void_p]
    library.weft_call.restype = freed
    library.weft_call.argtypes = [ctypes.c_void_p, text, text, text, text, text, ctypes.POINTER(ctypes.c_int)]
    library.weft_free.argtypes = [freed]
    return library


_library = _load()


def version() -> str:
    """The version of the library."""
    return _library.weft_version().decode()


def _taken(pointer: Optional[int]) -> str:
    """The text at a pointer that the library has handed out, which is freed."""
    if not pointer:
        raise MemoryError("the library is out of memory")
    try:
        return ctypes.string_at(pointer).decode()
    finally:
        _library.weft_free(pointer)


class Weft:
    """An open workspace. `settings` are those of `weft settings`, by key: Weft("x", {"recall.auto_top": 5}). One process
    holds a workspace at a time; threads may share this object. Close it, or use it in a `with`."""

    def __init__(self, workspace: Union[str, "os.PathLike[str]"], settings: Optional[Dict[str, Any]] = None):
        error = ctypes.c_void_p()
        self._closing = threading.Lock()
        self._engine = _library.weft_open(os.fspath(workspace).encode(), json.dumps(settings or {}).encode(),
                                          ctypes.byref(error))
        if not self._engine:
            raise WeftError(json.loads(_taken(error.value))["error"])

    def close(self) -> None:
        """Writes what is open and ends. Not while another thread still calls."""
        with self._closing:
            engine, self._engine = self._engine, None
        if engine:
            _library.weft_close(engine)

    def __enter__(self) -> "Weft":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def call(self, method: str, path: str, body: Any = None, user: Optional[str] = None,
             group: Optional[str] = None, **query: Any) -> Any:
        """Any operation of the HTTP interface (`weft help http` lists them), with its JSON answer."""
        if not self._engine:
            raise WeftError({"code": "unavailable", "message": "the workspace is closed"})
        if query:
            path += "?" + urlencode(query)
        status = ctypes.c_int()
        encoded = None if body is None else (body if isinstance(body, str) else json.dumps(body)).encode()
        text = _taken(_library.weft_call(self._engine, method.encode(), path.encode(),
                                         None if user is None else user.encode(),
                                         None if group is None else group.encode(), encoded, ctypes.byref(status)))
        if status.value >= 400:
            raise WeftError(json.loads(text)["error"], status.value)
        try:
            return json.loads(text)
        except ValueError:
            return text

    def user(self, name: str) -> "Scope":
        """The private memory of a user."""
        return Scope(self, user=name)

    def group(self, name: str, speaker: Optional[str] = None) -> "Scope":
        """The shared memory of a group; `speaker` is who speaks now."""
        return Scope(self, user=speaker, group=name)

    def status(self) -> Answer:
        """How it is: models, queue, counts, problems."""
        return self.call("GET", "/healthz")


class Scope:
    """The memory of one user or one group."""

    def __init__(self, weft: Weft, user: Optional[str] = None, group: Optional[str] = None):
        self._weft, self._names = weft, {"user": user, "group": group}

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """Any operation of the HTTP interface, in this scope."""
        return self._weft.call(method, path, body, **self._names, **query)

    def session(self, name: str = "default") -> "Session":
        """One conversation."""
        return Session(self, name)

    def list(self, path: str, name: str, **query: Any) -> Iterator[Answer]:
        """Everything in a list, page by page: for item in scope.list("/v1/items", "items", kind="event")."""
        while True:
            page = self.call("GET", path, **query)
            yield from page[name]
            if "next" not in page:
                return
            query["cursor"] = page["next"]

    def search(self, query: str, **more: Any) -> List[Answer]:
        """What is remembered, the best first; `more` as POST /v1/search takes it."""
        return self.call("POST", "/v1/search", {"query": query, **more})["hits"]

    def profile(self) -> Answer:
        """What is known of the user or the group."""
        kind = "group" if self._names["group"] else "user"
        return self.call("GET", "/v1/profiles/%s/%s" % (kind, quote(self._names[kind] or "default", safe="")))

    def erase(self, **what: Any) -> Answer:
        """Forgets messages and all that came from them, as POST /v1/erase takes it."""
        return self.call("POST", "/v1/erase", what)


class Session:
    """One conversation of a scope."""

    def __init__(self, scope: Scope, name: str):
        self._scope, self._path = scope, "/v1/sessions/" + quote(name, safe="")

    def observe(self, *messages: Union[Message, Iterable[Message]], wait: str = "kept") -> Answer:
        """Takes messages in, in the form of OpenAI or Anthropic. With `wait="decision"` the answer also tells into which
        topics they were put."""
        flat: List[Message] = []
        for one in messages:
            flat.extend([one] if isinstance(one, dict) else one)  # type: ignore[list-item]
        path = self._path + "/messages" + ("" if wait == "kept" else "?wait=" + quote(wait, safe=""))
        return self._scope.call("POST", path, {"messages": flat})

    def context(self, input: Optional[str] = None, **more: Any) -> Answer:
        """Weaves the prompt of the next model call: `messages`, and a `report` of what stands in it and why."""
        return self._scope.call("POST", self._path + "/context", {**({} if input is None else {"input": input}), **more})

    def end(self, **report: Any) -> Answer:
        """Ends an agent's turn: what it did and what it learnt."""
        return self._scope.call("POST", self._path + "/end", report)

    def save(self) -> Answer:
        """Closes the open topic now."""
        return self._scope.call("POST", self._path + "/save")

    def history(self, **query: Any) -> List[Message]:
        """The newest messages, oldest first."""
        return self._scope.call("GET", self._path + "/messages", **query)["messages"]
