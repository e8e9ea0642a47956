"""A person uses the command while the server runs: it does what it does without one, on the same memory."""

import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import uuid

from scenario import Scenario, binary, whole

WORDS_ALONE = '[embedding]\nprovider = "none"\n'


def said(text):
    """Output without what differs from run to run: times, and how long something took."""
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)", "TIME", text)
    text = re.sub(r'"(\w+_ms|seconds)":[\d.e+-]+', r'"\1":0', text)
    text = re.sub(r'"timings_ms":\{[^}]*\}', '"timings_ms":{}', text)
    text = re.sub(r'"signals":\[.*?\]', '"signals":[]', text)
    text = re.sub(r"[\d.]+ ms", "0 ms", text)
    text = re.sub(r'"done":\d+', '"done":0', text)  # counted since the engine was opened
    text = re.sub(r"\d{4}-\d\d-\d\d", "DAY", text)
    # A server has files of its own.
    return re.sub(r"searched \d+ files", "searched N files", re.sub(r"[0-9a-f]{16,}", "HEX", text))


class Beside(Scenario):
    toml = WORDS_ALONE

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="weft-beside-")
        self.user = "u" + uuid.uuid4().hex[:8]

    def tearDown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run_weft(self, *arguments, stdin="", workspace=None, code=0, environment=None, **more):
        done = subprocess.run([binary(), "--workspace", workspace or self.server.workspace, *arguments], input=stdin,
                              capture_output=True, text=True, timeout=120, cwd=self.folder,
                              env={**os.environ, **(environment or {})}, **more)
        if code is not None:
            self.assertEqual(done.returncode, code, (arguments, done.stdout, done.stderr))
        return done

    def start(self, *arguments):
        return subprocess.Popen([binary(), "--workspace", self.server.workspace, *arguments], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder)

    def healthy(self):
        return self.call("GET", "/healthz")["status"] == "ok"


