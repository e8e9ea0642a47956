#include "flow/memory/lore_entry.h"

#include <unicode/regex.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/strings.h"
#include "model/records.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr JsonLimits kLimits{4 * 1024 * 1024, 16};

}  // namespace

std::string to_json(const LoreEntry& entry) { return to_json<LoreEntry>(entry); }

Result<LoreEntry> parse_lore_entry(std::string_view json) {
  WEFT_TRY(const Value value, parse_value(json, kLimits, "lore entry"));
  LoreNotes notes;
  return read_lore_entry(value, LoreEntry(), "lore entry", notes);
}

std::string lore_text(const LoreEntry& entry) {
  const std::string known = normalize(entry.title + "\n" + entry.text);
  std::string keys;
  for (const std::string& key : entry.keys) {
    if (is_lore_pattern(key) || known.find(normalize(key)) != std::string::npos) continue;
    keys += (keys.empty() ? "" : ", ") + key;
  }
  std::string text = entry.title;
  if (!keys.empty()) text += text.empty() ? keys : " (" + keys + ")";
  if (!text.empty() && !entry.text.empty()) text += "\n";
  return text + entry.text;
}

Item lore_item(const LoreEntry& entry, ItemKind kind) {
  Item item;
  item.id = ItemId(entry.id);
  item.kind = kind;
  item.text = lore_text(entry);
  return item;
}

FloatingBlock lore_block(const LoreEntry& entry, std::string escaped) {
  FloatingBlock block;
  block.id = entry.id;
  block.content = std::move(escaped);
  block.role = entry.role;
  block.source = "lore";
  block.position = entry.position;
  block.depth = entry.position == BlockPlace::kHistoryBottom ? entry.depth : 0;
  block.priority += entry.order - kLoreOrder;
  return block;
}

namespace {

constexpr std::size_t kMaxTitle = 1024;         // bytes
constexpr std::size_t kMaxText = 256 * 1024;    // bytes; an entry is meant for a prompt
constexpr std::size_t kMaxKeys = 256;           // in one list
constexpr std::size_t kMaxKey = 1024;           // bytes
constexpr std::int64_t kMaxNumber = 1'000'000;  // of order and depth
constexpr std::int64_t kUsualDepth = 4;         // where authors' tools put a note or an entry "at depth"
constexpr std::size_t kMaxIgnored = 200;        // different names that are counted
constexpr std::size_t kMaxRemarks = 100;

constexpr std::array kLogicWords{std::pair{LoreLogic::kAndAny, std::string_view("and_any")},
                                 std::pair{LoreLogic::kNotAll, std::string_view("not_all")},
                                 std::pair{LoreLogic::kNotAny, std::string_view("not_any")},
                                 std::pair{LoreLogic::kAndAll, std::string_view("and_all")}};

// What a field is read into, with where it stands for messages.
struct Field {
  LoreEntry& entry;
  const Value& value;
  std::string_view where, name;
  LoreNotes& notes;

  Error wrong(std::string_view what) const {
    return invalid_argument(std::string(where) + ": \"" + preview(name, 60) + "\" " + std::string(what));
  }
  void remark(std::string_view what) const {
    if (notes.remarks.size() < kMaxRemarks)
      notes.remarks.push_back(std::string(where) + ": \"" + preview(name, 60) + "\" " + std::string(what));
  }
};

Result<std::string> text_of(const Field& field, const Value& value, std::size_t most) {
  std::string text;
  if (const std::string* held = value.text()) {
    text = *held;
  } else if (const auto* number = std::get_if<std::int64_t>(&value.data)) {
    text = std::to_string(*number);
  } else if (!value.is_null()) {
    return field.wrong("must be text");
  }
  if (text.size() > most) return field.wrong("is longer than " + std::to_string(most) + " bytes");
  return text.find('\0') == std::string::npos ? text : repair_utf8(text);
}

// Numbers in quotes are common in files that passed through several editors.
Result<std::int64_t> number_of(const Field& field) {
  if (const auto* number = std::get_if<std::int64_t>(&field.value.data)) {
    return std::clamp(*number, -kMaxNumber, kMaxNumber);
  }
  if (const auto* number = std::get_if<double>(&field.value.data); number != nullptr && std::isfinite(*number)) {
    return static_cast<std::int64_t>(
        std::clamp(std::round(*number), -static_cast<double>(kMaxNumber), static_cast<double>(kMaxNumber)));
  }
  if (const std::string* text = field.value.text()) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (error == std::errc() && end == text->data() + text->size()) return std::clamp(number, -kMaxNumber, kMaxNumber);
  }
  return field.wrong("must be a number");
}

