#include "flow/stream/topic_return.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "text/function_words.h"
#include "text/goes_back.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kLookBack = 200;  // blocks
constexpr double kNamed = 0.5;          // of the weight of what is named that a topic must speak of

/// A topic of the session with its blocks as they are kept.
struct Told {
  TopicId id;
  std::vector<BlockRow> rows;
  std::vector<LogicalBlock> blocks;
  std::set<Term> terms;
};

std::vector<MessageRow> messages_of(const StreamPorts& ports, const StreamChange& change, const BlockRow& row) {
  auto stored = ports.store.messages().of_block(row.scope, row.session, row.id).value_or({});
  if (!stored.empty()) return stored;
  for (const MessageRow& message : change.batch.messages)
    if (message.seq >= row.first_seq && message.seq <= row.last_seq) stored.push_back(message);
  return stored;
}

// What is not written yet stands behind what is.
std::vector<BlockRow> blocks_of(const StreamPorts& ports, const SessionState& state, const StreamChange& change) {
  auto rows = ports.store.streams().session_blocks(state.row.scope, state.row.session).value_or({});
  for (const BlockRow& row : change.batch.blocks) {
    const auto at = std::find_if(rows.begin(), rows.end(), [&](const BlockRow& one) { return one.id == row.id; });
    if (at == rows.end())
      rows.push_back(row);
    else
      *at = row;
  }
  std::erase_if(rows, [](const BlockRow& row) { return row.topic.empty(); });
  if (rows.size() > kLookBack) rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(kLookBack));
  return rows;
}

std::vector<Told> topics_of(const StreamPorts& ports, const SessionState& state, const StreamChange& change) {
  std::vector<Told> topics;
  for (BlockRow& row : blocks_of(ports, state, change)) {
    if (topics.empty() || topics.back().id != row.topic) topics.push_back({row.topic, {}, {}, {}});
    topics.back().rows.push_back(std::move(row));
  }
  for (Told& topic : topics) {
    for (const BlockRow& row : topic.rows) {
      topic.blocks.push_back(rebuild_block(row, messages_of(ports, change, row)));
      const LogicalBlock& block = topic.blocks.back();
      for (const auto& said : {block.user_block, block.response_block}) {
        if (!said) continue;
        for (const Term term : index_terms(said->content)) topic.terms.insert(term);
      }
    }
  }
  return topics;
}

std::set<Term> content_terms(const std::string& name) {
  std::set<Term> terms;
  for (const std::string& word : index_words(name))
    if (!is_function_word(word)) terms.insert(term_of(word));
  return terms;
}

// The share of what is named that a topic speaks of; what all topics speak of tells little.
double share_of(const std::set<Term>& named, const Told& topic, const std::vector<Told>& all) {
  double there = 0, sum = 0;
  for (const Term term : named) {
    const auto with = std::count_if(all.begin(), all.end(), [&](const Told& one) { return one.terms.contains(term); });
    const double weight = std::log(1 + static_cast<double>(all.size()) / (static_cast<double>(with) + 0.5));
    sum += weight;
    if (topic.terms.contains(term)) there += weight;
  }
  return sum == 0 ? 0 : there / sum;
}

const Told* best_of(const std::vector<Told>& topics, const std::string& name, const TopicId& open) {
  const std::set<Term> named = content_terms(name);
  const Told* best = nullptr;
  double most = 0;
  for (const Told& topic : topics) {  // of equals the newest
    const double share = share_of(named, topic, topics);
    if (share >= kNamed && share >= most) {
      most = share;
      best = &topic;
    }
  }
  return best == nullptr || best->id == open ? nullptr : best;
}

}  // namespace

std::optional<EarlierTopic> returned_topic(const StreamPorts& ports, const SessionState& state,
                                           const StreamChange& change, std::string_view message) {
  const auto name = goes_back_to(message);
  if (!name) return std::nullopt;
  const TopicId open = state.topic ? state.topic->row.id : TopicId();
  const std::vector<Told> topics = topics_of(ports, state, change);
  const Told* found = nullptr;
  if (!content_terms(*name).empty()) {
    found = best_of(topics, *name, open);
  } else {
    for (const Told& topic : topics)
      if (topic.id != open) found = &topic;
  }
  if (found == nullptr) return std::nullopt;
  EarlierTopic earlier;
  auto row = ports.store.streams().topic(state.row.scope, state.row.session, found->id);
  if (row.ok() && *row) earlier.row = std::move(**row);
  for (const TopicRow& pending : change.batch.topics)
    if (pending.id == found->id) earlier.row = pending;
  earlier.row.id = found->id;
  earlier.blocks = found->blocks;
  return earlier;
}

}  // namespace weft