class TheSameAsWithout(Beside):
    maxDiff = None

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def write_files(self):
        self.write("hero.json", '{"hero":{"hp":{"value":40,"max":50}}}')
        self.write("request.json", '{"input":"Where is the lighthouse?"}')
        self.write("quests.yaml", "quests:\n  - id: light\n    title: Light the lamp\n    status: available\n")
        self.write("lore/world.md", "# Lighthouse\n\nThe lighthouse of Vell has been dark for a year.\n")
        self.write("ends.json", '{"summary": "Fixed the printer", "timestamp": "2026-01-02 10:00:00"}\n')
        self.write("editor.sh", "#!/bin/sh\necho '- Plays the bassoon.' >> \"$1\"\n")
        os.chmod(os.path.join(self.folder, "editor.sh"), 0o755)

    def journey(self):
        """Command lines with what they read, in an order in which each has something to do."""
        lines = [{"id": "m1", "role": "user", "content": "The lighthouse of Vell stands on the north cape"},
                 {"id": "a1", "role": "assistant", "content": "Noted."},
                 {"id": "m2", "role": "user", "content": "我在杭州的酒店叫蓝鹤"}, {"id": "a2", "role": "assistant", "content": "好。"}]
        stdin = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
        history = json.dumps([{"role": "user", "content": "my horse is called Merlin"}, {"role": "assistant", "content": "noble"}])
        who = ("-u", "ann")
        return [
            (("init",), ""), ((*who, "observe"), stdin), ((*who, "observe"), "no json\n"),
            ((*who, "-s", "h", "observe", "--history"), history), ((*who, "save"), ""), ((*who, "save", "--json"), ""),
            ((*who, "search", "lighthouse"), ""), ((*who, "search", "蓝鹤", "--json"), ""),
            ((*who, "search", "north cape", "--originals"), ""), ((*who, "search", "x", "--from", "gibberish"), ""),
            ((*who, "-s", "new1", "context", "Where is the lighthouse?"), ""),
            ((*who, "-s", "new2", "context", "--request", "request.json", "--explain"), ""),
            ((*who, "-s", "new3", "context", "--request", "-", "--json"), '{"input":"蓝鹤在哪里?"}'),
            ((*who, "state", "put", "@hero.json"), ""), ((*who, "state", "apply", "-"), '[["SET","hero.hp.value",5]]'),
            ((*who, "state", "get"), ""), ((*who, "state", "log"), ""), ((*who, "state", "rollback", "1", "--json"), ""),
            ((*who, "state", "schema"), ""), ((*who, "quest", "import", "quests.yaml"), ""), ((*who, "quest", "list"), ""),
            ((*who, "quest", "move", "light", "in_progress"), ""), ((*who, "lore", "import", "lore"), ""),
            ((*who, "lore", "import", "nothing.md"), ""),
            ((*who, "-s", "e1", "end", "--request", "r1", "--new-info", "I live in Berlin.", "--time", "2026-03-05T14:30:00+01:00"), ""),
            ((*who, "-s", "e2", "end", "--request", "r2", "--new-info", "I live in Porto.", "--time", "2026-03-06T14:30:00+01:00"), ""),
            (("profile", "list"), ""), (("profile", "show", "user:ann"), ""), (("profile", "show", "--id", "ann", "--json"), ""),
            (("profile", "history", "user:ann"), ""), (("profile", "diff", "user:ann", "1"), ""),
            (("profile", "rollback", "user:ann", "1"), ""), (("profile", "edit", "user:ann"), ""), (("profile", "show", "user:ann"), ""),
            ((*who, "tool", "cognitive_search_events", '{"query":"Berlin"}'), ""), ((*who, "tool", "no.such.tool"), ""),
            ((*who, "compact", "--show"), ""), (("migrate", "ends.json"), ""), (("migrate", "nothing.json"), ""),
            (("queue", "status"), ""), (("queue", "list", "--json"), ""), (("queue", "show", "nobody"), ""),
            (("queue", "purge"), ""), ((*who, "-s", "talk", "chat"), "Where is the lighthouse?\n/memory\n/nothing\n/quit\n"),
            ((*who, "-s", "talk2", "chat", "--json"), "蓝鹤在哪里？\n"), ((*who, "erase", "--message", "m1"), ""),
            ((*who, "search", "north cape", "--json"), ""), (("erase", "--everything"), ""),
        ]

    def walk(self, workspace):
        with open(os.path.join(workspace, "weft.toml"), "w") as file:
            file.write(self.toml)
        self.write_files()
        answers = []
        for words, stdin in self.journey():
            done = self.run_weft(*words, stdin=stdin, workspace=workspace, code=None,
                                 environment={"VISUAL": os.path.join(self.folder, "editor.sh")})
            answers.append((words, done.returncode, said(done.stdout).replace(workspace, "WS"),
                            said(done.stderr).replace(workspace, "WS")))
        return answers

    def test_PF_10_every_command_says_the_same_beside_a_server(self):
        alone = os.path.join(self.folder, "alone")
        os.makedirs(alone)
        expected = self.walk(alone)
        got = self.walk(self.server.workspace)
        for without, beside in zip(expected, got):
            self.assertEqual(beside, without)
        self.assertEqual([words for words, code, *_ in got if code not in (0, 1, 2)], [])
        self.assertIn("bassoon", "".join(out for _, _, out, _ in got))
        self.assertTrue(self.healthy())


