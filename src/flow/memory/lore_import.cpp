#include "flow/memory/lore_import.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/strings.h"
#include "flow/memory/lore_entry.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kMostUnknown = 50;   // names that are counted
constexpr std::size_t kLongestName = 40;   // bytes

/// What a macro reads as where nothing is known of this prompt.
struct Words {
  std::string_view name, english, chinese;
};
constexpr std::array<Words, 12> kWords{{{"user", "the user", "用户"},
                                        {"persona", "the user", "用户"},
                                        {"char", "the character", "角色"},
                                        {"bot", "the character", "角色"},
                                        {"charifnotgroup", "the character", "角色"},
                                        {"group", "the group", "群组"},
                                        {"time", "the current time", "当前时间"},
                                        {"isotime", "the current time", "当前时间"},
                                        {"date", "today's date", "今天的日期"},
                                        {"isodate", "today's date", "今天的日期"},
                                        {"weekday", "the current weekday", "今天的星期"},
                                        {"idle_duration", "some time", "一段时间"}}};
constexpr std::array<std::string_view, 3> kCharacters{"char", "bot", "charifnotgroup"};
constexpr std::array<std::string_view, 2> kChoices{"random", "pick"};
// Macros that only lay out the text; each stands for this.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kLayout{
    {{"newline", "\n"}, {"space", " "}, {"noop", ""}, {"trim", ""}}};

template <class List>
bool among(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), to_lower<char>);
  return out;
}

// The name of a macro, in lower case; empty where the braces hold none.
std::string name_in(std::string_view macro) {
  if (macro.starts_with('#') || macro.starts_with('/')) macro.remove_prefix(1);
  const std::string_view name = macro.substr(0, macro.find_first_of(": \t\n"));
  const auto fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  const bool letter = !name.empty() && (fine(name.front()) && !(name.front() >= '0' && name.front() <= '9'));
  if (!letter || name.size() > kLongestName || !std::all_of(name.begin(), name.end(), fine)) return {};
  // "{{cite web|url=…}}" belongs to other programs: arguments of a macro follow a colon.
  const std::string_view rest = trimmed(macro.substr(name.size()));
  const bool pipe = rest.find('|') != std::string_view::npos && !rest.starts_with(':');
  return pipe ? std::string() : lower(name);
}

// The first of several choices: "{{random::a::b}}", "{{random:a,b}}".
std::string first_choice(std::string_view macro) {
  const auto colon = macro.find(':');
  if (colon == std::string_view::npos) return {};
  std::string_view rest = macro.substr(colon);
  const bool twice = rest.starts_with("::");
  rest.remove_prefix(twice ? 2 : 1);
  return std::string(trimmed(rest.substr(0, twice ? rest.find("::") : rest.find(','))));
}

}  // namespace

std::string LoreMacros::note(std::string_view name, std::string reads) {
  ++unknown_times_;
  if (unknown_.size() < kMostUnknown || unknown_.contains(std::string(name))) {
    Unknown& one = unknown_[std::string(name)];
    ++one.times;
    one.reads = reads;
  }
  return reads;
}

std::string LoreMacros::value_of(std::string_view macro, bool chinese, bool& known) {
  macro = trimmed(macro);
  known = true;
  if (macro.starts_with("//")) return {};
  const std::string name = name_in(macro);
  known = !name.empty();
  if (!known) return {};
  if (among(kCharacters, name) && !character.empty()) return character;
  for (const auto& [layout, text] : kLayout)
    if (layout == name) return std::string(text);
  const std::string shown = "{{" + name + "}}";
  if (among(kChoices, name)) return note(shown, first_choice(macro));
  for (const Words& one : kWords)
    if (one.name == name) return note(shown, std::string(chinese ? one.chinese : one.english));
  return note(shown, "");
}

