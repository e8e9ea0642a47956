#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flow/recall/item_words.h"
#include "flow/recall/query.h"
#include "text/words.h"
#include "weft/memory.h"

namespace weft {

/// A question to which askings are compared.
struct Asking {
  std::string text;
  TermSet terms;  ///< its words, without those that only ask
};

/// Of a question and its words by `index_words`.
Asking asking_of(std::string_view question, const std::vector<std::string>& words);

/// Whether an item adds nothing to the question: it asks the same in nearly the same words, and says nothing else, or
/// it is the question itself. A statement in the question's words is none. Both languages; linear.
bool is_same_asking(const Item& item, const ItemWords& words, const Asking& question);

/// Puts messages that answer nothing behind all other hits, which keep their order: those that only asked the same
/// before, and those that say nothing at all (see `says_nothing`), whose vectors mean little and whose neighbours lend
/// them words. A statement stays where it is, also where it is looked for by its very words.
void put_empty_last(std::vector<Hit>& hits, const QueryText& question);

/// Statements of which a later one may say that an earlier one no longer holds.
///
/// Takes     items, which must outlive it.
/// Promises  a correction is *proven* where the same speaker, or the user after the assistant, says in one sentence
///           that something has changed, in at least half of the earlier words and with as few other words. The shared
///           words name the matter, and both sentences begin with it: what Mum takes does not correct what Dad takes.
///           The other words are the value. An event of the past is never corrected so. Near vectors prove nothing: in
///           long talks half of the statements that were marked by them still held.
/// Cost      the words that statements share are counted; texts are read only where they share enough.
///
/// Belongs to one call.
class Statements {
 public:
  /// How sure it is that a later statement holds instead of an earlier one.
  enum class Certainty {
    kSeems,  ///< both are shown
    kSaysSo,  ///< it says that something has changed, and much of the earlier words: it ranks first
    kProven,  ///< the earlier one is marked
  };
  struct Newer {
    std::size_t place = 0;
    Certainty certainty = Certainty::kSeems;
  };

  void add(const Item& item);
  const Item& item(std::size_t place) const { return *statements_[place].item; }
  /// The words of its matter.
  const TermSet& terms(std::size_t place) const { return statements_[place].words->matter(); }

  /// Of several corrections the last one. Where none is proven, the last of those statements that repeat nearly as many
  /// of its words as the one that repeats most.
  std::optional<Newer> newer_than(std::size_t place) const;

 private:
  struct Statement {
    const Item* item;
    std::shared_ptr<const ItemWords> words;
  };

  std::vector<std::size_t> shared_with(std::size_t place) const;
  const StatementWords& reading(std::size_t place) const;
  bool proves(const StatementWords& now, std::size_t older) const;

  std::vector<Statement> statements_;
  std::unordered_map<Term, std::vector<std::size_t>> holders_;  ///< places of the statements with a word
};

/// Moves hits that no longer hold behind the hits that replaced them, and keeps the order else. A question may ask for
/// what held then, so nothing is hidden. Four kinds of hits move: superseded facts, messages that stated them,
/// statements that a later one corrects, and statements that a later one of about equal relevance seems to replace.
void put_current_first(std::vector<Hit>& hits, const QueryText& question);

}  // namespace weft
