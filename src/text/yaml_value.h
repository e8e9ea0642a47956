#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/json.h"
#include "text/record.h"
#include "weft/result.h"

/// Described structs as YAML that people read and edit. Scalars of YAML are text here; what each of them is says the
/// struct's own schema, so "007" stays a text in a text field and becomes no number.
namespace weft {

/// Bounds on YAML from outside.
struct YamlLimits {
  std::size_t max_bytes = 4 * 1024 * 1024;
  std::size_t max_depth = 32;
  std::size_t max_nodes = 200'000;  ///< keys, scalars, lists and maps together
};

/// Reads one YAML document as a tree. Scalars are text as it stands ("007" keeps its zeros, "no" is a word); only an
/// empty or null one is told apart. Refused with kInvalidArgument or kTooLarge, naming the line: what is not UTF-8 or
/// not YAML, anchors and aliases (a few lines of them stand for gigabytes), keys that are not words or stand twice, a
/// second document, and whatever is over the limits. Errors begin with `what`. Safe from any thread.
Result<Value> parse_yaml_value(std::string_view yaml, const YamlLimits& limits, std::string_view what);

/// Where each value of a tree begins: its line, from 1, by its place ("rules[1].strategy"; the whole is ""). A member
/// begins where its key stands, an element behind its dash.
using YamlLines = std::map<std::string, std::size_t, std::less<>>;

struct YamlTree {
  Value value;
  YamlLines lines;
};

/// As `parse_yaml_value`, with the lines.
Result<YamlTree> parse_yaml_tree(std::string_view yaml, const YamlLimits& limits, std::string_view what);

/// Whether YAML reads the text back as this very text when it stands without quotes as a value in block style.
/// Cautious: what older readers take for a date, a time, "yes" or "off" counts as something else too.
bool is_plain_yaml(std::string_view text);

/// Whether it also may stand without quotes as a key, or inside { }.
bool is_plain_yaml_key(std::string_view text);

/// Appends the text in double quotes, with escapes for what may not stand there.
void append_quoted_yaml(std::string& out, std::string_view text);

/// How a tree is laid out.
struct YamlOptions {
  std::size_t indent = 0;        ///< spaces before every line
  bool flow_entities = true;  ///< an object with an "id" and nothing nested goes on one line: { id: "a", count: 1 }
  bool harmless = false;  ///< characters that deceive are left out, see `is_harmful`; else they are escaped
  bool text_blocks = false;  ///< members that are texts of several lines become blocks ("|-"), for files of people
  std::size_t max_depth = 64;  ///< of nested containers
};

/// The tree as YAML 1.2 for a prompt: block style, two spaces a level, members in their order, a line break behind each
/// line. The same value gives the same bytes, and reading them gives the same data.
///
/// - Text is quoted where reading it plain would give something else, always inside { }, and always for `_anchor`.
/// - A described value, an object of exactly `value` and `description`, becomes `85 (wounded)`. It stands there without
///   quotes; text that only looks so is quoted. Where that form would be ambiguous it stays an object.
/// - Text of several lines is one quoted line, so no stored text begins a line of its own, unless `text_blocks`.
///
/// Linear in the size; some 3 ms for 10,000 entities. Broken UTF-8 becomes U+FFFD. kInvalidArgument where containers
/// are nested deeper than `max_depth`.
Result<std::string> write_yaml(const Value& value, const YamlOptions& options = {});

/// The JSON that a tree read from YAML stands for under a schema without references. Numbers and flags become such
/// where the schema wants them; what is none stays a text, for the record to refuse. Where the schema takes any JSON, a
/// text that is JSON is taken for it.
std::string yaml_as_json(const Value& tree, const Value& schema);

/// An error of a record with the line of the place that it names, as "what: line 7: "confidence" must be …". `root` is
/// where the record stands in the tree.
Error with_yaml_line(Error error, const YamlLines& lines, const std::string& root, std::string_view what);

/// JSON of a record laid out for people: block style, texts of several lines as such. What may be any JSON stands as a
/// text of JSON, or its numbers would come back as texts.
std::string yaml_of_json(std::string_view json, const Value& schema, std::size_t indent);

template <Described T>
const Value& plain_schema() {
  static const Value made = [] {
    SchemaBook book(true);
    return record<T>().schema(book);
  }();
  return made;
}

/// Reads one struct from a value of a tree.
template <Described T>
Result<T> read_yaml_value(const Value& value, const YamlLines& lines, const std::string& root, std::string_view what) {
  T made{};
  const std::string json = yaml_as_json(value, plain_schema<T>());
  const Status read = json.starts_with('{') ? record<T>().read(json, "", made)
                                            : Status(invalid_argument("must be a map of names and values"));
  if (!read.ok()) return with_yaml_line(read.error(), lines, root, what);
  return made;
}

/// Reads a file that is one struct. Errors name `what`, line and key.
template <Described T>
Result<T> read_yaml_record(std::string_view yaml, std::string_view what, const YamlLimits& limits = {}) {
  WEFT_TRY(const YamlTree tree, parse_yaml_tree(yaml, limits, what));
  return read_yaml_value<T>(tree.value, tree.lines, "", what);
}

/// The struct as a YAML document. Reading it gives the same struct.
template <Described T>
std::string to_yaml(const T& value, std::size_t indent = 0) {
  return yaml_of_json(to_json(value), plain_schema<T>(), indent);
}

/// Entries of a list in a file: those that could be read, and what is wrong with the others.
template <class T>
struct YamlEntries {
  std::vector<T> good;
  std::vector<Error> bad;
  std::vector<std::string> bad_text;  ///< of each bad one, the lines as they stand in the file
};

/// The lines of an element of the list at `list` ("rules"), as they stand, up to the next element or key.
std::string yaml_element_text(std::string_view yaml, const YamlTree& tree, const std::string& list, std::size_t index);

/// Reads the list under the key `list` of a document. One bad entry takes no other with it. An error only where the
/// document is no YAML, or `list` no list; a document without it has no entries.
template <Described T>
Result<YamlEntries<T>> read_yaml_list(std::string_view yaml, const YamlTree& tree, const std::string& list,
                                      std::string_view what) {
  YamlEntries<T> entries;
  const Value* found = tree.value.find(list);
  if (found == nullptr || found->is_null()) {
    if (tree.value.is_null() || tree.value.object() != nullptr) return entries;
    return invalid_argument(std::string(what) + ": line 1: must be a map with the key \"" + list + "\"");
  }
  if (found->list() == nullptr) return with_yaml_line(wrong_field(list, "a list"), tree.lines, "", what);
  for (std::size_t i = 0; i < found->list()->size(); ++i) {
    const std::string root = list + "[" + std::to_string(i) + "]";
    auto one = read_yaml_value<T>((*found->list())[i], tree.lines, root, what);
    if (one.ok()) {
      entries.good.push_back(std::move(one).value());
    } else {
      entries.bad.push_back(one.error());
      entries.bad_text.push_back(yaml_element_text(yaml, tree, list, i));
    }
  }
  return entries;
}

/// An element of a list: the YAML of a record, and one that could not be read, as it stood. The dash of the latter may
/// have stood further in than those of our lists; then it would be none of theirs.
std::string yaml_element(std::string_view yaml);
std::string moved_yaml_element(std::string_view element);

/// A list as `read_yaml_list` reads it, those that could not be read behind the others.
template <Described T>
std::string to_yaml_list(const std::string& list, const std::vector<T>& entries,
                         const std::vector<std::string>& bad_text) {
  if (entries.empty() && bad_text.empty()) return list + ": []\n";
  std::string text = list + ":\n";
  for (const T& entry : entries) text += yaml_element(to_yaml(entry));
  for (const std::string& bad : bad_text) text += moved_yaml_element(bad);
  return text;
}

}  // namespace weft
