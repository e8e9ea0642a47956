#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/analysis.h"
#include "weft/plan.h"
#include "weft/quest.h"

namespace weft {

/// Names that may be spoken of: of entities, quests, titles of lore. Built once for each version of them; read-only
/// then, safe from any thread.
class KnownNames {
 public:
  enum class Kind { kEntity, kQuest, kLore };
  struct Found {
    std::string name;  ///< as it was added
    Kind kind = Kind::kEntity;
  };

  /// Names of more than 12 words (characters, in Chinese) and single common letters are passed over.
  void add(std::string_view name, Kind kind);

  /// The names in a text, in its order, each once, the longest where several begin at one place. Case, width and
  /// traditional characters do not matter. Linear in the text.
  std::vector<Found> find(TextAnalysis& text) const;

  bool empty() const { return names_.empty(); }

 private:
  std::unordered_map<std::string, Found> names_;  ///< by the words, parted
  std::unordered_map<std::string, std::size_t> longest_;  ///< most words of a name that begins with this one
};

/// "past", "future" or "now", by the words for time of both languages.
std::string temporal_context_of(TextAnalysis& input);

/// Which quest a message is about, and how sure that is from 0 to 1.
struct QuestFocus {
  const Quest* quest = nullptr;  ///< into the list that was given
  double sure = 1;
  std::string why;
  bool shares_words = false;  ///< the input speaks of it
};

/// Of the active quests the one that the input names or shares the most words with; else the previous one while it is
/// active; else the only one. Several that fit alike give the previous one or none, and little certainty.
QuestFocus focus_on_quest(TextAnalysis& input, const std::vector<Quest>& quests,
                          const std::optional<std::string>& previous);

/// Names found in the input, then those of the last turn, then the input's own words that carry meaning, at most
/// `most`.
std::vector<std::string> focus_keywords(TextAnalysis& input, const std::vector<KnownNames::Found>& in_input,
                                        const std::vector<KnownNames::Found>& in_last_turn, std::size_t most);

/// The chains' weights: the past weighs on the narrative, a question what something of the lore is on the lore, a
/// quest that is spoken of on the events.
DomainWeight weights_for(TextAnalysis& input, std::string_view temporal_context,
                         const std::vector<KnownNames::Found>& in_input, bool quest_named);

}  // namespace weft
