#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/cognitive.h"
#include "weft/erasure.h"
#include "weft/facets/facet.h"
#include "weft/knowledge.h"
#include "weft/memory.h"
#include "weft/message.h"
#include "weft/task.h"

namespace weft {

/// A stretch of the items of a scope in the order in which they were kept.
struct ItemsWanted {
  std::vector<ItemKind> kinds;
  std::int64_t after = 0;     ///< place of the last one that is known, see `ItemsPage::next`; 0: from the beginning
  bool newest_first = false;  ///< the other way round, from the end
  std::size_t limit = 100;    ///< of all kinds together
};

struct ItemsPage {
  std::vector<Item> items;
  std::int64_t next = 0;  ///< place behind which more follows; 0: that is all
};

/// What is remembered of a scope, over all of its sessions.
class Memory : public Facet {
 public:
  /// Searches it. What was observed before is found at once.
  Result<SearchResult> search(const SearchRequest& what) const;
  Result<SearchResult> search(std::string_view query, std::size_t top_k = 10) const;

  /// Items of a kind, oldest first.
  Result<std::vector<Item>> items(ItemKind kind, std::size_t limit = 1000) const;
  /// Items of some kinds, a page at a time. What is kept meanwhile moves no page.
  Result<ItemsPage> items(const ItemsWanted& what) const;
  /// Original messages by id; unknown ids are left out.
  Result<std::vector<StoredMessage>> originals(std::span<const MessageId> ids) const;

  /// The messages that led to this one and itself, oldest first, on whatever branch it stands. Where several sessions
  /// have the id, those of a living branch come first, then the newest. Empty where there is no such message.
  Result<std::vector<StoredMessage>> branch_to(const MessageId& id) const;

  /// The session of a client's whole history where the client names none. A history that goes on from a known one, or
  /// that replaces its newest turn (another answer, an edited last user message), is the same conversation, also where
  /// its oldest messages were dropped; any other one is a new conversation, even if it begins alike. Sessions that are
  /// being answered meanwhile are `busy`: they are nobody else's.
  Result<SessionId> session_of(std::span<const Message> history, std::span<const SessionId> busy = {}) const;

  /// What is preferred in every session, beside what its tasks say.
  Result<std::vector<Preference>> preferences() const;
  Status set_preferences(const std::vector<Preference>& preferences) const;

  /// Takes a summary of the old mode (end_summaries.json) over as an event. The same summary, time and place again is
  /// recognised: then nothing is queued.
  Result<EndReport> import_summary(const std::string& summary, std::optional<Time> time,
                                   const std::string& place) const;

  /// Forgets messages and all that was made from them, also in files, indexes, caches, the queue and free pages, and
  /// gives the receipt, which is kept in erasures/. Others go on meanwhile; those who write to the very sessions wait
  /// for moments. Killed in between, it goes on by itself at the next start, and the same call gives its receipt.
  /// Message ids that several sessions have need the session (else kConflict). What stands in a scope's other memory (a
  /// group's, a user's private one) is another scope's.
  Result<EraseReceipt> erase(const EraseRequest& what) const;
  /// What of a user's still stands in groups; the scope is the user's private one.
  Result<std::vector<GroupTrace>> group_traces() const;
  /// Forgets that, group by group, and gives the receipt of each. Killed in between, the same call goes on.
  Result<std::vector<EraseReceipt>> erase_in_groups() const;

  /// MEMORY.md, which people edit: what is known beyond single events.
  Result<KnowledgeFile> knowledge() const;
  /// Adds an entry below its heading. What contradicts one that is there is marked below it, and neither is told until
  /// `confirm_knowledge` has said which one holds.
  Result<KnowledgeAdded> add_knowledge(const KnowledgeEntry& entry) const;
  /// Puts a text in the place of the whole. kConflict where more than a quarter of the entries would be lost, unless
  /// `force`.
  Result<KnowledgeFile> write_knowledge(const std::string& text, bool force = false) const;
  /// Says that this entry holds, and not the one that contradicts it, which is given and goes to the archive.
  Result<KnowledgeEntry> confirm_knowledge(const std::string& text) const;

  /// The days of which something is written, oldest first, and one of them: "2026-11-24".
  Result<std::vector<std::string>> days() const;
  Result<Day> day(const std::string& date) const;

  /// Hands all that is kept to `take`, one JSON object a line without its end: messages, items, profile, states and
  /// other documents. Stops at the first error of `take`.
  Status export_to(const std::function<Status(std::string_view line)>& take) const;

 private:
  friend class Engine;
  using Facet::Facet;
};

}  // namespace weft
