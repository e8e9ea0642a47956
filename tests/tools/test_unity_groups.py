"""Which sources are compiled as one file: never two of which one could see what the other keeps to itself."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(os.environ.get("WEFT_SOURCE_DIR", Path(__file__).parents[2])) / "tools/unity_groups.py"


def a_file(*own, uses=""):
    """A source with an anonymous namespace, as the formatter leaves it."""
    lines = ["namespace weft {", "namespace {", "", *own, "", "}  // namespace", "", "int open_to_all() { %s }" % uses, "",
             "}  // namespace weft", ""]
    return "\n".join(lines)


class UnityGroups(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def groups(self, **files):
        """The names of the sources that are compiled together, a list for each group."""
        paths = []
        for name, text in files.items():
            path = Path(self.folder.name, name + ".cpp")
            path.write_text(text, encoding="utf-8")
            paths.append("target\t%s\n" % path)
        run = subprocess.run([sys.executable, str(TOOL)], input="".join(paths), capture_output=True, text=True, check=True)
        made = {}
        for row in run.stdout.splitlines():
            group, path = row.split("\t")
            made.setdefault(group, []).append(Path(path).stem)
        return list(made.values())

    def test_files_without_a_common_name_stand_together(self):
        self.assertEqual(self.groups(a=a_file("int one() { return 1; }"), b=a_file("int two() { return 2; }")), [["a", "b"]])

    def test_what_one_keeps_to_itself_occurs_in_no_other(self):
        function = a_file("int weight(int of) { return of; }")
        for name, other in {
                "the same function": a_file("double weight(double of) { return of; }"),
                "a call": a_file("int two() { return 2; }", uses="return weight(2);"),
                "a return type on a line of its own": a_file("std::map<std::string, std::string>\nweight(int of) {\n}"),
                "a template": a_file("template <class T>\nT weight(T of) {\n  return of;\n}"),
                "a type": a_file("struct weight {};"),
                "a variable of a function": a_file("int two() { int weight = 2; return weight; }")}.items():
            with self.subTest(name):
                self.assertEqual(self.groups(a=function, b=other), [])

    def test_constants_of_one_line(self):
        other = a_file("int two() { return kMost; }")
        self.assertEqual(self.groups(a=a_file("constexpr int kLeast = 1, kMost = 2;"), b=other), [])
        self.assertEqual(self.groups(a=a_file("constexpr int kLeast = 1;"), b=other), [["a", "b"]])

    def test_members_comments_and_texts_are_other_things(self):
        other = a_file('int two() { return self.weight() + at->weight; }  // weight', uses='say("weight");')
        self.assertEqual(self.groups(a=a_file("int weight(int of) { return of; }"), b=other), [["a", "b"]])

    def test_aliases_must_mean_the_same(self):
        json = a_file("using Json = nlohmann::json;")
        self.assertEqual(self.groups(a=json, b=json), [["a", "b"]])
        self.assertEqual(self.groups(a=json, b=a_file("using Json = nlohmann::ordered_json;")), [])
        self.assertEqual(self.groups(a=json, b=a_file("int two() { return 2; }", uses="Json of_others;")), [])

    def test_what_is_behind_the_anonymous_namespace_is_for_all(self):
        self.assertEqual(self.groups(a=a_file("int one() { return 1; }"),
                                     b=a_file("int two() { return 2; }", uses="return open_to_all();")), [["a", "b"]])

    def test_a_file_with_a_macro_stands_alone(self):
        self.assertEqual(self.groups(a="#define TWICE 1\n" + a_file("int one() { return 1; }"), b=a_file("int two();")), [])

    def test_names_of_headers_count(self):
        function = a_file("int trimmed(int of) { return of; }")
        with_header = '#include "base/strings.h"\n' + a_file("int two() { return 2; }")
        self.assertEqual(self.groups(a=function, b=with_header), [], "the header declares one, too")

    def test_groups_do_not_grow_without_end(self):
        many = {"f%02d" % i: a_file("int own_%d() { return %d; }" % (i, i)) for i in range(40)}
        self.assertEqual(sorted(len(group) for group in self.groups(**many)), [8, 16, 16])


if __name__ == "__main__":
    unittest.main()