std::string LoreMacros::without_angles(std::string text, bool chinese) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kAngles{
      {{"<user>", "user"}, {"<bot>", "char"}, {"<char>", "char"}, {"<charifnotgroup>", "char"}}};
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto begin = std::min(text.find('<', at), text.size());
    out.append(text, at, begin - at);
    at = begin;
    if (at == text.size()) break;
    const std::string beginning = lower(std::string_view(text).substr(at, 16));
    const auto found =
        std::find_if(kAngles.begin(), kAngles.end(), [&](const auto& one) { return beginning.starts_with(one.first); });
    bool known = false;
    out += found == kAngles.end() ? "<" : value_of(found->second, chinese, known);
    at += found == kAngles.end() ? 1 : found->first.size();
  }
  return out;
}

// Inner macros first: "{{random::{{user}}::nobody}}".
std::string LoreMacros::expanded(std::string_view text) {
  if (text.find("{{") == std::string_view::npos && !(in_angles && text.find('<') != std::string_view::npos))
    return std::string(text);
  const bool chinese = language_of(text) == Language::kChinese;
  std::string out;
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < text.size();) {
    if (starts_at(text, at, "{{")) {
      open.push_back(out.size());
      out += "{{";
      at += 2;
    } else if (starts_at(text, at, "}}") && !open.empty()) {
      const std::string macro = out.substr(open.back() + 2);
      bool known = false;
      const std::string value = value_of(macro, chinese, known);
      out.resize(open.back());
      out += known ? value : "{{" + macro + "}}";
      open.pop_back();
      at += 2;
    } else {
      out += text[at++];
    }
  }
  return in_angles ? without_angles(std::move(out), chinese) : out;
}

std::optional<std::string> LoreMacros::expanded_key(std::string_view key) const {
  LoreMacros own;
  own.in_angles = in_angles;
  own.character = is_lore_pattern(key) ? literal_pattern(character) : character;
  std::string word = own.expanded(key);
  return own.unknown_times() == 0 ? std::optional(std::move(word)) : std::nullopt;
}

}  // namespace weft

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <unicode/uchar.h>
#include <xxhash.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/front_matter.h"
#include "text/json.h"
#include "text/sentences.h"
#include "text/token_counter.h"
#include "text/utf8.h"

namespace weft {
namespace {

// Takes what the readers of the formats find in one file: gives ids, counts, keeps the limits.
class LoreCollector {
 public:
  LoreCollector(std::string_view file, const LoreLimits& limits);

  const std::string& file() const { return file_; }
  const LoreLimits& limits() const { return limits_; }
  LoreNotes& notes() { return notes_; }
  /// How macros in the entries are read.
  LoreMacros& macros() { return macros_; }

  /// Keeps an entry, its macros filled in. `name` is what its id is made from; empty: from its text.
  void add(LoreEntry entry, std::string_view name);

  /// An entry that is left out.
  void leave_out(std::string_view message);

  /// Something the author should know.
  void remark(std::string_view message);

  /// What was found. Once, at the end.
  LoreImport take();

 private:
  std::vector<std::string> fill_in(LoreEntry& entry);
  void check_patterns(const std::vector<std::string>& keys, std::string_view name);

  std::string file_;
  LoreLimits limits_;
  LoreImport import_;
  LoreNotes notes_;
  LoreMacros macros_;
  bool full_ = false;
  std::unordered_map<std::string, std::size_t> used_;  // names of ids → how often
};

constexpr std::size_t kMaxProblems = 100;
constexpr std::size_t kMaxName = 120;  // bytes of each half of an id; files are named after ids

std::string digest(std::string_view text) { return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size())); }

std::string bounded(std::string name) {
  if (name.size() <= kMaxName) return name;
  return std::string(cut_bytes(name, kMaxName - 17)) + "-" + digest(name);
}

// Letters and digits of every script in lower case, "-" for anything else: what an author hardly changes by tidying up.
std::string plain_name(std::string_view text) {
  std::string name;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const auto c = static_cast<UChar32>(next_code_point(text, at));
    if (c < 0x80 && (u_isalnum(c) != 0 || c == '/' || c == '_')) {
      name += static_cast<char>(u_tolower(c));
    } else if (c >= 0x80 && (u_isalnum(c) != 0 || (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0)) {
      name += text.substr(begin, at - begin);
    } else if (!name.empty() && name.back() != '-' && name.back() != '/') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return bounded(std::move(name));
}

std::string without_controls(std::string_view file) {
  std::string name = repair_utf8(file);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '-');
  return name;
}

