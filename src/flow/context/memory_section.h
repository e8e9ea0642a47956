#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flow/recall/corrections.h"
#include "flow/recall/item_words.h"
#include "weft/config.h"
#include "weft/memory.h"
#include "weft/task.h"

namespace weft {

/// A message, event or entry that may stand in the memory block of a prompt.
struct MemoryCandidate {
  const Item* item = nullptr;
  const Hit* hit = nullptr;  ///< null: it only stands beside hits
  double gain = 0;           ///< how likely it is evidence, by itself and by the hits around it
  std::vector<const Item*> newer;  ///< what holds instead of parts of it: woven with it, or it is not woven
  std::optional<Time> outdated = {};  ///< since when what the first of `newer` says holds instead of the whole message
  bool empty_talk = false;  ///< says nothing by itself; worth a place only as the answer to a question
};

/// Which hits are candidates where nothing is surely known. Relevance as shares of the configured one.
struct Doubtful {
  double sure = 1;  ///< of the best hit: from here on something is
  double best = 1, each = 1;  ///< of the best and of each of them
  std::size_t most = 0;
};

/// Which of the things that a search found may be woven into a prompt, in the order in which they are worth it.
///
/// Takes     the hits of a search with the messages around them (`SearchRequest::around`).
/// Promises  each hit votes for itself by its rank and relevance, and for the messages around it with a share of that,
///           so that what is woven are stretches of talk rather than single lines; what is unlikely to answer is no
///           candidate, so that a question with a clear answer takes little; where it is not sure that anything is
///           known, the few hits that may have to do with a question are; where nothing is known, none;
///           a statement that says that something has changed outdates an earlier one of the same matter;
///           an earlier asking of the same question, and what a model only repeats of the user, is no candidate; what
///           was made from messages without a model is left to those messages.
/// Cost      the words of each hit are read once; sets of them are compared pairwise.
///
/// Holds pointers into the search result, which must outlive it. Belongs to one call.
class MemoryCandidates {
 public:
  MemoryCandidates(const Config& config, std::string_view query, const SearchResult& found);

  /// Those with the most gain for their tokens first.
  const std::vector<MemoryCandidate>& ordered() const { return ordered_; }
  /// Hits that are no candidates, each with the reason.
  const std::vector<std::pair<const Hit*, std::string>>& refused() const { return refused_; }
  /// Whether `second` was said right after `first` in one conversation.
  bool follows(const Item& first, const Item& second) const;

 private:
  void leave_out_the_unlikely();
  void order_by_cost();
  void find_corrections();
  /// What is read of a hit once, whatever is known.
  struct Read {
    std::shared_ptr<const ItemWords> words;  ///< null where its messages stand for it
    std::string why;  ///< it is no candidate; empty: it may be one
  };

  void read_hits(std::string_view query);
  std::string why_of_text(const Item& item, const ItemWords& words, const Asking& asking) const;
  std::string why_not(std::size_t hit) const;
  bool is_answered(std::size_t hit) const;
  const Hit* message_of(const Item& item, const Hit* otherwise) const;
  void vote(const Hit& hit, double weight);
  void vote_around(const Item& from, const std::vector<Item>& around, bool forward, double weight);
  MemoryCandidate& candidate(const Item& item);

  const Config& config_;
  const SearchResult& found_;
  std::vector<Read> read_;  ///< by place in the hits
  bool sure_ = true;  ///< something that has to do with the question is known
  bool asks_ = false;  ///< the query asks for something; else only what surely has to do with it is worth a place
  Doubtful doubtful_;
  std::map<std::string, std::vector<const Hit*>> messages_;  ///< that were found, by source
  std::map<std::string, std::size_t> places_;  ///< in `ordered_`, by id
  std::vector<MemoryCandidate> ordered_;
  std::vector<std::pair<const Hit*, std::string>> refused_;
  std::set<std::pair<std::string, std::string>> follows_;  ///< ids of messages said one after the other
};

/// What memory is asked with for an input. The task says what the input is about where that is short: "go on".
std::string memory_query(std::string_view input, const TaskState& task);

}  // namespace weft
