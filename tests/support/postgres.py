"""A PostgreSQL server of the tests' own: a new cluster in a temporary folder, reached by a socket there.

As a program: `postgres.py start FILE` starts one and writes its URL to FILE, `postgres.py stop FILE` stops it. Run by
root, the server works as the user "postgres" or "nobody", since it refuses root."""

import glob
import os
import pwd
import shutil
import subprocess
import sys
import tempfile

# Tests of one machine: what a power cut would lose is lost with the folder, too. The kill tests kill the server's
# processes, which flushes cannot help against.
SETTINGS = ["fsync=off", "full_page_writes=off", "listen_addresses=''", "max_connections=200", "shared_buffers=64MB"]


def folder_of_programs():
    """Where initdb and pg_ctl lie; None where PostgreSQL is not installed."""
    known = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: int(path.split("/")[4]))
    found = known[-1] if known else shutil.which("initdb")
    return os.path.dirname(found) if found else None


class Postgres:
    def __init__(self, settings=SETTINGS):
        self.programs = folder_of_programs()
        self.folder = tempfile.mkdtemp(prefix="weft-pg-", dir="/tmp")
        self.settings = settings
        if os.geteuid() == 0:
            user = next(name for name in ("postgres", "nobody") if name in {one.pw_name for one in pwd.getpwall()})
            self.as_user = ["setpriv", "--reuid", user, "--clear-groups", "--"]
            os.chown(self.folder, pwd.getpwnam(user).pw_uid, -1)
        else:
            self.as_user = []
        self.run("initdb", "-D", self.data, "-A", "trust", "-U", "weft", "-E", "UTF8", "--locale=C", "--no-sync")
        self.start()

    @property
    def data(self):
        return os.path.join(self.folder, "data")

    def run(self, program, *arguments):
        done = subprocess.run([*self.as_user, os.path.join(self.programs, program), *arguments], text=True, cwd="/",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise RuntimeError("%s: %s" % (program, done.stdout))
        return done.stdout

    def start(self):
        options = " ".join("-c " + one for one in [*self.settings, "unix_socket_directories=" + self.folder])
        # The output goes to a file: the server keeps what it inherits open for as long as it runs.
        self.run("pg_ctl", "-D", self.data, "-l", os.path.join(self.folder, "log"), "-o", options, "-w", "start")

    def stop(self, mode="fast"):
        self.run("pg_ctl", "-D", self.data, "-m", mode, "-w", "stop")

    def url(self, database="postgres"):
        return "postgresql://weft@/%s?host=%s" % (database, self.folder)

    def sql(self, text, database="postgres"):
        return self.run("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", self.url(database), "-c", text)

    def remove(self):
        try:
            self.stop("immediate")
        except RuntimeError:
            pass  # it does not run
        shutil.rmtree(self.folder, ignore_errors=True)


def stop_server_of(file):
    if not os.path.exists(file):
        return
    server = Postgres.__new__(Postgres)
    with open(file, encoding="utf-8") as kept:
        server.folder = kept.read().partition("host=")[2]
    os.remove(file)
    if not server.folder or not os.path.isdir(server.folder) or folder_of_programs() is None:
        return
    server.programs = folder_of_programs()
    owner = str(os.stat(server.folder).st_uid)
    server.as_user = ["setpriv", "--reuid", owner, "--clear-groups", "--"] if os.geteuid() == 0 else []
    server.remove()


def main():
    command, file = sys.argv[1:]
    stop_server_of(file)  # of a run that was broken off, too
    if command == "stop":
        return
    if folder_of_programs() is None:
        print("PostgreSQL is not installed: its tests are left out")
        return
    url = Postgres().url("postgres")
    with open(file + ".new", "w", encoding="utf-8") as kept:
        kept.write(url)
    os.replace(file + ".new", file)


if __name__ == "__main__":
    main()