LoreCollector::LoreCollector(std::string_view file, const LoreLimits& limits)
    : file_(without_controls(file)), limits_(limits) {}

void LoreCollector::add(LoreEntry entry, std::string_view name) {
  if (import_.entries.size() >= limits_.max_entries) {
    if (!full_) remark("more than " + std::to_string(limits_.max_entries) + " entries; the rest is left out");
    full_ = true;
    ++import_.left_out;
    return;
  }
  const auto lost = fill_in(entry);
  if (entry.text.empty()) return leave_out("entry " + preview(name, 60) + ": has no text but macros");
  std::string key = plain_name(name);
  if (key.empty()) key = digest(entry.text);
  // Parts of a section share its name; the first has it alone. A name never holds "~" of its own.
  if (const std::size_t n = ++used_[key]; n > 1) key += "~" + std::to_string(n);
  for (const auto* keys : {&entry.keys, &entry.secondary_keys}) check_patterns(*keys, key);
  for (const std::string& one : lost)
    remark("entry " + key + ": the key \"" + preview(one, 60) + "\" is left out: its macro has no value here");
  if (!lost.empty() && entry.keys.empty() && !entry.constant)
    remark("entry " + key + ": no key is left, so that only its meaning calls it up");
  entry.id = "lore:" + bounded(file_) + "#" + key;
  entry.source = file_;
  import_.entries.push_back(std::move(entry));
}

// A key whose value is not known would be met by the wrong words. Returns the keys that were left out.
std::vector<std::string> LoreCollector::fill_in(LoreEntry& entry) {
  entry.text = trimmed(macros_.expanded(entry.text));
  entry.title = trimmed(macros_.expanded(entry.title));
  std::vector<std::string> lost;
  for (auto* keys : {&entry.keys, &entry.secondary_keys}) {
    std::vector<std::string> filled;
    for (const std::string& key : *keys) {
      std::optional<std::string> word = macros_.expanded_key(key);
      if (word && !word->empty())
        filled.push_back(std::move(*word));
      else
        lost.push_back(key);
    }
    *keys = std::move(filled);
  }
  return lost;
}

void LoreCollector::check_patterns(const std::vector<std::string>& keys, std::string_view name) {
  for (const std::string& key : keys) {
    if (!is_lore_pattern(key)) continue;
    const auto pattern = LorePattern::make(key);
    if (pattern.ok()) continue;
    remark("entry " + std::string(name) + ": the key \"" + preview(key, 60) +
           "\" is taken for plain words: " + pattern.error().message);
  }
}

void LoreCollector::remark(std::string_view message) {
  if (++import_.problem_count <= kMaxProblems) import_.problems.push_back({file_, std::string(message)});
}

void LoreCollector::leave_out(std::string_view message) {
  ++import_.left_out;
  remark(message);
}

LoreImport LoreCollector::take() {
  for (const std::string& text : notes_.remarks) remark(text);
  for (const auto& [name, one] : macros_.unknown())
    remark("the macro " + name + " has no value here and " +
           (one.reads.empty() ? "is left out" : "reads \"" + preview(one.reads, 40) + "\"") + " (" +
           std::to_string(one.times) + " times)");
  import_.ignored_fields = std::move(notes_.ignored);
  return std::move(import_);
}

// The name of a file without folders and ending.
std::string_view file_stem(std::string_view file) {
  const auto slash = file.rfind('/');
  if (slash != std::string_view::npos) file.remove_prefix(slash + 1);
  const auto dot = file.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? file : file.substr(0, dot);
}

constexpr std::int64_t kShortTokens = 16;  // a paragraph this short is a heading or a single remark

std::int64_t count_tokens(std::string_view text) { return estimate_tokens(text, TokenMode::kScript); }

