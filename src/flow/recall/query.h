#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flow/recall/days.h"
#include "ports/index/scope_index.h"
#include "weft/memory.h"

namespace weft {

/// A question to one scope's index.
struct RecallQuery {
  std::string text;
  std::vector<float> vector;                       ///< of `text_to_embed`, unit length; empty: words alone
  std::size_t top_k = 10;
  std::vector<ItemKind> kinds;                     ///< empty: all
  std::optional<Time> from, to;                    ///< bounds on the item's time, both inclusive
  std::optional<SessionId> session, not_session;
  std::size_t around = 0;  ///< rows of so many messages before and after each message are given
  std::optional<Time> now;  ///< what "yesterday" is counted from; without it such words only are words
};

/// A question as it is asked of every shelf: read once, whatever is looked through.
struct QueryText {
  struct Word {
    Term term = 0;
    bool chinese = false;
    bool character = false;  ///< a single Chinese one
  };

  std::vector<Word> words;                   ///< in order, each once
  std::vector<WordsIndex::QueryTerm> terms;  ///< the same by their numbers, weighted by how often they stand there
  std::vector<NamedDays> days;
  std::vector<DayRange> ranges;  ///< days in relation to now
  bool chinese = false;          ///< mainly
  bool bare = false;             ///< without a word that counts: "of the"
  bool several = false;          ///< of several lines: a text, not a question
  bool personal = false;         ///< speaks of who asks: "my", "we", "我"
};

QueryText read_query(const RecallQuery& query);

/// Which speakers of a shelf a question names: their numbers there. The empty name is nobody.
std::vector<std::uint16_t> named_speakers(const RecallQuery& query, std::span<const std::string> speakers);

/// The question without the names of those who speak in the conversations. A message says its speaker's name nowhere,
/// but its hearer's often, so that with the name the vector of "When did Anna paint?" lies nearest to what others said
/// to Anna: on 997 questions about dialogues the share found among the first five by vectors alone was .15 with names
/// and .44 without. The text itself where little else would be left.
std::string text_to_embed(std::string_view text, std::span<const std::string> speakers);

}  // namespace weft
