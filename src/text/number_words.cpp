#include "text/number_words.h"

#include <unordered_map>

namespace weft {
namespace {

template <class Value>
using Words = std::unordered_map<std::string_view, Value>;

template <class Value>
std::optional<Value> find_in(const Words<Value>& words, std::string_view word) {
  const auto found = words.find(word);
  return found == words.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::optional<NumberWord> english_number(std::string_view word) {
  static const Words<NumberWord> words = {
      {"zero", {0, false}},        {"one", {1, false}},        {"two", {2, false}},        {"three", {3, false}},
      {"four", {4, false}},        {"five", {5, false}},       {"six", {6, false}},        {"seven", {7, false}},
      {"eight", {8, false}},       {"nine", {9, false}},       {"ten", {10, false}},       {"eleven", {11, false}},
      {"twelve", {12, false}},     {"thirteen", {13, false}},  {"fourteen", {14, false}},  {"fifteen", {15, false}},
      {"sixteen", {16, false}},    {"seventeen", {17, false}}, {"eighteen", {18, false}},  {"nineteen", {19, false}},
      {"twenty", {20, false}},     {"thirty", {30, false}},    {"forty", {40, false}},     {"fifty", {50, false}},
      {"sixty", {60, false}},      {"seventy", {70, false}},   {"eighty", {80, false}},    {"ninety", {90, false}},
      {"first", {1, true}},        {"second", {2, true}},      {"third", {3, true}},       {"fourth", {4, true}},
      {"fifth", {5, true}},        {"sixth", {6, true}},       {"seventh", {7, true}},     {"eighth", {8, true}},
      {"ninth", {9, true}},        {"tenth", {10, true}},      {"eleventh", {11, true}},   {"twelfth", {12, true}},
      {"thirteenth", {13, true}},  {"fourteenth", {14, true}}, {"fifteenth", {15, true}},  {"sixteenth", {16, true}},
      {"seventeenth", {17, true}}, {"eighteenth", {18, true}}, {"nineteenth", {19, true}}, {"twentieth", {20, true}},
      {"thirtieth", {30, true}}};
  return find_in(words, word);
}

std::optional<int> chinese_digit(std::string_view character) {
  static const Words<int> digits = {{"零", 0}, {"一", 1}, {"二", 2}, {"两", 2}, {"三", 3}, {"四", 4},
                                    {"五", 5}, {"六", 6}, {"七", 7}, {"八", 8}, {"九", 9}};
  return find_in(digits, character);
}

std::optional<int> chinese_scale(std::string_view character) {
  static const Words<int> scales = {{"十", 10}, {"百", 100}, {"千", 1000}};
  return find_in(scales, character);
}

}  // namespace weft