Result<bool> flag_of(const Field& field) {
  if (const bool* flag = std::get_if<bool>(&field.value.data)) return *flag;
  if (const auto* number = std::get_if<std::int64_t>(&field.value.data); number != nullptr && (*number | 1) == 1) {
    return *number == 1;
  }
  if (const std::string* text = field.value.text()) {
    if (*text == "true" || *text == "yes" || *text == "1" || *text == "是") return true;
    if (*text == "false" || *text == "no" || *text == "0") return false;
  }
  return field.wrong("must be true or false");
}

// A list, or the words of one text between commas of either language; a pattern may hold commas.
Result<std::vector<std::string>> words_of(const Field& field) {
  std::vector<std::string> raw, words;
  if (const ValueList* list = field.value.list()) {
    for (const Value& element : *list) {
      WEFT_TRY(std::string word, text_of(field, element, kMaxKey));
      raw.push_back(std::move(word));
    }
  } else {
    WEFT_TRY(std::string rest, text_of(field, field.value, kMaxKeys * kMaxKey));
    for (const std::string_view comma : {"，", "、", "；", ";"}) {
      if (rest.starts_with('/')) break;
      for (auto at = rest.find(comma); at != std::string::npos; at = rest.find(comma, at)) {
        rest.replace(at, comma.size(), ",");
      }
    }
    for (std::size_t begin = 0; begin <= rest.size();) {
      const auto end = rest.starts_with('/') ? rest.size() : std::min(rest.find(',', begin), rest.size());
      raw.push_back(rest.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  for (const std::string& word : raw) {
    std::string clean(trimmed(word));
    if (!clean.empty() && std::find(words.begin(), words.end(), clean) == words.end())
      words.push_back(std::move(clean));
    if (words.size() > kMaxKeys) return field.wrong("has more than " + std::to_string(kMaxKeys) + " entries");
  }
  return words;
}

// World Info counts its places. There is no character sheet here, so before and after it is the end of the system
// prompt; examples stand above the history, an author's note four messages before its end.
Status set_numbered_place(const Field& field, std::int64_t place) {
  LoreEntry& entry = field.entry;
  switch (place) {
    case 0:
    case 1: entry.position = BlockPlace::kSystemEnd; return {};
    case 2:
    case 3:
    case 4:
      entry.position = BlockPlace::kHistoryBottom;
      entry.depth = kUsualDepth;
      return {};
    case 5:
    case 6: entry.position = BlockPlace::kHistoryTop; return {};
    case 7:
      entry.position = BlockPlace::kHistoryTop;
      field.remark("names an outlet, which a prompt here has not; it stands above the history");
      return {};
    default: return field.wrong("is no place that is known: " + std::to_string(place));
  }
}

Status set_place(const Field& field) {
  if (field.value.is_null()) return {};
  const std::string* word = field.value.text();
  if (word == nullptr || number_of(field).ok()) {
    WEFT_TRY(const std::int64_t place, number_of(field));
    return set_numbered_place(field, place);
  }
  if (word->empty()) return {};
  if (*word == "before_char" || *word == "before_desc") return set_numbered_place(field, 0);
  if (*word == "after_char" || *word == "after_desc") return set_numbered_place(field, 1);
  const auto place = parse_block_place(*word);
  if (!place) return field.wrong("is no place that is known: " + preview(*word, 60));
  field.entry.position = *place;
  return {};
}

Status set_role(const Field& field) {
  if (field.value.is_null()) return {};
  static constexpr std::array kRoles{Role::kSystem, Role::kUser, Role::kAssistant};
  const std::string* word = field.value.text();
  for (std::size_t i = 0; i < kRoles.size(); ++i) {
    const auto* number = std::get_if<std::int64_t>(&field.value.data);
    const bool numbered = number != nullptr && *number == static_cast<std::int64_t>(i);
    if (!numbered && !(word != nullptr && *word == to_string(kRoles[i]))) continue;
    field.entry.role = kRoles[i];
    return {};
  }
  return field.wrong("must be system, user or assistant (0, 1, 2)");
}

Status set_logic(const Field& field) {
  if (const std::string* word = field.value.text()) {
    if (const auto logic = parse_lore_logic(*word)) {
      field.entry.logic = *logic;
      return {};
    }
  }
  WEFT_TRY(const std::int64_t number, number_of(field));
  if (number < 0 || number > 3) return field.wrong("must be 0 to 3");
  field.entry.logic = static_cast<LoreLogic>(number);
  return {};
}

Status set_depth(const Field& field) {
  if (field.value.is_null()) return {};
  WEFT_TRY(const std::int64_t depth, number_of(field));
  if (depth < 0) return field.wrong("must not be negative");
  field.entry.depth = depth;
  return {};
}

template <std::string LoreEntry::* member, std::size_t most>
Status set_text(const Field& field) {
  WEFT_TRY(std::string text, text_of(field, field.value, most));
  if (!text.empty()) field.entry.*member = std::move(text);
  return {};
}

template <std::vector<std::string> LoreEntry::* member>
Status set_words(const Field& field) {
  WEFT_TRY(field.entry.*member, words_of(field));
  return {};
}

template <bool LoreEntry::* member, bool yes>
Status set_flag(const Field& field) {
  if (field.value.is_null()) return {};
  WEFT_TRY(const bool flag, flag_of(field));
  field.entry.*member = flag == yes;
  return {};
}

template <std::int64_t LoreEntry::* member>
Status set_number(const Field& field) {
  if (field.value.is_null()) return {};
  WEFT_TRY(field.entry.*member, number_of(field));
  return {};
}

// "selective": false says that the secondary keys stand there unused.
Status skip(const Field&) { return {}; }

struct Reader {
  std::string_view name;
  Status (*read)(const Field&);
};

constexpr Reader kReaders[] = {
    {"id", set_text<&LoreEntry::id, kMaxTitle>},
    {"uid", set_text<&LoreEntry::id, kMaxTitle>},
    {"comment", set_text<&LoreEntry::title, kMaxTitle>},
    {"name", set_text<&LoreEntry::title, kMaxTitle>},
    {"displayName", set_text<&LoreEntry::title, kMaxTitle>},
    {"title", set_text<&LoreEntry::title, kMaxTitle>},
    {"content", set_text<&LoreEntry::text, kMaxText>},
    {"text", set_text<&LoreEntry::text, kMaxText>},
    {"key", set_words<&LoreEntry::keys>},
    {"keys", set_words<&LoreEntry::keys>},
    {"keywords", set_words<&LoreEntry::keys>},
    {"aliases", set_words<&LoreEntry::keys>},
    {"keysecondary", set_words<&LoreEntry::secondary_keys>},
    {"secondary_keys", set_words<&LoreEntry::secondary_keys>},
    {"logic", set_logic},
    {"selectiveLogic", set_logic},
    {"caseSensitive", set_flag<&LoreEntry::case_sensitive, true>},
    {"case_sensitive", set_flag<&LoreEntry::case_sensitive, true>},
    {"matchWholeWords", set_flag<&LoreEntry::whole_words, true>},
    {"match_whole_words", set_flag<&LoreEntry::whole_words, true>},
    {"whole_words", set_flag<&LoreEntry::whole_words, true>},
    {"tags", set_words<&LoreEntry::tags>},
    {"constant", set_flag<&LoreEntry::constant, true>},
    {"enabled", set_flag<&LoreEntry::enabled, true>},
    {"disable", set_flag<&LoreEntry::enabled, false>},
    {"order", set_number<&LoreEntry::order>},
    {"insertion_order", set_number<&LoreEntry::order>},
    {"position", set_place},
    {"depth", set_depth},
    {"role", set_role},
    {"probability", set_number<&LoreEntry::probability>},
    {"source", set_text<&LoreEntry::source, kMaxTitle>},
    {"selective", skip},
    {"useProbability", skip},
    {"use_regex", skip},
    {"extensions", skip},
};

void count_ignored(LoreNotes& notes, std::string_view name) {
  const std::string key = preview(name, 60);
  if (notes.ignored.size() >= kMaxIgnored && !notes.ignored.contains(key)) return;
  ++notes.ignored[key];
}

// A dot that stands for any character: one with something behind it, or nothing but dots. Behind "Dr." and "St." is a
// blank or nothing.
bool has_any_character(std::string_view key) {
  const auto last = key.find_last_not_of('.');
  if (last == std::string_view::npos) return !key.empty();
  for (auto dot = key.find('.'); dot < last; dot = key.find('.', dot + 1))
    if (!is_blank(key[dot + 1]) && key[dot + 1] != '.') return true;
  return false;
}

// With "use_regex" keys are patterns without slashes. Programs set it for all entries, so keys that are words stay
// words.
void make_patterns(LoreEntry& entry) {
  for (auto* keys : {&entry.keys, &entry.secondary_keys})
    for (std::string& key : *keys) {
      const bool operators = key.find_first_of("\\[(|^$*?{") != std::string::npos || has_any_character(key);
      if (operators && !is_lore_pattern(key)) key = "/" + key + (entry.case_sensitive ? "/" : "/i");
    }
}

bool is_flag(const Value* value, bool flag) { return value != nullptr && *value == Value(flag); }

// Depth after place: a place may bring a depth of its own, which is only meant where no other is given.
Status read_members(const Value& object, LoreEntry& entry, std::string_view where, LoreNotes& notes) {
  if (const Value* place = object.find("position")) {
    WEFT_CHECK(set_place({entry, *place, where, "position", notes}));
  }
  const bool numbered = object.find("position") != nullptr && object.find("position")->is_number();
  const bool own_depth = numbered && *object.find("position") != Value(4);  // editors leave an unused depth behind
  for (const auto& [name, value] : *object.object()) {
    if (name == "position" || (name == "depth" && own_depth)) continue;
    WEFT_TRY(const bool known, set_lore_field(entry, name, value, where, notes));
    if (!known) count_ignored(notes, name);
  }
  return {};
}

}  // namespace

std::optional<LoreLogic> parse_lore_logic(std::string_view text) {
  for (const auto& [logic, word] : kLogicWords) {
    if (word == text) return logic;
  }
  return std::nullopt;
}

Result<bool> set_lore_field(LoreEntry& entry, std::string_view name, const Value& value, std::string_view where,
                            LoreNotes& notes) {
  for (const Reader& reader : kReaders) {
    if (reader.name != name) continue;
    WEFT_CHECK(reader.read({entry, value, where, name, notes}));
    return true;
  }
  return false;
}

Result<LoreEntry> read_lore_entry(const Value& value, LoreEntry entry, std::string_view where, LoreNotes& notes) {
  if (value.object() == nullptr) return invalid_argument(std::string(where) + ": must be an object");
  WEFT_CHECK(read_members(value, entry, where, notes));
  const Value* extensions = value.find("extensions");
  if (extensions != nullptr && extensions->object() != nullptr) {
    WEFT_CHECK(read_members(*extensions, entry, where, notes));
  }
  for (const Value* object : {&value, extensions}) {
    if (object == nullptr) continue;
    if (is_flag(object->find("useProbability"), false)) entry.probability = 100;
    if (is_flag(object->find("selective"), false)) entry.secondary_keys.clear();
  }
  const bool patterns =
      is_flag(value.find("use_regex"), true) || (extensions != nullptr && is_flag(extensions->find("use_regex"), true));
  if (patterns) make_patterns(entry);
  entry.probability = std::clamp<std::int64_t>(entry.probability, 0, 100);
  entry.text = std::string(trimmed(entry.text));
  entry.title = std::string(trimmed(entry.title));
  if (entry.text.empty()) return invalid_argument(std::string(where) + ": has no text");
  return entry;
}

Status take_lore_decorators(LoreEntry& entry, std::string_view where, LoreNotes& notes) {
  std::string_view rest = entry.text;
  while (rest.starts_with("@@")) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    line.remove_prefix(std::min(line.find_first_not_of('@'), line.size()));
    const std::string whole(trimmed(line));
    const std::string name = whole.substr(0, whole.find(' '));
    const Value value(std::string(trimmed(std::string_view(whole).substr(name.size()))));
    const Field field{entry, value, where, name, notes};
    if (name == "activate") {
      entry.constant = true;
    } else if (name == "dont_activate") {
      entry.enabled = false;
    } else if (name == "depth") {
      WEFT_CHECK(set_depth(field));
      entry.position = BlockPlace::kHistoryBottom;
    } else if (name == "role") {
      WEFT_CHECK(set_role(field));
    } else if (name != "position" || !set_place(field).ok()) {
      count_ignored(notes, "@@" + name);
    }
  }
  entry.text = trimmed(rest);
  if (entry.text.empty()) return invalid_argument(std::string(where) + ": has no text");
  return {};
}

namespace {

constexpr std::size_t kMaxSearched = 256 * 1024;
constexpr std::size_t kMaxPatterns = 256;  // each may cost 10 ms at worst, and a prompt waits for all of them

// Scripts that write words without spaces, or put their particles right behind a name, as Korean does.
bool joins_words(char32_t c) {
  return is_cjk(c) || (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0x1100 && c <= 0x11FF) ||  // Hangul
         (c >= 0x0E00 && c <= 0x0EFF) || (c >= 0x1000 && c <= 0x109F) || (c >= 0x1780 && c <= 0x17FF);
}

bool is_word_letter(char32_t c) {
  if (joins_words(c)) return false;
  return c == '_' || u_isalnum(static_cast<UChar32>(c)) != 0;
}

char32_t first_of(std::string_view text) {
  std::size_t at = 0;
  return text.empty() ? U' ' : next_code_point(text, at);
}

char32_t last_of(std::string_view text) {
  if (text.empty()) return U' ';
  std::size_t at = text.size() - 1;
  while (at > 0 && text.size() - at < 4 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return next_code_point(text, at);
}

// Whether text[begin, end) stands as words of its own.
bool is_whole(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string_view word = text.substr(begin, end - begin);
  if (is_word_letter(first_of(word)) && is_word_letter(last_of(text.substr(0, begin)))) return false;
  return !is_word_letter(last_of(word)) || !is_word_letter(first_of(text.substr(end)));
}

std::string one_space(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string tail(std::string_view text) {
  if (text.size() > kMaxSearched) text.remove_prefix(text.size() - kMaxSearched);
  return repair_utf8(text);
}

}  // namespace

std::uint32_t LoreTriggers::Automaton::child(std::uint32_t node, unsigned char byte) const {
  const auto& next = nodes_[node].next;
  const auto at = std::lower_bound(next.begin(), next.end(), byte,
                                   [](const auto& edge, unsigned char wanted) { return edge.first < wanted; });
  return at != next.end() && at->first == byte ? at->second : 0;
}

void LoreTriggers::Automaton::add(std::string_view word, std::size_t key) {
  std::uint32_t node = 0;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    std::uint32_t to = child(node, byte);
    if (to == 0) {
      to = static_cast<std::uint32_t>(nodes_.size());
      nodes_.emplace_back();
      auto& next = nodes_[node].next;
      const auto at = std::lower_bound(next.begin(), next.end(), byte,
                                       [](const auto& edge, unsigned char wanted) { return edge.first < wanted; });
      next.insert(at, {byte, to});
    }
    node = to;
  }
  nodes_[node].ends.push_back(key);
}

void LoreTriggers::Automaton::finish() {
  std::vector<std::uint32_t> order{0};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t node = order[i];
    for (const auto& [byte, to] : nodes_[node].next) {
      order.push_back(to);
      if (node == 0) continue;
      std::uint32_t back = nodes_[node].fail;
      while (back != 0 && child(back, byte) == 0) back = nodes_[back].fail;
      nodes_[to].fail = child(back, byte);
      const std::uint32_t fail = nodes_[to].fail;
      nodes_[to].shorter = nodes_[fail].ends.empty() ? nodes_[fail].shorter : fail;
    }
  }
}

// Calls visit(key, end) for every occurrence.
template <class Visit>
void LoreTriggers::Automaton::scan(std::string_view text, Visit&& visit) const {
  std::uint32_t node = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    std::uint32_t to = child(node, byte);
    while (to == 0 && node != 0) to = child(node = nodes_[node].fail, byte);
    node = to;
    for (std::uint32_t at = nodes_[node].ends.empty() ? nodes_[node].shorter : node; at != 0; at = nodes_[at].shorter) {
      for (const std::size_t key : nodes_[at].ends) visit(key, i + 1);
    }
  }
}

