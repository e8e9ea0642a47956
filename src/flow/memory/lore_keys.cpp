#include "flow/memory/lore_keys.h"

#include <unicode/regex.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kMaxText = 256 * 1024;
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
  if (text.size() > kMaxText) text.remove_prefix(text.size() - kMaxText);
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