// Adds a text as one entry, or as several where it is over the limit of a section: "Title", "Title (2)", …
void add_lore_parts(const LoreEntry& entry, std::string_view text, std::string_view name, LoreCollector& into) {
  std::size_t part = 0;
  for (const std::string_view piece : split_by_tokens(trimmed(text), into.limits().section_tokens, count_tokens)) {
    const std::string_view inner = trimmed(piece);
    if (inner.empty()) continue;
    LoreEntry one = entry;
    one.text = std::string(inner);
    if (++part > 1) one.title += " (" + std::to_string(part) + ")";
    into.add(std::move(one), name);
  }
}

// A paragraph's id comes from its text, so that changing one leaves the others what they are.
void read_lore_text(std::string_view text, LoreCollector& into) {
  LoreEntry entry;
  entry.title = std::string(file_stem(into.file()));
  std::size_t begin = 0, last = 0;  // of the paragraph: its first line, the end of its last one
  bool blank = false;  // the line before was empty
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const bool empty = trimmed(text.substr(at, end - at)).empty();
    if (!empty && last <= begin) begin = last = at;
    // Measuring a long text at each of its paragraphs would be quadratic.
    const bool is_short = last - begin < 200 && count_tokens(text.substr(begin, last - begin)) < kShortTokens;
    if (blank && !empty && !is_short && last > begin) {
      add_lore_parts(entry, text.substr(begin, last - begin), "", into);
      begin = at;
    }
    if (!empty) last = end;
    blank = empty;
    at = end + 1;
  }
  add_lore_parts(entry, text.substr(begin, std::max(begin, last) - begin), "", into);
}

constexpr std::size_t kMaxHeading = 200;  // bytes that are kept of one heading
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
    std::size_t before = 0;  // where the line before begins
    bool alone = false;  // that line is text, with nothing right above it
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

// The readers of the formats, see `import_lore`. `text` is valid UTF-8.
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

// A book stands alone, in a card's "data", or beside a card's own fields.
const Value* find_book(const Value& root) {
  const Value* data = root.find("data");
  for (const Value* outer : {&root, data}) {
    if (outer == nullptr) continue;
    for (const char* name : {"character_book", "lorebook"}) {
      if (const Value* book = outer->find(name); book != nullptr && book->find("entries") != nullptr) return book;
    }
  }
  for (const Value* outer : {&root, data}) {
    if (outer != nullptr && outer->find("entries") != nullptr) return outer;
  }
  return nullptr;
}

// The character of the card that holds the book.
std::string character_of(const Value& root) {
  const Value* data = root.find("data");
  const bool card = root.find("spec") != nullptr || root.find("first_mes") != nullptr;
  for (const Value* outer : {data, &root}) {
    const Value* name = card && outer != nullptr ? outer->find("name") : nullptr;
    const Value* book = outer == nullptr ? nullptr : outer->find("entries");  // then the name is the book's
    if (name != nullptr && name->text() != nullptr && book == nullptr) return std::string(trimmed(*name->text()));
  }
  return {};
}

void read_one(const Value& value, LoreEntry defaults, const std::string& place, LoreCollector& into) {
  std::string where = place;
  for (const char* name : {"title", "comment", "name"}) {
    const Value* title = value.find(name);
    if (title == nullptr || title->text() == nullptr || title->text()->empty()) continue;
    where += " (" + preview(*title->text(), 60) + ")";
    break;
  }
  auto entry = read_lore_entry(value, std::move(defaults), where, into.notes());
  if (!entry.ok()) return into.leave_out(entry.error().message);
  if (auto done = take_lore_decorators(*entry, where, into.notes()); !done.ok()) {
    return into.leave_out(done.error().message);
  }
  if (entry->title.empty() && !entry->keys.empty()) entry->title = entry->keys.front();
  const std::string name = entry->id.empty() ? entry->title : entry->id;
  into.add(std::move(entry).value(), name);
}

void read_list(const ValueList& list, LoreCollector& into) {
  for (std::size_t i = 0; i < list.size(); ++i) read_one(list[i], {}, "entry " + std::to_string(i + 1), into);
}

// Entries by their numbers, as World Info has them: the number is no title.
void read_numbered(const ValueObject& entries, LoreCollector& into) {
  for (const auto& [key, value] : entries) {
    LoreEntry defaults;
    defaults.id = preview(key, 100);
    read_one(value, std::move(defaults), "entry " + preview(key, 60), into);
  }
}

