#!/usr/bin/env python3
"""Takes the pictures of the page for the README, from the demonstration's conversation: docs/images/*.webp."""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../e2e"))
sys.path.insert(0, HERE)

from seed import seed  # noqa: E402
from test_page import can_browse, node  # noqa: E402
from weft_server import WeftServer  # noqa: E402

IMAGES = os.path.join(HERE, "../../docs/images")


def main():
    if not can_browse():
        sys.exit("screenshots need Chromium, playwright-core and axe-core: make setup-tests")
    os.makedirs(IMAGES, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, WeftServer() as server:
        seed(server.url, server.workspace)
        run = node("screenshots.mjs", server.url, folder)
        if run.returncode != 0:
            sys.exit(run.stdout + run.stderr)
        for name in sorted(os.listdir(folder)):
            target = os.path.join(IMAGES, os.path.splitext(name)[0] + ".webp")
            subprocess.run(["cwebp", "-quiet", "-q", "82", os.path.join(folder, name), "-o", target], check=True)
            print("%s %d KB" % (os.path.relpath(target), os.path.getsize(target) // 1024))


if __name__ == "__main__":
    main()
