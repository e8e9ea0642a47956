// Memories recalled for the input.
#include <algorithm>
#include <map>
#include <set>

#include "flow/context/assembly.h"
#include "flow/context/memory_fence.h"
#include "flow/context/memory_query.h"
#include "flow/context/worth_weaving.h"
#include "model/suspect_item.h"
#include "text/typed_words.h"

namespace weft {
namespace {

std::string query_of(const Assembly& assembly) {
  std::string input;
  for (auto turn = assembly.turns.rbegin(); turn != assembly.turns.rend() && input.empty(); ++turn) {
    const Message& first = turn->messages.front()->message;
    if (first.role == Role::kUser) input = typed_words(first.content);
  }
  return memory_query(input, assembly.input.task);
}

class Chooser {
 public:
  Chooser(Assembly& assembly, WorthWeaving& worth, std::int64_t room)
      : assembly_(assembly),
        worth_(worth),
        room_(room),
        most_(static_cast<std::size_t>(assembly.ports.config.recall.auto_top)),
        most_events_(static_cast<std::size_t>(assembly.ports.config.cognitive_query.auto_top_k)),
        most_of_tools_(static_cast<std::size_t>(assembly.ports.config.context.tool_memories)) {
    for (const EarlierMemory& one : assembly.earlier) {
      const WovenMemory& memory = assembly.input.earlier_memories.at(one.place);
      stands_.insert(memory.items.begin(), memory.items.end());
      for (const std::string& source : memory.sources) assembly.visible.add_source(source);
    }
    if (assembly.input.compacted) stands_.insert("compaction:" + assembly.input.compacted->id);
  }

  /// Facts that the profile tells, and messages that say nothing beside such a fact, have their place there.
  void leave_to_profile(const SearchResult& found) {
    const std::string& profile = assembly_.background.text;
    for (const Hit& hit : found.hits) {
      const auto& event = hit.item.event;
      if (!event || event->quote.empty() || event->new_info.empty()) continue;
      std::string_view told = event->new_info;
      while (told.ends_with('.') || told.ends_with("。")) told.remove_suffix(told.ends_with('.') ? 1 : 3);
      if (profile.find(told) == std::string::npos) continue;
      told_.insert(hit.item.id.str());
      quotes_.push_back(event->quote);
    }
    for (const Hit& hit : found.hits)
      if (told_.contains(hit.item.id.str()) || says_what_is_told(hit.item)) worth_.tell_elsewhere(hit);
  }

  void weigh(const Hit& hit) {
    std::string why = why_not(hit);
    const bool event = hit.item.kind == ItemKind::kEvent;
    if (why.empty() && event && events_ >= most_events_) why = "enough events";
    const bool of_tool = hit.item.who == "tool";
    if (why.empty() && of_tool && of_tools_ >= most_of_tools_) why = "enough from tools";
    if (why.empty() && kept_.size() >= most_) why = "enough memories";
    // Of what is left out, what it would take at least.
    const std::int64_t tokens = why.empty() ? tokens_with(hit.item) - tokens_ : assembly_.count(hit.item.text);
    if (why.empty() && tokens_ + tokens > room_) why = "over budget";
    const bool keep = why.empty();
    if (keep) {
      kept_.push_back(&hit.item);
      events_ += event ? 1 : 0;
      of_tools_ += of_tool ? 1 : 0;
      assembly_.visible.add(hit.item);
      worth_.weave(hit);
      tokens_ += tokens;
    }
    if (keep) why = is_suspect(hit.item) ? kSuspectWhy : "recalled";
    report_item(assembly_, hit.item.id.str(), std::string(to_string(hit.item.kind)), hit.score, tokens, keep, why,
                hit.item.text);
  }

  /// In the order in which it happened: that is how people and models read.
  WovenMemory block() {
    let_go_of_what_is_too_much();
    in_reading_order(kept_);
    label_report();
    WovenMemory block{fence_memories(kept_, marks(kept_)), {}, {}};
    for (const Item* item : kept_) {
      block.items.push_back(item->id.str());
      for (const MessageId& id : item->sources) block.sources.push_back(source_key(item->session, id));
    }
    return block;
  }

 private:
  // Items that say what the prompt says already, in whatever form.
  std::string why_not(const Hit& hit) const {
    const Item& item = hit.item;
    if (stands_.contains(item.id.str())) return "stands in the prompt already";
    if (told_.contains(item.id.str()) || says_what_is_told(item)) return "stands in the profile";
    if (assembly_.visible.shows_source_of(item)) return "its source is in the prompt already";
    if (item.kind == ItemKind::kMessage && assembly_.visible.shows_text(item.text)) return "stands in the history";
    if (assembly_.visible.repeats_memory(item.text)) return "said by a better hit";
    if (std::string why = worth_.why_not(hit); !why.empty()) return why;
    return told_elsewhere(item) ? "its source stands in the history" : std::string();
  }

  // The message itself, and answers that only repeat it.
  bool says_what_is_told(const Item& item) const {
    return item.kind == ItemKind::kMessage &&
           std::any_of(quotes_.begin(), quotes_.end(), [&](const std::string& quote) {
             return 4 * quote.size() >= 3 * item.text.size() && item.text.find(quote) != std::string::npos;
           });
  }