// Keys that are looked for in the same way are one, however many entries have them: a thousand entries with the key
// "a" must not cost a thousand visits at every "a" of a text.
std::size_t LoreTriggers::add_key(const LoreEntry& entry, const std::string& text, KeyPlaces& places) {
  Key key;
  key.whole = entry.whole_words;
  std::string name = is_lore_pattern(text) ? "p" + text : entry.case_sensitive ? "c" : "f";
  if (name.front() == 'p') {
    if (const auto known = places.find(name); known != places.end()) return known->second;
    auto pattern = patterns_.size() < kMaxPatterns ? LorePattern::make(text) : too_large("too many patterns");
    if (pattern.ok()) {
      key.pattern = static_cast<int>(patterns_.size());
      patterns_.push_back(std::move(pattern).value());
    } else {
      broken_.push_back(entry.id + ": \"" + preview(text, 80) + "\": " + pattern.error().message);
      name = entry.case_sensitive ? "c" : "f";
    }
  }
  if (key.pattern < 0) {
    const std::string whole = repair_utf8(text);
    key.word = one_space(entry.case_sensitive ? whole : normalize(whole));
    name += (key.whole ? "w" : "i") + key.word;
  }
  const auto [known, is_new] = places.emplace(std::move(name), keys_.size());
  if (!is_new) return known->second;
  if (!key.word.empty()) (entry.case_sensitive ? exact_ : folded_).add(key.word, keys_.size());
  keys_.push_back(std::move(key));
  return known->second;
}

