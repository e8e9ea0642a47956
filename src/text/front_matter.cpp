#include "text/front_matter.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <sstream>
#include <unordered_set>
#include <utility>

#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kMaxYaml = 64 * 1024;
constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kFirstLine = 2;  // the YAML begins on the file's second line
constexpr std::string_view kFence = "---";
// Put behind the YAML: where the library does not see it as a key, something above has swallowed it. The library lets a
// quotation run to the end of the text without a word.
constexpr std::string_view kLastKey = "weft-end-of-front-matter";
constexpr std::string_view kHint = "correct the file by hand, or take back an earlier version";

Error broken(std::size_t line, std::string_view what) {
  return corrupt("line " + std::to_string(line) + ": " + std::string(what), std::string(kHint));
}

std::size_t line_of(std::string_view text, std::size_t byte) {
  return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(byte), '\n'));
}

// Takes one line with its end off the front.
std::string_view take_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  const auto line = rest.substr(0, end == std::string_view::npos ? rest.size() : end + 1);
  rest.remove_prefix(line.size());
  return line;
}

std::string_view without_end(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) {
    line.remove_suffix(1);
  }
  return line;
}

// Notes the top-level keys with their places. Only what is plain data passes: anchors would tie a kept entry to one
// that is rewritten, and depth is bounded because the library recurses.
class KeyCollector : public YAML::EventHandler {
 public:
  std::vector<FrontMatterEntry> entries;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark& mark, const std::string&) override { refuse(mark, "anchors are not supported"); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse(mark, "aliases are not supported"); }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    if (depth_ == 0) return;  // only comments
    if (at_key()) refuse(mark, "a key is missing");
    if (depth_ == 2 && entries.back().kind == FrontMatterEntry::Kind::kList) entries.back().values.emplace_back();
    value_done();
  }

  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t, const std::string& value) override {
    if (depth_ == 0) refuse(mark, "expected \"key: value\"");
    if (at_key()) return begin_entry(mark, value);
    FrontMatterEntry& entry = entries.back();
    if (depth_ == 1 || (depth_ == 2 && entry.kind == FrontMatterEntry::Kind::kList)) entry.values.push_back(value);
    value_done();
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    if (depth_ == 0) refuse(mark, "expected \"key: value\", not a list");
    if (at_key()) refuse(mark, "a key must be a word");
    if (depth_ == 1) entries.back().kind = FrontMatterEntry::Kind::kList;
    enter_inner(mark);
  }
  void OnSequenceEnd() override { leave(); }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value style) override {
    if (depth_ == 0 && style == YAML::EmitterStyle::Flow) refuse(mark, "expected one \"key: value\" a line");
    if (at_key()) refuse(mark, "a key must be a word");
    if (depth_ == 1) entries.back().kind = FrontMatterEntry::Kind::kOther;
    if (depth_ == 0) {
      ++depth_;
    } else {
      enter_inner(mark);
    }
  }
  void OnMapEnd() override { leave(); }

 private:
  [[noreturn]] static void refuse(const YAML::Mark& mark, const std::string& what) {
    throw YAML::ParserException(mark, what);
  }
  bool at_key() const { return depth_ == 1 && !in_value_; }

  void begin_entry(const YAML::Mark& mark, const std::string& key) {
    if (mark.column != 0) refuse(mark, "a key must begin its line");
    if (!seen_.insert(key).second) refuse(mark, "the key \"" + key + "\" stands there twice");
    FrontMatterEntry entry;
    entry.key = key;
    entry.line = static_cast<std::size_t>(mark.line) + kFirstLine;
    entries.push_back(std::move(entry));
    in_value_ = true;
  }
  void value_done() {
    if (depth_ == 1) in_value_ = false;
  }
  void enter_inner(const YAML::Mark& mark) {
    if (depth_ >= kMaxDepth) refuse(mark, "nested too deeply");
    FrontMatterEntry& entry = entries.back();
    if (depth_ == 2) entry.kind = FrontMatterEntry::Kind::kOther;
    if (entry.kind == FrontMatterEntry::Kind::kOther) entry.values.clear();
    ++depth_;
  }
  void leave() {
    --depth_;
    value_done();
  }

  std::size_t depth_ = 0;
  bool in_value_ = false;
  std::unordered_set<std::string> seen_;
};

// The text of each entry reaches from its line to the next one's.
void cut_entries(std::string_view yaml, FrontMatter& document) {
  std::size_t line = kFirstLine, next = 0;
  auto& entries = document.entries;
  for (std::string_view rest = yaml; !rest.empty(); ++line) {
    if (next < entries.size() && entries[next].line == line) ++next;
    std::string& text = next == 0 ? document.head : entries[next - 1].text;
    text += take_line(rest);
  }
}

