#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/plain_words.h"

namespace weft {

/// Whether a number is changed by an amount or given a value.
enum class QuantityOperation { kAdd, kSet };

/// One change of a number that somebody asks for.
struct QuantityRequest {
  std::string what;   ///< the words that name it, in the form of `normalize`: "hp", "healing potions", 药水
  std::string where;  ///< the words for what holds it, without article: "quiver", 背包; empty: not said
  QuantityOperation operation = QuantityOperation::kAdd;
  double amount = 0;  ///< signed
  bool own = false;   ///< the speaker's: "my gold", "give me", 给我

  friend bool operator==(const QuantityRequest&, const QuantityRequest&) = default;
};

/// The changes of numbers that a message asks for, if it asks for nothing else: "HP -5", "set gold to 30", "give me 3
/// potions and 2 arrows", 把药水加三瓶, 金币减5. Empty for everything else: questions, stories ("I give him three
/// reasons"), estimates (三四瓶), shares (10%), spans of time, requests for text ("give me 3 ideas"), a change of a
/// number with anything more behind it, and messages longer than 400 bytes. Greetings and courtesy around it do not
/// count. Chinese, English and both mixed. Whether there is such a thing is for the caller to see. Linear; safe from
/// any thread.
std::vector<QuantityRequest> quantity_requests(std::string_view text);

/// What a clause takes over from the one before it: "give me 3 potions and 2 arrows".
enum class QuantityCarry { kNone, kAdd, kTake, kSet };

/// One clause that was read.
struct QuantityClause {
  QuantityRequest request;
  QuantityCarry carry = QuantityCarry::kNone;
};

using ClauseWords = std::span<const PlainWord>;

/// The number a word is, with its sign; nothing for dates, shares, ranges and what is no number.
std::optional<double> quantity_number(const PlainWord& word);

/// The words as text: blanks between words of letters, none around Chinese.
std::string join_words(ClauseWords words);

/// Whether a noun names talk or time instead of a thing that can be counted in a state: reason, idea, minute, 建议, 天.
bool is_uncountable_noun(std::string_view noun);

/// What the readers of both languages share: the words of a clause, which one is next, and what was read so far.
class QuantityReader {
 protected:
  QuantityReader(ClauseWords words, QuantityCarry carry) : words_(words.begin(), words.end()), carry_(carry) {}

  bool done() const { return at_ == words_.size(); }
  bool is(std::string_view text) const { return !done() && words_[at_].text == text; }
  bool take(std::string_view text);

  /// Leaves out words of courtesy at both ends; those at the end are at most `longest_tail` words.
  void strip_courtesy(const PhraseTable& before, const PhraseTable& behind, std::size_t longest_tail);

  /// Both give true: the clause is read.
  bool finish(QuantityOperation operation, double amount, QuantityCarry carry);
  /// Adds to or takes from a number; false for a negative amount.
  bool add(double amount, int sign);

  std::vector<PlainWord> words_;
  QuantityCarry carry_;
  std::size_t at_ = 0;
  QuantityClause clause_;
};

/// Reads a clause by the grammar of one language; nothing where it asks for anything but one change of a number.
std::optional<QuantityClause> read_english_quantity(ClauseWords words, QuantityCarry carry);
std::optional<QuantityClause> read_chinese_quantity(ClauseWords words, QuantityCarry carry);

}  // namespace weft