  // Conversations with a common beginning keep it each on its own: the same words under other ids.
  bool told_elsewhere(const Item& item) const {
    if (item.session == assembly_.input.session || item.kind == ItemKind::kMessage || !assembly_.ports.originals)
      return false;
    const std::vector<std::string> originals = assembly_.ports.originals(item.session, item.sources);
    return std::any_of(originals.begin(), originals.end(),
                       [&](const std::string& text) { return assembly_.visible.shows_text(text); });
  }

  // What an item costs depends on what stands around it: its day has one head.
  std::int64_t tokens_with(const Item& item) {
    std::vector<const Item*> items = kept_;
    items.push_back(&item);
    in_reading_order(items);
    return assembly_.count(fence_memories(items, marks(items)));
  }

  // The remark that an older item gets when its newer one is woven is counted only now.
  void let_go_of_what_is_too_much() {
    while (!kept_.empty()) {
      std::vector<const Item*> items = kept_;
      in_reading_order(items);
      if (assembly_.count(fence_memories(items, marks(items))) <= room_) return;
      ReportSection& section = assembly_.report.sections.back();
      const auto reported =
          std::find_if(section.items.rbegin(), section.items.rend(), [](const ReportItem& item) { return item.kept; });
      section.tokens -= reported->tokens;
      reported->kept = false;
      reported->why = "over budget";
      kept_.pop_back();
    }
  }

  // Each text is read for it once, however often the block is tried.
  bool is_suspect(const Item& item) {
    if (item.who != "tool") return false;
    const auto known = suspect_.find(&item);
    if (known != suspect_.end()) return known->second;
    return suspect_[&item] = weft::is_suspect(item);
  }

  MemoryMarks marks(const std::vector<const Item*>& shown) {
    MemoryMarks marks;
    for (const Item* item : shown)
      if (is_suspect(*item)) marks.suspect.insert(item);
    for (const Item* item : kept_) {
      if (const Item* other = worth_.newer_than(*item)) marks.before[item] = other;
      if (worth_.is_newer_than_told(*item)) marks.after_profile.insert(item);
    }
    return marks;
  }

  void label_report() {
    for (ReportItem& reported : assembly_.report.sections.back().items) {
      const auto at = std::find_if(kept_.begin(), kept_.end(),
                                   [&reported](const Item* item) { return item->id.str() == reported.id; });
      if (at != kept_.end()) reported.why += " as " + memory_label(static_cast<std::size_t>(at - kept_.begin()));
    }
  }

  Assembly& assembly_;
  WorthWeaving& worth_;
  std::int64_t room_, tokens_ = 0;
  std::size_t most_, most_events_, most_of_tools_, events_ = 0, of_tools_ = 0;
  std::vector<const Item*> kept_;
  std::map<const Item*, bool> suspect_;  ///< of tools' items that were looked at
  std::set<std::string> told_;  ///< facts that the profile tells
  std::vector<std::string> quotes_;  ///< the words that say them
  std::set<std::string> stands_;  ///< items that are in the prompt in another section
};

// What the history left.
std::int64_t room_for_memories(const Assembly& assembly) {
  const std::int64_t room = assembly.room();
  const bool whole_history = assembly.left_out_tokens() == 0;
  return whole_history ? room : std::min(room, assembly.budget.of(assembly.ports.config.context.memory_share));
}

}  // namespace

// Within one turn (a loop of tool calls) the same block is sent again, so that the provider's cache of the prefix
// holds.
void add_memories(Assembly& assembly, const Deadline& deadline) {
  const std::int64_t room = room_for_memories(assembly);
  start_section(assembly, "memory", room, assembly.ports.config.context.memory_share);
  if (assembly.input.kept_memory) {
    Piece kept = assembly.piece("memory", assembly.input.kept_memory->text);
    if (kept.tokens <= room) {
      report_item(assembly, "memory", "memory", 0, kept.tokens, true, "as in the call before in this turn", kept.text);
      assembly.memory = std::move(kept);
      assembly.woven_memory = *assembly.input.kept_memory;
      return;
    }
  }
  const std::string query = query_of(assembly);
  if (query.empty() || room <= 0) return;
  SearchRequest request;
  request.query = query;
  request.top_k = static_cast<std::size_t>(assembly.ports.config.recall.auto_top) * 4;
  request.vectors = true;
  const auto found = assembly.ports.recall(request, deadline);
  if (!found.ok()) {
    report_item(assembly, "recall", "memory", 0, 0, false, "recall failed: " + found.error().message, "");
    return;
  }
  assembly.report.by = found->by;
  WorthWeaving worth(assembly.ports.config.recall, query, *found);
  Chooser chooser(assembly, worth, room - assembly.piece("", " ").tokens);
  chooser.leave_to_profile(*found);
  for (const Hit* hit : worth.order()) chooser.weigh(*hit);
  assembly.woven_memory = chooser.block();
  if (!found->hits.empty() && !found->known)
    report_item(assembly, "recall", "memory", 0, 0, false,
                assembly.woven_memory.items.empty() ? "nothing relevant is known" : "not sure that this answers", "");
  assembly.memory = assembly.piece("memory", assembly.woven_memory.text);
  assembly.report.sections.back().tokens = assembly.memory.tokens;
}

}  // namespace weft
