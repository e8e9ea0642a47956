#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/time/grammar.h"

namespace weft::timex {

/// The rules of lexicon/time/: of each language, of dates in digits, and the names of holidays in both languages.
std::vector<Rule> english_rules();
std::vector<Rule> chinese_rules();
std::vector<Rule> numeric_rules();
std::vector<Rule> holiday_rules();

/// Parses a file of rules; lexicon/README.md describes the form. A broken line is skipped, and its number added to
/// `broken` unless that is null.
std::vector<Rule> read_rules(std::string_view source, std::vector<std::size_t>* broken = nullptr);

/// A call of a function in a rule: its evaluated operands. Only valid during the call.
struct Call {
  const Setting& setting;
  std::span<const Node* const> values;

  const Node& operator[](std::size_t i) const { return *values[i]; }
  std::size_t size() const { return values.size(); }
  double number(std::size_t i) const { return values[i]->number; }
  int integer(std::size_t i) const { return static_cast<int>(values[i]->number); }
  Grain grain(std::size_t i) const { return values[i]->grain; }
  const When& when(std::size_t i) const;
  const Amount& amount(std::size_t i) const;
};

struct Function {
  std::string_view name;
  std::size_t least = 0, most = 0;  ///< operands
  std::optional<Node> (*run)(const Call&) = nullptr;
  bool asks_setting = false;  ///< its result depends on the moment of speaking
};

/// The function of that name; null where there is none.
const Function* function_named(std::string_view name);

/// The value of a word that is not a function: the name of a unit or of a part of the day. Nothing for other words.
std::optional<Node> constant_named(std::string_view name);

// What rules make.

Node time_node(When when, bool latent = false);
Node number_node(double number);
Node set_node(std::string repetition);
When date_of(SeriesPtr series, Grain grain, unsigned fields);

/// "P1Y2M", "PT2.5H".
std::string iso_duration(const Amount& amount);

}  // namespace weft::timex
