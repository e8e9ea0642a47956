#include "text/markup.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "text/utf8.h"

namespace weft {
namespace {

// The first bytes of the UTF-8 forms of what is_harmful names; the two must agree.
bool may_begin_harmful(unsigned char byte) {
  if (byte < 0x20) return byte != '\n' && byte != '\t';
  return byte == 0x7f || byte == 0xc2 || byte == 0xe2 || byte == 0xef || byte == 0xf3;
}

// Whether all of eight bytes are printable ASCII: most of what is written is, and need not be looked at one by one.
bool are_printable(const char* eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL, kHigh = 0x8080808080808080ULL;
  std::uint64_t word = 0;
  std::memcpy(&word, eight, sizeof word);
  const std::uint64_t below_blank = (word - kOnes * 0x20) & ~word;
  const std::uint64_t is_delete = word + kOnes;  // 0x7f becomes 0x80
  return ((word | below_blank | is_delete) & kHigh) == 0;
}

// The next place of each mark, so that long runs without one are passed over at once.
class MarkFinder {
 public:
  explicit MarkFinder(std::string_view text) : text_(text) {
    for (std::size_t i = 0; i < kMarks.size(); ++i) next_[i] = text_.find(kMarks[i]);
  }

  /// The first that is left; npos: none.
  std::size_t take() {
    const auto least = std::min_element(next_.begin(), next_.end());
    const std::size_t found = *least;
    if (found != std::string_view::npos)
      *least = text_.find(kMarks[static_cast<std::size_t>(least - next_.begin())], found + 1);
    return found;
  }

 private:
  static constexpr std::array<char, 3> kMarks = {'&', '<', '>'};
  std::string_view text_;
  std::array<std::size_t, 3> next_{};
};

}  // namespace

bool is_harmful(char32_t c) {
  if (c == '\n' || c == '\t') return false;
  if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return true;
  return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x200e || c == 0x200f || c == 0xfeff ||
         (c >= 0xe0000 && c <= 0xe007f);
}

bool has_harmful(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    while (text.size() - i >= 8 && are_printable(text.data() + i)) i += 8;
    if (i == text.size()) return false;
    if (!may_begin_harmful(static_cast<unsigned char>(text[i]))) continue;
    std::size_t at = i;
    if (is_harmful(next_code_point(text, at))) return true;
  }
  return false;
}

std::string drop_harmful(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    if (is_harmful(c)) continue;
    if (c == 0xfffd) {
      safe += "\xef\xbf\xbd";
    } else {
      safe += text.substr(begin, at - begin);
    }
  }
  return safe;
}

std::string escape_markup(std::string_view text) {
  std::string cleaned;
  if (has_harmful(text)) {
    cleaned = drop_harmful(text);
    text = cleaned;
  }
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  std::size_t run = 0;
  MarkFinder marks(text);
  for (std::size_t i = marks.take(); i != std::string_view::npos; i = marks.take()) {
    out.append(text, run, i - run);
    out += text[i] == '&' ? "&amp;" : text[i] == '<' ? "&lt;" : "&gt;";
    run = i + 1;
  }
  out.append(text, run);
  return out;
}

std::string escape_attribute(std::string_view text) {
  std::string out;
  for (const char c : escape_markup(text)) {
    if (c == '"' || c == '\'') {
      out += c == '"' ? "&quot;" : "&#39;";
    } else {
      out += c;
    }
  }
  return out;
}

namespace {

struct Marks {
  std::string_view open, close;
};

constexpr std::array<Marks, 10> kMarks = {{{"<think>", "</think>"},
                                           {"<thinking>", "</thinking>"},
                                           {"<thought>", "</thought>"},
                                           {"<reasoning>", "</reasoning>"},
                                           {"<antthinking>", "</antthinking>"},
                                           {"<seed:think>", "</seed:think>"},
                                           {"[think]", "[/think]"},
                                           {"◁think▷", "◁/think▷"},
                                           {"<|begin_of_thought|>", "<|end_of_thought|>"},
                                           {"<|channel|>analysis<|message|>", "<|channel|>final<|message|>"}}};

/// Where a mark stands in a text.
struct Place {
  std::size_t at = 0;
  const Marks* marks = nullptr;
  bool opens = false;

  std::size_t end() const { return at + (opens ? marks->open : marks->close).size(); }
};

/// Reads a text from its beginning to its end.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), low_(lowered(text)) {}