class OneMemory(Beside):
    def test_PF_18_the_model_is_sent_what_the_command_took_in_and_not_what_it_erased(self):
        for fact, question, part in (("My boat is called the Grey Heron and lies in Kiel", "Where does my boat lie?", "Grey Heron"),
                                     ("我的船叫白鹭号，停在青岛", "我的船停在哪里？", "白鹭号")):
            user = self.user + part[:1].encode().hex()
            line = json.dumps({"id": "b1", "role": "user", "content": fact}, ensure_ascii=False)
            self.run_weft("-u", user, "-s", "old", "observe", stdin=line)
            self.run_weft("-u", user, "-s", "old", "save")
            self.chat([{"role": "user", "content": question}], user=user, session="s" + uuid.uuid4().hex)
            self.assertIn(part, whole(self.sent()))
            self.run_weft("-u", user, "erase", "--everything")
            self.chat([{"role": "user", "content": question}], user=user, session="s" + uuid.uuid4().hex)
            self.assertNotIn(part, whole(self.sent()))

    def test_PF_10_several_commands_at_once_lose_nothing(self):
        count, lines = 12, 20
        failures = []

        def talk(number):
            stdin = "\n".join(json.dumps({"id": "t%d-%d" % (number, i), "role": "user", "content": "note %d of teller %d" % (i, number)})
                              for i in range(lines))
            done = self.run_weft("-u", self.user, "-s", "t%d" % number, "observe", stdin=stdin, code=None)
            if done.returncode != 0 or len(done.stdout.splitlines()) != lines:
                failures.append((number, done.stdout[-300:], done.stderr[-300:]))

        threads = [threading.Thread(target=talk, args=(i,)) for i in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        for number in range(count):
            kept = self.call("GET", "/v1/sessions/t%d/messages?limit=100" % number, user=self.user)["messages"]
            self.assertEqual(len(kept), lines)

    def test_PF_10_commands_without_a_server_wait_for_each_other(self):
        alone = os.path.join(self.folder, "alone")
        os.makedirs(alone)
        with open(os.path.join(alone, "weft.toml"), "w") as file:
            file.write(self.toml)
        codes = []

        def note(number):
            stdin = json.dumps({"role": "user", "content": "note number %d" % number})
            codes.append(self.run_weft("-s", "n%d" % number, "observe", stdin=stdin, workspace=alone, code=None).returncode)

        threads = [threading.Thread(target=note, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(codes, [0] * 4)
        found = json.loads(self.run_weft("search", "note number", "--json", workspace=alone).stdout)["hits"]
        self.assertEqual(len({hit["text"] for hit in found if hit["kind"] == "message"}), 4)

    def test_PF_10_settings_of_a_running_server_are_not_changed_in_silence(self):
        self.run_weft("--set", "embedding.provider=none", "--preset", "balanced", "--log", "off", "search", "x")
        done = self.run_weft("--set", "recall.arm_top=3", "search", "x", code=1)
        self.assertIn("recall.arm_top", done.stderr)
        self.assertIn("recall", self.run_weft("--set", "recall.arm_tpo=3", "search", "x", code=1).stderr)

    def test_PF_10_what_needs_the_workspace_for_itself_says_who_holds_it(self):
        self.assertIn(str(self.server.process.pid), self.run_weft("serve", "--port", "0", code=1).stderr)
        self.assertIn("embedding.model", self.run_weft("reembed", "--model", "x", code=1).stderr)


class ComingAndGoing(Beside):
    def test_PF_10_a_killed_server_leaves_a_socket_that_hinders_nobody(self):
        path = os.path.join(self.server.workspace, "weft.sock")
        self.run_weft("-u", self.user, "observe", stdin='{"role":"user","content":"The key lies under the mat"}')
        self.server.process.send_signal(signal.SIGKILL)
        self.server.process.wait()
        self.server.process.stdout.close()
        self.assertTrue(os.path.exists(path))
        self.assertIn("under the mat", self.run_weft("-u", self.user, "search", "key").stdout)
        self.server.start()
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        self.assertIn("under the mat", self.run_weft("-u", self.user, "search", "key").stdout)
        self.assertTrue(self.healthy())
        self.server.restart()
        self.assertIn("under the mat", self.run_weft("-u", self.user, "search", "key").stdout)

    def test_PF_10_a_command_that_is_killed_leaves_the_server_well(self):
        for _ in range(5):
            command = self.start("-u", self.user, "observe")
            command.stdin.write('{"role":"user","content":"half a')
            command.stdin.flush()
            time.sleep(0.05)
            command.kill()
            command.communicate()
        self.assertTrue(self.healthy())
        self.assertIn("nothing found", self.run_weft("-u", self.user, "search", "half").stdout)

    def test_PF_10_lines_are_answered_as_they_come(self):
        command = self.start("-u", self.user, "observe")
        for i in range(3):
            command.stdin.write(json.dumps({"id": "n%d" % i, "role": "user", "content": "line %d" % i}) + "\n")
            command.stdin.flush()
            self.assertEqual(json.loads(command.stdout.readline())["observations"][0]["id"], "n%d" % i)
        command.communicate()
        self.assertEqual(command.returncode, 0)

    def test_PF_10_an_ending_server_ends_the_commands_that_wait(self):
        command = self.start("-u", self.user, "observe")
        command.stdin.write('{"id":"kept","role":"user","content":"The safe is blue"}\n')
        command.stdin.flush()
        command.stdout.readline()
        self.server.restart()
        out, err = command.communicate(timeout=60)
        self.assertEqual(command.returncode, 1, (out, err))
        self.assertIn("server", err)
        self.assertIn("blue", self.run_weft("-u", self.user, "search", "safe").stdout)

    def test_PF_10_a_socket_that_others_could_use_is_refused(self):
        path = os.path.join(self.server.workspace, "weft.sock")
        os.chmod(path, 0o666)
        try:
            done = self.run_weft("search", "x", code=1)
            self.assertIn("weft.sock", done.stderr)
            self.assertIn("other users", done.stderr)
        finally:
            os.chmod(path, 0o600)
        if os.geteuid() == 0:
            os.chown(path, 65534, -1)
            self.assertIn("65534", self.run_weft("search", "x", code=1).stderr)
            os.chown(path, 0, -1)
        self.run_weft("search", "x")

    def test_PF_10_whatever_is_sent_to_the_socket_the_server_lives(self):
        for bytes_ in (b"", b"GET / HTTP/1.1\r\n\r\n", os.urandom(5000), b"R\xff\xff\xff\xff" + b"x" * 1000,
                       b"R\x05\x00\x00\x00abcde", b"I\x00\x00\x00\x00", b"R\x04\x00\x00\x00a\0b\0"):
            with socket.socket(socket.AF_UNIX) as peer:
                peer.connect(os.path.join(self.server.workspace, "weft.sock"))
                try:
                    peer.sendall(bytes_)
                except OSError:
                    pass
        idle = [socket.socket(socket.AF_UNIX) for _ in range(10)]
        for peer in idle:
            peer.connect(os.path.join(self.server.workspace, "weft.sock"))
        self.run_weft("search", "x")
        self.assertTrue(self.healthy())
        for peer in idle:
            peer.close()

    def test_PF_10_an_edit_reaches_the_profile_of_a_server_that_was_started_elsewhere(self):
        editor = os.path.join(self.folder, "editor.sh")
        with open(editor, "w") as file:
            file.write("#!/bin/sh\necho '- 会吹巴松管。' >> \"$1\"\n")
        os.chmod(editor, 0o755)
        os.makedirs(os.path.join(self.folder, "elsewhere/ws"))
        with open(os.path.join(self.folder, "elsewhere/ws/weft.toml"), "w") as file:
            file.write(self.toml)
        server = subprocess.Popen([binary(), "--workspace", "ws", "serve", "--port", "0"], stdout=subprocess.PIPE, text=True,
                                  cwd=os.path.join(self.folder, "elsewhere"))
        try:
            server.stdout.readline()
            self.run_weft("profile", "edit", "user:ann", workspace="elsewhere/ws", environment={"VISUAL": editor})
            self.assertIn("巴松管", self.run_weft("profile", "show", "user:ann", workspace="elsewhere/ws").stdout)
        finally:
            server.terminate()
            server.wait(timeout=60)
            server.stdout.close()

    def test_PF_10_a_workspace_with_a_long_path(self):
        deep = os.path.join(self.folder, *["d" * 60] * 4)
        os.makedirs(deep)
        with open(os.path.join(deep, "weft.toml"), "w") as file:
            file.write(self.toml)
        server = subprocess.Popen([binary(), "--workspace", deep, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True)
        try:
            server.stdout.readline()
            self.run_weft("observe", stdin='{"role":"user","content":"deep down"}', workspace=deep)
            self.assertIn("deep down", self.run_weft("search", "deep", workspace=deep).stdout)
            self.assertIn("deep down", self.run_weft("search", "deep", workspace=os.path.relpath(deep, self.folder)).stdout)
        finally:
            server.terminate()
            server.wait(timeout=60)
            server.stdout.close()


class Terminal:
    """A person at a terminal."""

    def __init__(self, *command):
        self.shown = b""
        self.pid, self.screen = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm", LC_ALL="C.UTF-8")
            os.execv(command[0], command)

    def type(self, keys):
        time.sleep(0.3)  # a person sees the prompt first; the editor takes the terminal over right behind it
        os.write(self.screen, keys.encode())

    def wait_for(self, text, seconds=60):
        """What came up to the text; what came behind it is kept for the next time."""
        end, wanted = time.time() + seconds, text.encode()
        while wanted not in self.shown:
            if time.time() > end:
                raise AssertionError("%r did not come: %r" % (text, self.shown.decode(errors="replace")))
            if not select.select([self.screen], [], [], 0.2)[0]:
                continue
            try:
                self.shown += os.read(self.screen, 65536)
            except OSError:
                raise AssertionError("%r did not come before the end: %r" % (text, self.shown.decode(errors="replace")))
        before, self.shown = self.shown.split(wanted, 1)
        return (before + wanted).decode(errors="replace")

    def end(self):
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.screen)
        return code


class ChatInTheTerminal(Beside):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # The model's address is known only now.
        with open(os.path.join(cls.server.workspace, "weft.toml"), "w") as file:
            file.write(WORDS_ALONE + '[models.main]\nurl = "%s"\nmodel = "scripted"\n[roles]\nmain = "main"\n' % cls.model.url)
        cls.server.restart()

    def chat_once(self, *command):
        terminal = Terminal(*command)
        terminal.wait_for("> ")
        terminal.type("My boat is the Grey Heorn\x1b[D\x1b[D\x7f\x06o\n")  # a slip, mended with the arrow keys
        terminal.wait_for("You said:")
        terminal.wait_for("> ")
        sent = whole(self.sent())
        terminal.type("船停在青岛，错\x7f对\n")
        terminal.wait_for("You said: ")
        terminal.wait_for("> ")
        self.assertIn("船停在青岛，对", whole(self.sent()))
        terminal.type("\x1b[A\x1b[A\n")  # two lines up in the history
        terminal.wait_for("You said:")
        terminal.wait_for("> ")
        again = self.sent()[-1]["content"]
        terminal.type("/memory\n")
        terminal.wait_for("> ")
        terminal.type("/quit\n")
        self.assertEqual(terminal.end(), 0)
        return sent, again

    def test_PF_10_a_chat_beside_the_server_is_typed_edited_and_repeated(self):
        sent, again = self.chat_once(binary(), "--workspace", self.server.workspace, "-u", self.user, "chat")
        self.assertIn("My boat is the Grey Heron", sent)
        self.assertIn("My boat is the Grey Heron", again)
        self.assertIn("Heron", self.run_weft("-u", self.user, "search", "boat").stdout)

    def test_PF_10_an_interrupted_chat_ends_the_call_and_keeps_the_server(self):
        terminal = Terminal(binary(), "--workspace", self.server.workspace, "-u", self.user, "chat")
        terminal.wait_for("> ")
        terminal.type("Tell it slowly\n")
        terminal.wait_for("You said:")
        self.model.left.clear()
        os.kill(terminal.pid, signal.SIGINT)
        terminal.end()
        self.assertTrue(self.model.left.wait(30))
        self.assertTrue(self.healthy())

    def test_PF_10_a_person_is_asked_before_everything_of_nobody_in_particular_goes(self):
        self.run_weft("observe", stdin='{"role":"user","content":"The attic holds the old maps"}')
        for answer, left in (("no", True), ("yes", False)):
            terminal = Terminal(binary(), "--workspace", self.server.workspace, "erase", "--everything")
            shown = terminal.wait_for("Type yes")
            self.assertIn("1 messages", shown)
            terminal.type(answer + "\n")
            self.assertEqual(terminal.end(), 2 if left else 0)
            self.assertEqual("old maps" in self.run_weft("search", "attic").stdout, left)


if __name__ == "__main__":
    unittest.main()
