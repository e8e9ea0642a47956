"""The three programs that the agent of this example works with. They get their arguments as JSON on standard input, and
work in the folder that they are started in."""

import json
import os
import sys


def fetch(asked):
    """Minutes of the archive. Some lie so far down that it answers only after several attempts."""
    place = os.path.join("archive", asked["club"] + ".json")
    if not os.path.exists(place):
        return 1, "error: there are no minutes of the " + asked["club"]
    with open(place, encoding="utf-8") as file:
        kept = json.load(file)
    attempts = asked.get("attempts", 1)
    if attempts < kept["needs"]:
        return 1, "error: the archive did not answer, attempts: %d" % attempts
    return 0, kept["minutes"]


def rules(_):
    return 0, 'minutes_publish takes a club, a text, and as format "html".'


def publish(asked):
    if asked["format"] != "html":
        return 1, 'error: invalid argument: format "%s"' % asked["format"]
    os.makedirs("site", exist_ok=True)
    place = os.path.join("site", asked["club"].replace(" ", "-") + ".html")
    with open(place, "w", encoding="utf-8") as file:
        file.write("<p>%s</p>\n" % asked["text"])
    return 0, "published as " + place


if __name__ == "__main__":
    code, text = {"fetch": fetch, "rules": rules, "publish": publish}[sys.argv[1]](json.load(sys.stdin))
    print(text)
    sys.exit(code)