void read_named(const ValueObject& entries, LoreCollector& into) {
  for (const auto& [key, value] : entries) {
    LoreEntry defaults;
    defaults.title = preview(key, 200);
    defaults.id = defaults.title;
    if (value.text() != nullptr) {
      read_one(Value(ValueObject{{"text", value}}), std::move(defaults), "entry " + preview(key, 60), into);
    } else {
      read_one(value, std::move(defaults), "entry " + preview(key, 60), into);
    }
  }
}

Status read_lore_json(const Value& root, LoreCollector& into) {
  into.macros().in_angles = true;
  into.macros().character = character_of(root);
  if (const ValueList* list = root.list()) {
    read_list(*list, into);
    return {};
  }
  if (root.object() == nullptr) return invalid_argument("the JSON must be a list or an object");
  if (const Value* book = find_book(root)) {
    const Value& entries = *book->find("entries");
    if (entries.list() == nullptr && entries.object() == nullptr) {
      return invalid_argument("\"entries\" must be a list or an object");
    }
    entries.list() != nullptr ? read_list(*entries.list(), into) : read_numbered(*entries.object(), into);
    return {};
  }
  const bool card = root.find("spec") != nullptr || root.find("first_mes") != nullptr;
  if (card) return invalid_argument("this is a character card without a book of lore");
  for (const char* name : {"text", "content"}) {
    const Value* text = root.find(name);
    if (text == nullptr || text->text() == nullptr) continue;
    read_one(root, {}, "entry 1", into);
    return {};
  }
  read_named(*root.object(), into);
  return {};
}

constexpr std::size_t kMaxDepth = 64;  // of JSON

Error in_file(std::string_view file, Error error) {
  error.message = preview(file, 200) + ": " + error.message;
  return error;
}

Status check_bytes(std::string_view bytes, const LoreLimits& limits) {
  if (bytes.size() > limits.max_bytes) {
    return too_large(std::to_string(bytes.size()) + " bytes are more than the " + std::to_string(limits.max_bytes) +
                     " allowed for a file");
  }
  const auto byte = find_invalid_utf8(bytes);
  if (!byte) return {};
  const bool utf16 = bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF");
  return invalid_argument("not UTF-8 at byte " + std::to_string(*byte) + (utf16 ? " (it looks like UTF-16)" : ""),
                          "save the file as UTF-8");
}

}  // namespace

std::optional<LoreFormat> lore_format(std::string_view file) {
  const auto dot = file.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  std::string ending(file.substr(dot + 1));
  std::transform(ending.begin(), ending.end(), ending.begin(), to_lower<char>);
  if (ending == "md" || ending == "markdown") return LoreFormat::kMarkdown;
  if (ending == "txt" || ending == "text") return LoreFormat::kText;
  if (ending == "json") return LoreFormat::kJson;
  return std::nullopt;
}

Result<LoreImport> import_lore(std::string_view bytes, std::string_view file, const LoreLimits& limits) {
  const auto format = lore_format(file);
  if (!format) {
    return in_file(file, invalid_argument("not a kind of file that lore is read from", "use .md, .txt or .json"));
  }
  if (auto checked = check_bytes(bytes, limits); !checked.ok()) return in_file(file, checked.error());
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  LoreCollector collector(file, limits);
  if (*format == LoreFormat::kJson) {
    const auto root = parse_value(bytes, JsonLimits{limits.max_bytes, kMaxDepth}, "lore");
    if (!root.ok()) return in_file(file, root.error());
    if (auto read = read_lore_json(*root, collector); !read.ok()) return in_file(file, read.error());
    return collector.take();
  }
  // A NUL is valid UTF-8 and no text.
  const std::string clean = bytes.find('\0') == std::string_view::npos ? std::string() : repair_utf8(bytes);
  if (bytes.find('\0') != std::string_view::npos) bytes = clean;
  *format == LoreFormat::kMarkdown ? read_lore_markdown(bytes, collector) : read_lore_text(bytes, collector);
  return collector.take();
}

}  // namespace weft
