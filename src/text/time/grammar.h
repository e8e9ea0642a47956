#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/time/lexer.h"
#include "text/time/when.h"

namespace weft::timex {

/// An idiom has words of time in it and means none.
enum class NodeKind : std::uint8_t { kNumber, kUnit, kAmount, kTime, kSet, kZone, kIdiom };

/// What some tokens mean.
struct Node {
  NodeKind kind = NodeKind::kNumber;
  bool latent = false;  ///< no time by itself, only with others: "5", "may"
  bool ordinal = false, words = false, year = false;  ///< of numbers
  bool chinese = false;
  int digits = 0;
  std::uint32_t begin = 0, end = 0;  ///< tokens
  double number = 0;  ///< also the minutes of a zone
  Grain grain = Grain::kDay;  ///< of units
  std::shared_ptr<const When> when;
  std::shared_ptr<const Amount> amount;
  std::shared_ptr<const std::string> set;  ///< the repetition as it is written
};

/// What a rule was matched with.
struct Args {
  const Setting& setting;
  const std::vector<const Node*>& nodes;

  const Node& operator[](std::size_t i) const { return *nodes[i]; }
  double number(std::size_t i) const { return nodes[i]->number; }
  int integer(std::size_t i) const { return static_cast<int>(nodes[i]->number); }
  const When& when(std::size_t i) const { return *nodes[i]->when; }
};

using Make = std::function<std::optional<Node>(const Args&)>;

/// A pattern and what its match means. Items of the pattern stand between spaces: words ("in", with "_" for a space
/// within and "|" between alternatives) or nodes ("<time>"); "?" behind an item makes it optional.
struct Rule {
  std::string pattern;
  Make make;
};

/// Rules in the form in which they are matched. Immutable.
class Grammar {
 public:
  explicit Grammar(const std::vector<Rule>& rules);

  /// Whether a pattern may have a node of this name.
  static bool knows_node(std::string_view name);

  /// Every meaning of stretches of these tokens, per token at which they begin. Bounded work for each token.
  std::vector<std::vector<Node>> parse(std::vector<Token>& tokens, const Setting& setting) const;

 private:
  using Test = bool (*)(const Node&);
  using Words = std::vector<std::uint32_t>;

  struct Item {
    std::vector<Words> words;
    Test test = nullptr;
  };
  struct Compiled {
    std::vector<Item> items;
    const Make* make = nullptr;
  };
  struct Match;

  void add(const Rule& rule);
  Item compile(std::string_view item);
  void step(Match& match, const Compiled& rule, std::size_t item, std::size_t at) const;
  void apply(Match& match, const Compiled& rule, std::size_t end) const;

  std::vector<std::shared_ptr<const Make>> makes_;
  std::vector<Compiled> rules_;
  std::unordered_map<std::string, std::uint32_t> vocabulary_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> by_word_;  // rules that begin with a word
  std::vector<std::uint32_t> by_node_;  // rules that begin with a node
};

}  // namespace weft::timex