LoreTriggers::LoreTriggers(const std::vector<LoreEntry>& entries) {
  KeyPlaces places;
  entries_.reserve(entries.size());
  for (const LoreEntry& source : entries) {
    Entry entry;
    entry.constant = source.constant;
    entry.enabled = source.enabled;
    entry.logic = source.logic;
    for (const std::string& key : source.keys) entry.keys.push_back(add_key(source, key, places));
    for (const std::string& key : source.secondary_keys) entry.secondary.push_back(add_key(source, key, places));
    entries_.push_back(std::move(entry));
  }
  folded_.finish();
  exact_.finish();
}

bool LoreTriggers::called_up(const Entry& entry, const std::vector<bool>& found) const {
  const auto is_found = [&](std::size_t key) { return static_cast<bool>(found[key]); };
  const auto& secondary = entry.secondary;
  if (!entry.enabled) return false;
  if (entry.constant) return true;
  if (std::none_of(entry.keys.begin(), entry.keys.end(), is_found)) return false;
  if (secondary.empty()) return true;
  switch (entry.logic) {
    case LoreLogic::kAndAny: return std::any_of(secondary.begin(), secondary.end(), is_found);
    case LoreLogic::kNotAll: return !std::all_of(secondary.begin(), secondary.end(), is_found);
    case LoreLogic::kNotAny: return std::none_of(secondary.begin(), secondary.end(), is_found);
    case LoreLogic::kAndAll: return std::all_of(secondary.begin(), secondary.end(), is_found);
  }
  return false;
}