  SaidAndThought read() {
    while (const std::optional<Place> mark = next()) {
      if (is_prose(*mark)) {
        say(end_of(*mark));
        noted_ = std::max(noted_, at_);
        continue;
      }
      if (!mark->opens) {
        // What was said so far was thought: the template had opened it.
        thought_ += said_;
        said_.clear();
        think(mark->at);
        skip(mark->end());
        continue;
      }
      const std::size_t close = close_after(*mark);
      if (close == std::string::npos && !begins_line(mark->at)) {
        say(mark->end());
        continue;
      }
      say(mark->at);
      skip(mark->end());
      think(std::min(close, text_.size()));
      skip(close == std::string::npos ? text_.size() : close + mark->marks->close.size());
    }
    const bool cut = !thought_.empty() || skipped_;
    say(text_.size());
    if (!cut) return {std::move(said_), {}};
    return {std::string(trimmed(said_)), std::string(trimmed(thought_))};
  }

 private:
  // The next mark that stands outside of code.
  std::optional<Place> next() {
    for (std::size_t i = at_; i < low_.size(); ++i) {
      note_code(i);
      if (in_fence_ || in_span_ || (low_[i] != '<' && low_[i] != '[' && low_[i] != kWide.front())) continue;
      for (const Marks& marks : kMarks) {
        for (const bool opens : {true, false}) {
          if (!starts_at(low_, i, opens ? marks.open : marks.close)) continue;
          noted_ = i + 1;
          return Place{i, &marks, opens};
        }
      }
    }
    return std::nullopt;
  }

  void note_code(std::size_t i) {
    if (i < noted_) return;
    noted_ = i + 1;
    if (low_[i] == '\n') in_span_ = false;
    if (low_[i] != '`') return;
    if (starts_at(low_, i, "```")) {
      in_fence_ = !in_fence_;
      noted_ = i + 3;
    } else if (!in_fence_) {
      in_span_ = !in_span_;
    }
  }

  bool begins_line(std::size_t at) const {
    const std::size_t before = low_.find_last_not_of(" \t", at == 0 ? std::string::npos : at - 1);
    return at == 0 || before == std::string::npos || low_[before] == '\n';
  }

  // Where the thought that a mark opens ends. Looked for once for all marks before it, so that the whole stays linear.
  std::size_t close_after(const Place& mark) {
    auto& known = closes_[static_cast<std::size_t>(mark.marks - kMarks.data())];
    if (!known || *known < mark.end()) known = low_.find(mark.marks->close, mark.end());
    return *known;
  }

  // Behind a mark, and what closes it.
  std::size_t end_of(const Place& mark) {
    const std::size_t close = mark.opens ? close_after(mark) : std::string::npos;
    return close == std::string::npos ? mark.end() : close + mark.marks->close.size();
  }

  // "the <think> tag": words of the same sentence stand on both sides.
  bool is_prose(const Place& mark) {
    if (begins_line(mark.at) || low_[mark.at - 1] != ' ') return false;
    const std::size_t next = low_.find_first_not_of(' ', end_of(mark));
    const std::size_t before = low_.find_last_not_of(' ', mark.at - 1);
    const bool word_before = before != std::string::npos && (is_lower(low_[before]) || is_digit(low_[before]));
    const bool goes_on = next < text_.size() && (is_lower(text_[next]) || text_[next] == ',' || text_[next] == '.');
    return word_before && goes_on;
  }

  void say(std::size_t to) { take(to, said_); }
  void think(std::size_t to) { take(to, thought_); }
  void take(std::size_t to, std::string& into) {
    if (to > at_) into += text_.substr(at_, to - at_);
    at_ = std::max(at_, to);
  }
  void skip(std::size_t to) {
    at_ = std::max(at_, to);
    noted_ = std::max(noted_, at_);
    skipped_ = true;
    if (!thought_.empty() && thought_.back() != '\n') thought_ += '\n';
  }

  static constexpr std::string_view kWide = "◁";
  std::string_view text_;
  const std::string low_;
  std::size_t at_ = 0, noted_ = 0;
  std::array<std::optional<std::size_t>, kMarks.size()> closes_;  // by the kind of mark
  std::string said_, thought_;
  bool in_fence_ = false, in_span_ = false, skipped_ = false;
};

}  // namespace

SaidAndThought split_thoughts(std::string_view answer) {
  // Most answers hold no mark at all.
  if (answer.find_first_of("<[\xE2") == std::string_view::npos) return {std::string(answer), {}};
  return Reader(answer).read();
}

bool part_thoughts(Message& message) {
  if (message.role != Role::kAssistant) return false;
  auto [said, thought] = split_thoughts(message.content);
  if (said == message.content) return false;
  message.content = std::move(said);
  message.reasoning += (message.reasoning.empty() || thought.empty() ? "" : "\n") + thought;
  return true;
}

}  // namespace weft
