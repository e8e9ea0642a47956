// Requests to change a number, in English. A clause is read whole or not at all: whatever is left over makes it a
// story or another request.
#include <algorithm>

#include "text/english_verbs.h"
#include "text/quantity_request.h"
#include "text/words.h"

namespace weft {
namespace {

enum Verb : int { kGive = 1, kGain, kLose, kRaise, kLower, kSet, kHeal, kHurt, kTake, kGained, kLost };

const PhraseTable& verbs() {
  static const PhraseTable table = [] {
    PhraseTable verb;
    verb.add_list("en/games", "verbs give", kGive);
    verb.add_list("en/games", "verbs gain", kGain);
    verb.add_list("en/games", "verbs lose", kLose);
    verb.add_list("en/games", "verbs raise", kRaise);
    verb.add_list("en/games", "verbs lower", kLower);
    verb.add_list("en/games", "verbs set", kSet);
    verb.add_list("en/games", "verbs heal", kHeal);
    verb.add_list("en/games", "verbs hurt", kHurt);
    verb.add_list("en/games", "verbs take", kTake);
    verb.add_list("en/games", "verbs gained", kGained);
    verb.add_list("en/games", "verbs lost", kLost);
    return verb;
  }();
  return table;
}

const PhraseTable& courtesy() {
  static const PhraseTable table = phrase_table("en/games", "courtesy");
  return table;
}

// What may stand for many kinds of things, before "of".
bool is_measure(std::string_view word) {
  for (const std::string_view measure : {"bottle", "vial", "flask", "piece", "unit", "point", "dose", "cup", "bag",
                                         "bundle", "box", "pack", "pair", "stack", "pinch", "slice", "loaf", "coin"}) {
    if (word == measure || (word.starts_with(measure) && word.size() == measure.size() + 1 && word.ends_with('s')))
      return true;
  }
  return word == "doses" || word == "boxes" || word == "loaves";
}

/// Reads a clause from its beginning; every part moves on over what it took.
class Reader : QuantityReader {
 public:
  Reader(ClauseWords words, QuantityCarry carry) : QuantityReader(words, carry) {}

  std::optional<QuantityClause> read() {
    strip_courtesy(courtesy(), courtesy(), words_.size());
    if (words_.empty()) return std::nullopt;
    for (const auto way : {&Reader::by_verb, &Reader::number_first, &Reader::thing_first}) {
      at_ = 0;
      clause_ = {};
      if ((this->*way)() && !clause_.request.what.empty()) return clause_;
    }
    return std::nullopt;
  }

 private:
  std::size_t left() const { return words_.size() - at_; }

  // A number, with "another" before and "more" behind it.
  bool number(double& amount) {
    if (!take("another")) take("an") && (take("extra") || take("additional"));
    if (done()) return false;
    const auto value = quantity_number(words_[at_]);
    if (!value) return false;
    amount = *value;
    ++at_;
    if (!done() && words_[at_].kind == WordKind::kSign && !is("+") && !is("=")) return false;  // a share, a price
    take("more") || take("extra") || take("additional");
    return true;
  }

  // "+ 5", "-5", "plus 5", "minus 5", "+= 5".
  bool signed_number(double& amount) {
    const bool minus = take("minus");
    const bool plus = !minus && (take("+") || take("plus"));
    if (plus) take("=");
    const bool sign = !minus && !plus && !done() && words_[at_].text.starts_with('-');
    if ((!minus && !plus && !sign) || !number(amount)) return false;
    if ((minus || plus) && amount < 0) return false;
    if (minus) amount = -amount;
    return true;
  }

  // The end of a thing's name that begins here.
  std::size_t thing_end() const {
    std::size_t end = at_;
    while (end < words_.size()) {
      const PlainWord& word = words_[end];
      const bool han = word.kind == WordKind::kHan;
      const bool inner = end > at_ && (word.text == "of" || word.text == "'s");
      if (!han && (word.kind != WordKind::kWord || (is_function_word(word.text) && !inner))) break;
      if (word.text == "plus" || word.text == "minus" || word.text == "now" || word.text == "away") break;
      ++end;
    }
    return end;
  }

  bool thing(std::string& what) {
    for (;; at_ += 2) {  // "the number of the …", as often as somebody says so
      if (take("my") || take("our")) {
        clause_.request.own = true;
      } else {
        take("the");
      }
      const bool counts = left() > 2 && (is("number") || is("amount") || is("count") || is("quantity"));
      if (!counts || words_[at_ + 1].text != "of") break;
    }
    constexpr std::size_t kMostWords = 5;
    std::size_t end = thing_end();
    const bool latin = !done() && words_[at_].kind == WordKind::kWord;
    if (end == at_ || (latin && end - at_ > kMostWords) || words_[end - 1].text == "of") return false;
    if (end - at_ > 2 && is_measure(words_[at_].text) && words_[at_ + 1].text == "of") at_ += 2;
    const ClauseWords name = ClauseWords(words_).subspan(at_, end - at_);
    // "ideas for", "words of wisdom": the head decides.
    const auto of = std::find_if(name.begin() + 1, name.end(), [](const PlainWord& word) { return word.text == "of"; });
    if (is_uncountable_noun(name.front().text) || is_uncountable_noun((of - 1)->text) ||
        is_uncountable_noun(name.back().text))
      return false;
    what = join_words(name);
    at_ = end;
    return true;
  }