std::vector<std::size_t> LoreTriggers::match(std::string_view text) const {
  const std::string raw = tail(text);
  const std::string folded = one_space(normalize(raw)), exact = one_space(raw);
  std::vector<bool> found(keys_.size(), false);
  const auto look = [&](const Automaton& automaton, std::string_view in) {
    automaton.scan(in, [&](std::size_t key, std::size_t end) {
      const Key& wanted = keys_[key];
      if (!found[key]) found[key] = !wanted.whole || is_whole(in, end - wanted.word.size(), end);
    });
  };
  look(folded_, folded);
  look(exact_, exact);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i].pattern >= 0) found[i] = patterns_[static_cast<std::size_t>(keys_[i].pattern)].found_in(raw);
  }
  std::vector<std::size_t> called;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (called_up(entries_[i], found)) called.push_back(i);
  }
  return called;
}

namespace {

constexpr std::size_t kMaxPattern = 1024;
constexpr std::size_t kMaxMatched = 16 * 1024;
constexpr std::int32_t kTimeLimit = 20;         // ICU's unit: 10,000 steps back; about a millisecond each
constexpr std::int32_t kStackBytes = 1 << 20;  // of places to go back to

icu::UnicodeString utf16(std::string_view text) {
  return icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
}

}  // namespace

