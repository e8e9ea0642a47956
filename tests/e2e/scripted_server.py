"""What the scripted models' servers share: a server on a free port, from construction until `close`."""

import threading
from http.server import ThreadingHTTPServer


class ScriptedServer:
    """`seen` holds (headers, body) of every call, as `handler` notes them. `left` is set when a client goes away in the
    middle of a stream."""

    def __init__(self, handler, **state):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.seen, self.server.left = [], threading.Event()
        for name, value in state.items():
            setattr(self.server, name, value)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return "http://127.0.0.1:%d/v1" % self.server.server_port

    @property
    def seen(self):
        return self.server.seen

    @property
    def left(self):
        return self.server.left

    def close(self):
        self.server.shutdown()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