  // "to my quiver", "from the bag", up to the end.
  bool place() {
    if (done()) return true;
    if (!(take("to") || take("into") || take("in") || take("onto") || take("from") || take("off"))) {
      if (!(take("out") && take("of"))) return false;
    }
    // Whose things they are without a word for where.
    if (left() == 1 && (is("me") || is("us"))) {
      ++at_;
      clause_.request.own = true;
      return true;
    }
    return thing(clause_.request.where) && done();
  }

  bool unit() {
    if (!done()) take("points") || take("point") || take("coins") || take("pieces") || take("units") || take("hp");
    return done();
  }

  // N THING [to PLACE]; "add 5 to gold" where `bare`.
  bool count_of_thing(int sign, bool bare) {
    double amount = 0;
    if (!number(amount)) return false;
    take("of");
    const std::size_t mark = at_;
    if (thing(clause_.request.what)) return place() && add(amount, sign);
    at_ = mark;
    const bool joined = bare && (take("to") || take("from"));
    return joined && thing(clause_.request.what) && done() && add(amount, sign);
  }

  // THING by N, THING to N.
  bool thing_by(int sign) {
    if (!thing(clause_.request.what)) return false;
    double amount = 0;
    if (take("by")) return number(amount) && unit() && add(amount, sign);
    if (take("to")) return number(amount) && unit() && finish(QuantityOperation::kSet, amount, QuantityCarry::kSet);
    return false;
  }

  bool thing_set(bool needs_word) {
    if (!thing(clause_.request.what)) return false;
    const bool word = take("to") || take("=") || take("at") || (take("equal") && take("to"));
    double amount = 0;
    return (word || !needs_word) && number(amount) && unit() &&
           finish(QuantityOperation::kSet, amount, QuantityCarry::kSet);
  }

  bool health(int sign) {
    double amount = 0;
    take("for") || take("by");
    if (!number(amount)) return false;
    if (done()) {
      clause_.request.what = "hp";
    } else if (!thing(clause_.request.what) || !done() || stat_of(name_key(clause_.request.what)) != "hp") {
      return false;
    }
    return add(amount, sign);
  }

  // "take 5 damage", "take 5 gold away"; "take 3 potions" alone may be either of two things.
  bool take_away() {
    double amount = 0;
    if (!number(amount)) return false;
    if (take("damage")) {
      clause_.request.what = "hp";
      if (take("to")) {
        if (!take("me") || !done()) return false;
        clause_.request.own = true;
      }
      return done() && add(amount, -1);
    }
    return thing(clause_.request.what) && take("away") && place() && add(amount, -1);
  }

  // "lost 5 hp", "took 5 damage".
  bool lost() {
    const std::size_t mark = at_;
    if (take_away()) return true;
    at_ = mark;
    return count_of_thing(-1, false);
  }

  bool follow(int verb) {
    switch (verb) {
      case kGive:
        clause_.request.own = words_[0].text != "put";
        return count_of_thing(+1, false) && (words_[0].text != "put" || !clause_.request.where.empty());
      case kGain: return count_of_thing(+1, true);
      case kLose: return count_of_thing(-1, true);
      case kRaise: return thing_by(+1);
      case kLower: return thing_by(-1);
      case kSet: return thing_set(false);
      case kHeal: return health(+1);
      case kHurt: return health(-1);
      case kTake: return take_away();
      case kGained: return count_of_thing(+1, false);
      case kLost: return lost();
      default: return false;
    }
  }

  bool by_verb() {
    const bool first_person = words_[0].text == "i" || words_[0].text == "we";
    if (first_person && words_.size() < 2) return false;
    bool read = false;
    // Of oneself a change of a statistic is told; everything else is a story.
    const auto told = [this](int verb) {
      const bool done = verb == kGained || verb == kLost;
      return (done || verb == kGain || verb == kLose || verb == kTake) &&
             !stat_of(name_key(clause_.request.what)).empty();
    };
    verbs().for_each(words_, first_person ? 1 : 0, [&](std::size_t length, int verb) {
      if (read) return;
      clause_ = {};
      at_ = (first_person ? 1 : 0) + length;
      read = follow(verb) && (first_person ? told(verb) : verb != kGained && verb != kLost);
      if (first_person) clause_.request.own = true;
    });
    return read;
  }

  // "-5 hp", "+10 gold"; "2 arrows" behind "give me 3 potions and".
  bool number_first() {
    double amount = 0;
    if (signed_number(amount)) {
      return thing(clause_.request.what) && done() && finish(QuantityOperation::kAdd, amount, QuantityCarry::kNone);
    }
    at_ = 0;
    if (carry_ == QuantityCarry::kAdd) return count_of_thing(+1, true);
    if (carry_ == QuantityCarry::kTake) return count_of_thing(-1, true);
    return false;
  }

  // "hp -5", "hp = 80", "hp is now 80", "hp to 50" behind "set gold to 30 and".
  bool thing_first() {
    if (!thing(clause_.request.what)) return false;
    const std::size_t mark = at_;
    double amount = 0;
    if (signed_number(amount) && unit()) return finish(QuantityOperation::kAdd, amount, QuantityCarry::kNone);
    at_ = mark;
    const bool set = take("=") || (take("is") && take("now")) || (take("should") && take("be")) ||
                     (carry_ == QuantityCarry::kSet && take("to"));
    return set && number(amount) && unit() && finish(QuantityOperation::kSet, amount, QuantityCarry::kSet);
  }
};

}  // namespace

std::optional<QuantityClause> read_english_quantity(ClauseWords words, QuantityCarry carry) {
  return Reader(words, carry).read();
}

}  // namespace weft