struct LorePattern::Compiled {
  std::unique_ptr<icu::RegexPattern> pattern;
};

LorePattern::LorePattern(std::unique_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
LorePattern::LorePattern(LorePattern&&) noexcept = default;
LorePattern& LorePattern::operator=(LorePattern&&) noexcept = default;
LorePattern::~LorePattern() = default;

bool is_lore_pattern(std::string_view key) {
  const auto last = key.rfind('/');
  if (!key.starts_with('/') || last < 2 || last == std::string_view::npos) return false;
  const auto flags = key.substr(last + 1);
  return std::all_of(flags.begin(), flags.end(), is_lower<char>);
}

std::string literal_pattern(std::string_view words) {
  std::string out;
  for (const char c : words) {
    if (std::string_view("\\^$.|?*+()[]{}/-").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

Result<LorePattern> LorePattern::make(std::string_view key) {
  if (!is_lore_pattern(key)) return invalid_argument("not written as /…/");
  if (key.size() > kMaxPattern) return invalid_argument("longer than " + std::to_string(kMaxPattern) + " bytes");
  if (find_invalid_utf8(key)) return invalid_argument("not UTF-8");
  const auto last = key.rfind('/');
  std::uint32_t flags = 0;
  for (const char flag : key.substr(last + 1)) {
    switch (flag) {
      case 'i': flags |= UREGEX_CASE_INSENSITIVE; break;
      case 's': flags |= UREGEX_DOTALL; break;
      case 'm': flags |= UREGEX_MULTILINE; break;
      case 'u':
      case 'g': break;  // always so, and of no meaning where one place is enough
      default: return invalid_argument(std::string("the flag '") + flag + "' is not known");
    }
  }
  UErrorCode status = U_ZERO_ERROR;
  UParseError place;
  auto compiled = std::make_unique<Compiled>();
  compiled->pattern.reset(icu::RegexPattern::compile(utf16(key.substr(1, last - 1)), flags, place, status));
  if (U_FAILURE(status) || compiled->pattern == nullptr) {
    return invalid_argument("not a pattern, character " + std::to_string(place.offset) + ": " + u_errorName(status));
  }
  return LorePattern(std::move(compiled));
}

bool LorePattern::found_in(std::string_view text) const {
  if (text.size() > kMaxMatched) {
    std::size_t begin = text.size() - kMaxMatched;
    while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) ++begin;
    text.remove_prefix(begin);
  }
  UErrorCode status = U_ZERO_ERROR;
  const icu::UnicodeString wide = utf16(text);
  const std::unique_ptr<icu::RegexMatcher> matcher(compiled_->pattern->matcher(wide, status));
  if (U_FAILURE(status) || matcher == nullptr) return false;
  matcher->setTimeLimit(kTimeLimit, status);
  matcher->setStackLimit(kStackBytes, status);
  const bool found = matcher->find(status);
  return U_SUCCESS(status) && found;
}

}  // namespace weft
