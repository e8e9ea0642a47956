#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "flow/memory/lore_readers.h"
#include "text/front_matter.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kMaxHeading = 200;    // bytes that are kept of one heading
constexpr std::size_t kMaxSettingLines = 8;  // under one heading

struct Section {
  std::vector<std::string> path;  // of headings, outermost first
  std::string_view body;
};

std::size_t run_of(std::string_view text, char c) { return std::min(text.find_first_not_of(c), text.size()); }

std::string_view without_indent(std::string_view line) {
  const std::size_t spaces = run_of(line, ' ');
  return spaces > 3 ? std::string_view() : line.substr(spaces);  // four make a block of code
}

// The level of a heading "## like this", 0 for any other line; `text` becomes what it says.
std::size_t heading_level(std::string_view line, std::string_view& text) {
  line = without_indent(line);
  const std::size_t level = run_of(line, '#');
  if (level == 0 || level > 6) return 0;
  const std::string_view rest = line.substr(level);
  if (!rest.empty() && rest.find_first_of(" \t\r") != 0) return 0;
  text = trimmed(rest);
  const auto last = text.find_last_not_of('#');
  if (last == std::string_view::npos) {
    text = {};
  } else if (last + 1 < text.size() && (text[last] == ' ' || text[last] == '\t')) {
    text = trimmed(text.substr(0, last));
  }
  return level;
}

// A line under a one-line heading: === is the first level, --- the second.
std::size_t underline_level(std::string_view line) {
  line = trimmed(without_indent(line));
  if (line.size() < 2) return 0;
  if (run_of(line, '=') == line.size()) return 1;
  return run_of(line, '-') == line.size() ? 2 : 0;
}

// Blocks of code between ``` or ~~~; headings in them are none.
class Fence {
 public:
  // Whether the line belongs to one, the fences included.
  bool takes(std::string_view line) {
    const std::string_view text = trimmed(without_indent(line));
    const char c = text.empty() ? '\0' : text.front();
    const std::size_t run = c == '`' || c == '~' ? run_of(text, c) : 0;
    if (length_ == 0) {
      if (run < 3 || (c == '`' && text.find('`', run) != std::string_view::npos)) return false;
      mark_ = c;
      length_ = run;
    } else if (c == mark_ && run >= length_ && run == text.size()) {
      length_ = 0;
    }
    return true;
  }

 private:
  char mark_ = 0;
  std::size_t length_ = 0;  // of the fence that is open
};

class SectionCutter {
 public:
  SectionCutter(std::string_view text, std::size_t most) : text_(text), most_(most) {}

  std::vector<Section> cut() {
    std::size_t before = 0;        // where the line before begins
    bool alone = false;            // that line is text, with nothing right above it
    bool above_empty = true;
    Fence fence;
    for (std::size_t at = 0; at < text_.size() && sections_.size() < most_;) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      const std::string_view line = text_.substr(at, end - at);
      const std::size_t next = std::min(end + 1, text_.size());
      std::string_view heading;
      bool plain = false;
      if (!fence.takes(line)) {
        if (const std::size_t level = heading_level(line, heading)) {
          open(level, heading, at, next);
        } else if (const std::size_t under = alone ? underline_level(line) : 0) {
          open(under, trimmed(text_.substr(before, at - before)), before, next);
        } else {
          plain = !trimmed(line).empty();
        }
      }
      alone = plain && above_empty && !without_indent(line).empty();
      above_empty = trimmed(line).empty();
      before = at;
      at = next;
    }
    close(text_.size());
    return std::move(sections_);
  }

 private:
  void open(std::size_t level, std::string_view heading, std::size_t line, std::size_t body) {
    close(line);
    while (!levels_.empty() && levels_.back() >= level) {
      levels_.pop_back();
      path_.pop_back();
    }
    levels_.push_back(level);
    path_.emplace_back(cut_bytes(heading, kMaxHeading));
    begin_ = body;
  }
  void close(std::size_t end) {
    const std::string_view body = trimmed(text_.substr(begin_, end - begin_));
    if (!body.empty()) sections_.push_back({path_, body});
  }

  std::string_view text_;
  std::size_t most_;
  std::size_t begin_ = 0;
  std::vector<std::size_t> levels_;
  std::vector<std::string> path_;
  std::vector<Section> sections_;
};

