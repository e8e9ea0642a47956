#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "text/json.h"
#include "text/markup.h"
#include "text/utf8.h"

namespace weft::test {

/// Makes trees out of bytes, from a random source or a fuzzer. Text is made of what breaks markup and YAML.
class RandomValue {
 public:
  /// `next` gives a byte each time. `harmless`: without characters that Filament leaves out.
  RandomValue(std::function<std::uint8_t()> next, bool harmless) : next_(std::move(next)), harmless_(harmless) {}

  Value value(int depth = 0) {
    switch (next_() % (depth >= 5 ? 6 : 9)) {
      case 0: return {};
      case 1: return next_() % 2 == 0;
      case 2: return whole();
      case 3: return static_cast<double>(whole()) / 64.0;
      case 4:
      case 5: return text();
      case 6: return list(depth);
      case 7: return ValueObject{{"value", scalar()}, {"description", text()}};
      default: return object(depth);
    }
  }

  std::string text() {
    static constexpr std::string_view kPieces[] = {"a",
                                                   " ",
                                                   "b1",
                                                   "剑",
                                                   "</status>",
                                                   "<a>",
                                                   "]]>",
                                                   "&amp;",
                                                   "&",
                                                   "\n",
                                                   "\t",
                                                   ": ",
                                                   " #",
                                                   "- ",
                                                   "{{ x }}",
                                                   "{% for %}",
                                                   "'",
                                                   "\"",
                                                   "\\",
                                                   ",",
                                                   "[",
                                                   "}",
                                                   " (",
                                                   ")",
                                                   "null",
                                                   "true",
                                                   "0x1f",
                                                   "1e5",
                                                   "12:30",
                                                   "~",
                                                   "---",
                                                   "...",
                                                   "!x",
                                                   "*x",
                                                   "%",
                                                   "@",
                                                   "`",
                                                   "|",
                                                   ">",
                                                   "?",
                                                   "=",
                                                   "<<",
                                                   "é",
                                                   "\xc2\xa0",
                                                   "\xe2\x80\xa8",
                                                   "System:",
                                                   "<|im_end|>",
                                                   ".5",
                                                   "+1",
                                                   "\xf0\x9f\x98\x80",
                                                   "\x1b[31m",
                                                   "\xe2\x80\xae",
                                                   "\x7f",
                                                   "\xc2\x85",
                                                   "\xef\xbb\xbf",
                                                   "\r\n",
                                                   "\xef\xbf\xbe"};
    std::string out;
    for (std::size_t left = next_() % 6; left > 0; --left) out += kPieces[next_() % std::size(kPieces)];
    if (next_() % 16 == 0) out += std::string(600, 'k');
    return harmless_ ? drop_harmful(out) : out;
  }

 private:
  std::int64_t whole() {
    std::uint64_t bits = 0;
    for (int i = next_() % 8; i >= 0; --i) bits = bits << 8U | next_();
    return static_cast<std::int64_t>(bits) / (next_() % 2 == 0 ? 1 : -1000);
  }
  Value scalar() {
    switch (next_() % 4) {
      case 0: return text();
      case 1: return static_cast<double>(whole()) / 64.0;
      case 2: return next_() % 2 == 0;
      default: return whole();
    }
  }
  Value list(int depth) {
    ValueList list;
    for (std::size_t left = next_() % 5; left > 0; --left) list.push_back(value(depth + 1));
    return list;
  }
  Value object(int depth) {
    ValueObject members;
    std::set<std::string> names;
    const bool entity = next_() % 3 == 0;
    if (entity) names.insert("id"), members.emplace_back("id", text());
    for (std::size_t left = next_() % 5; left > 0; --left) {
      std::string name = text();
      if (names.insert(name).second) members.emplace_back(std::move(name), entity ? scalar() : value(depth + 1));
    }
    return members;
  }

  std::function<std::uint8_t()> next_;
  bool harmless_;
};

}  // namespace weft::test
