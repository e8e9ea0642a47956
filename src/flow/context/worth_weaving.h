#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flow/recall/askings.h"
#include "text/words.h"
#include "weft/config.h"
#include "weft/memory.h"

namespace weft {

/// Which of the memories that were found for a question are worth their tokens, and in which order they are offered a
/// place in the prompt.
///
/// Takes     what recall found, and the question.
/// Promises  nothing is worth weaving where nothing relevant is known; nor is talk that says nothing, an earlier asking
/// of
///           the same question, what was found irrelevant by itself, what a woven memory says already, or a statement
///           that a woven one has replaced, unless the question is about the past or about several things together.
///           What was said comes before what was made of it, and what only asks comes last.
/// Cost      the words of every hit once; pairs of statements are compared, so for some 250 hits at most.
///
/// Holds references to what was found. Belongs to one call.
class WorthWeaving {
 public:
  WorthWeaving(const RecallSettings& settings, std::string_view query, const SearchResult& found);

  /// All hits, in the order in which they are to be weighed.
  const std::vector<const Hit*>& order() const { return order_; }

  /// Why a hit is not worth weaving beside what was woven so far; empty where it is.
  std::string why_not(const Hit& hit) const;

  /// Notes that a hit was woven.
  void weave(const Hit& hit);

  /// Notes that the prompt tells a hit already, elsewhere: what it has replaced is not woven.
  void tell_elsewhere(const Hit& hit);

  /// The woven memory that says something newer of the same matter; null where there is none.
  const Item* newer_than(const Item& item) const;

  /// Whether the item says something newer than what the prompt tells elsewhere of the same matter.
  bool is_newer_than_told(const Item& item) const;

 private:
  using Terms = std::set<Term>;
  struct Known {
    Terms terms;  ///< without those that only report
    bool asks = false;
    bool changes = false;
    bool figures = false;  ///< holds a number
    bool derived = false;  ///< made from messages without any judgement, which say it better
    double relevance = 0;
    std::span<const float> vector;  ///< empty where there is none
  };
  enum class Replaces { kNo, kPerhaps, kSurely };

  Known read(const Hit& hit) const;
  const Known& known(const Item& item) const { return known_.at(&item); }
  void find_names(const std::vector<std::string>& words);
  bool is_relevant(const Hit& hit) const;
  bool is_covered(const Item& item) const;
  Replaces replaces(const Item& newer, const Item& older) const;
  Replaces replaces_by_words(const Known& newer, const Known& older) const;
  bool may_be_over(const Item& newer, const Item& older) const;
  bool tells_anew(const Item& newer, const Item& older) const;
  std::optional<double> likeness(const Item& a, const Item& b) const;
  bool stands_behind_replaced_event(const Item& item) const;
  void put_newer_first();

  const RecallSettings& settings_;
  Asking asked_;
  Terms query_terms_;
  Terms names_;  ///< of the question's words those that tell of its subject
  bool anything_ = false;  ///< some hit is relevant enough
  bool past_ = false;
  bool only_newest_ = true;  ///< the question is about what holds, not about the past or about several things together
  bool personal_ = false;  ///< the question is for a fact of the asker's own life
  bool known_at_all_ = false;
  bool chinese_ = false;
  std::map<const Item*, Known> known_;
  std::set<std::string> replaced_sources_;  ///< messages behind events that were superseded
  std::vector<const Hit*> order_;
  std::vector<const Item*> woven_;
  std::vector<const Item*> told_;  ///< what the prompt tells elsewhere
};

}  // namespace weft