// "keys: a, b" right under a heading. Takes such lines off the body.
void take_settings(std::string_view& body, LoreEntry& entry, LoreCollector& into) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"keys", "keys"}, {"keywords", "keys"}, {"aliases", "keys"},      {"关键词", "keys"},   {"别名", "keys"},
      {"tags", "tags"}, {"标签", "tags"},     {"constant", "constant"}, {"常驻", "constant"}, {"enabled", "enabled"},
  };
  for (std::size_t lines = 0; !body.empty() && lines < kMaxSettingLines; ++lines) {
    const std::string_view line = body.substr(0, body.find('\n'));
    const std::string_view head = line.substr(0, 40);
    const std::string_view colon = head.find("：") < head.find(':') ? "：" : ":";
    const auto at = head.find(colon);
    if (at == std::string_view::npos || at > 32) return;
    const std::string name = normalize(trimmed(line.substr(0, at)));
    const auto* known = std::find_if(std::begin(kNames), std::end(kNames),
                                     [&](const auto& pair) { return normalize(pair.first) == name; });
    if (known == std::end(kNames)) return;
    const Value words{std::string(trimmed(line.substr(at + colon.size())))};
    LoreEntry read;
    const auto done = set_lore_field(read, known->second, words, "a line under a heading", into.notes());
    if (!done.ok()) return into.remark(done.error().message);
    entry.constant = entry.constant || read.constant;
    entry.enabled = entry.enabled && read.enabled;
    auto& target = known->second == "keys" ? entry.keys : entry.tags;
    for (const auto* list : {&read.keys, &read.tags}) target.insert(target.end(), list->begin(), list->end());
    body = trimmed(body.substr(std::min(line.size(), body.size())));
  }
}

// What a front matter says of all sections. `title` is the document's.
LoreEntry read_defaults(const FrontMatter& document, std::string& title, LoreCollector& into) {
  LoreEntry defaults;
  for (const FrontMatterEntry& line : document.entries) {
    if (line.kind == FrontMatterEntry::Kind::kOther || line.values.empty()) continue;
    if (line.key == "title" || line.key == "name") {
      title = std::string(cut_bytes(line.values.front(), kMaxHeading));
      continue;
    }
    if (line.key == "id" || line.key == "text" || line.key == "content") continue;
    ValueList list(line.values.begin(), line.values.end());
    const bool scalar = line.kind == FrontMatterEntry::Kind::kScalar;
    const Value value = scalar ? list.front() : Value(std::move(list));
    LoreEntry changed = defaults;
    const auto known = set_lore_field(changed, line.key, value, "front matter", into.notes());
    if (!known.ok()) {
      into.remark(known.error().message);
    } else if (*known) {
      defaults = std::move(changed);
    } else {
      ++into.notes().ignored[preview(line.key, 60)];
    }
  }
  return defaults;
}

std::string joined(const std::vector<std::string>& path, std::string_view between) {
  std::string text;
  for (const std::string& heading : path) text += (text.empty() ? "" : std::string(between)) + heading;
  return text;
}

}  // namespace

void read_lore_markdown(std::string_view text, LoreCollector& into) {
  FrontMatter document;
  document.body = std::string(text);
  if (text.starts_with("---")) {
    auto parsed = parse_front_matter(text);
    if (parsed.ok()) {
      document = std::move(parsed).value();
    } else {
      into.remark("the front matter is not understood and stands as text: " + parsed.error().message);
    }
  }
  std::string title;
  const LoreEntry defaults = read_defaults(document, title, into);
  for (const Section& section : SectionCutter(document.body, into.limits().max_entries + 1).cut()) {
    LoreEntry entry = defaults;
    std::string_view body = section.body;
    take_settings(body, entry, into);
    const bool named = !title.empty() && (section.path.empty() || section.path.front() != title);
    entry.title = joined(section.path, " > ");
    if (named) entry.title = title + (entry.title.empty() ? "" : " > " + entry.title);
    if (entry.title.empty()) entry.title = std::string(file_stem(into.file()));
    const std::string name = section.path.empty() ? "text" : joined(section.path, "/");
    add_lore_parts(entry, body, name, into);
  }
}

}  // namespace weft