Status check_yaml_text(std::string_view yaml) {
  if (yaml.size() > kMaxYaml) return broken(1, "the front matter is larger than 64 KiB");
  // The library takes some control characters for the end of the text.
  const auto control = std::find_if(yaml.begin(), yaml.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
  if (control == yaml.end()) return {};
  return broken(line_of(yaml, static_cast<std::size_t>(control - yaml.begin())) + 1,
                "a control character in the front matter");
}

Status read_yaml(std::string_view yaml, FrontMatter& document) {
  WEFT_CHECK(check_yaml_text(yaml));
  KeyCollector keys;
  try {
    std::istringstream stream(std::string(yaml) + std::string(kLastKey) + ":\n");
    YAML::Parser parser(stream);
    parser.HandleNextDocument(keys);
  } catch (const YAML::Exception& error) {
    const auto line = error.mark.is_null() ? 0 : static_cast<std::size_t>(std::max(error.mark.line, 0));
    const auto last = std::max<std::size_t>(line_of(yaml, yaml.size()), 2) - 2;
    return broken(std::min(line, last) + kFirstLine, "the front matter is not YAML as expected: " + error.msg);
  } catch (const std::exception& error) {
    return broken(kFirstLine, std::string("the front matter cannot be read: ") + error.what());
  }
  if (keys.entries.empty() || keys.entries.back().key != kLastKey) {
    return broken(keys.entries.empty() ? kFirstLine : keys.entries.back().line,
                  "what begins here is not closed, or the YAML ends before the front matter does");
  }
  keys.entries.pop_back();
  document.entries = std::move(keys.entries);
  cut_entries(yaml, document);
  return {};
}

// YAML's double-quoted form. What is not plain text is escaped, so that editors and line ends change nothing.
std::string in_quotes(std::string_view value) {
  std::string out = "\"";
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(value, at);
    char code[16] = {};
    if (c == '"' || c == '\\') {
      out += {'\\', static_cast<char>(c)};
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < 0x20 || (c >= 0x7F && c <= 0x9F)) {
      std::snprintf(code, sizeof code, "\\x%02X", static_cast<unsigned>(c));
      out += code;
    } else if (c == 0x2028 || c == 0x2029 || c == 0xFEFF || (c & 0xFFFE) == 0xFFFE) {
      std::snprintf(code, sizeof code, "\\U%08X", static_cast<unsigned>(c));
      out += code;
    } else {
      out += value.substr(begin, at - begin);
    }
  }
  return out + '"';
}

}  // namespace

const FrontMatterEntry* FrontMatter::find(std::string_view key) const {
  const auto at = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.key == key; });
  return at == entries.end() ? nullptr : &*at;
}

Result<FrontMatter> parse_front_matter(std::string_view file) {
  if (const auto byte = find_invalid_utf8(file)) {
    return corrupt("line " + std::to_string(line_of(file, *byte)) + ": the file is not UTF-8",
                   "save it as UTF-8, or take back an earlier version");
  }
  if (file.starts_with("\xEF\xBB\xBF")) file.remove_prefix(3);
  FrontMatter document;
  std::string_view rest = file;
  if (without_end(take_line(rest)) != kFence) {
    document.body = file;
    return document;
  }
  const std::string_view inner = rest;
  while (!rest.empty()) {
    const std::size_t before = inner.size() - rest.size();
    if (without_end(take_line(rest)) != kFence) continue;
    WEFT_CHECK(read_yaml(inner.substr(0, before), document));
    document.body = rest;
    return document;
  }
  return broken(1, "the front matter that begins here has no closing \"---\"");
}

std::string write_front_matter(const FrontMatter& document) {
  std::string out = std::string(kFence) + "\n" + document.head;
  for (const auto& entry : document.entries) out += entry.text;
  return out + std::string(kFence) + "\n" + document.body;
}

FrontMatterEntry yaml_word(std::string key, std::string value) {
  FrontMatterEntry entry;
  entry.text = key + ": " + value + "\n";
  entry.key = std::move(key);
  entry.values = {std::move(value)};
  return entry;
}

FrontMatterEntry yaml_text(std::string key, std::string value) {
  FrontMatterEntry entry;
  entry.text = key + ": " + in_quotes(value) + "\n";
  entry.key = std::move(key);
  entry.values = {std::move(value)};
  return entry;
}

FrontMatterEntry yaml_list(std::string key, std::vector<std::string> values) {
  FrontMatterEntry entry;
  entry.kind = FrontMatterEntry::Kind::kList;
  entry.text = key + ": [";
  for (std::size_t i = 0; i < values.size(); ++i) entry.text += (i == 0 ? "" : ", ") + in_quotes(values[i]);
  entry.text += "]\n";
  entry.key = std::move(key);
  entry.values = std::move(values);
  return entry;
}

}  // namespace weft
