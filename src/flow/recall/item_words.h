#pragma once

#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "model/rows.h"
#include "text/words.h"
#include "weft/config.h"
#include "weft/memory.h"

namespace weft {

/// An item as a statement that a later one may correct.
struct StatementWords {
  bool states = false;    ///< one thing, and asks nothing
  bool figures = false;
  bool happened = false;  ///< tells what happened rather than what holds
  bool changes = false;   ///< says that something has changed
  struct Sentence {
    TermSet terms;
    Term first = 0;  ///< the word that it begins with, but for words of change
  };
  Term first = 0;  ///< the same of the whole text
  std::vector<Sentence> changing = {};  ///< the sentences that say that something has changed
};

/// Word sets of an item, for ranking and for prompts.
class ItemWords {
 public:
  explicit ItemWords(const Item& item);

  /// Those that tell of its matter: without notes of ours and words that only report speech.
  const TermSet& matter() const { return matter_; }
  /// Those of the whole text that do more than ask.
  const TermSet& terms_without_asking() const { return without_asking_; }
  /// See `says_nothing`.
  bool says_nothing() const { return says_nothing_; }
  /// Of the same item; read when it is asked for first.
  const StatementWords& statement(const Item& item) const;

 private:
  TermSet matter_, without_asking_;
  bool says_nothing_ = false;
  mutable std::once_flag read_;
  mutable StatementWords statement_;
};

/// The words of an item. A cache keeps them for a while by a digest of the text, and without the text: a conversation
/// finds the same items again at each turn. Safe from any thread.
std::shared_ptr<const ItemWords> words_of(const Item& item);
/// Empties that cache, after an erasure.
void forget_item_words();

/// Words that ask, as terms.
const TermSet& asking_terms();

/// Marks an item that is found by its words only and is never embedded.
inline constexpr const char* kWordsOnly = "-";

/// The words under which an item of this kind with this text stands in the index.
std::vector<Term> indexed_terms(ItemKind kind, std::string_view text);

/// What recall finds of a message as soon as it is written: one item, or one for each part of a long one. System
/// messages and empty ones give none. Outputs of tools are found by their words only: they are long, and embedding them
/// would cost more than they are asked for. The items have no numbers yet.
void add_message_items(const LimitsSettings& limits, const MessageRow& message, std::vector<ItemRow>& items);

}  // namespace weft
