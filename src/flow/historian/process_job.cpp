#include "flow/historian/process_job.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "flow/historian/block_speech.h"
#include "flow/historian/event_text.h"
#include "flow/historian/narrative_text.h"
#include "model/scope_key.h"
#include "text/time_zone.h"
#include "text/words.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongest = 32 * 1024;  // bytes of a message that is put in plain words

ItemRow item_for(const TopicRow& topic, ItemKind kind, std::string id, std::string text) {
  ItemRow row;
  row.scope = topic.scope;
  row.item.id = ItemId(std::move(id));
  row.item.kind = kind;
  row.item.session = topic.session;
  row.item.topic = topic.id;
  row.item.text = std::move(text);
  row.terms = index_terms(row.item.text);
  return row;
}

// The same metadata as that of the end of a turn, so that one filter finds both.
EventDetails details_of(const TopicRow& topic, const LogicalBlock& block) {
  EventDetails details;
  ScopeParts parts = parts_of_scope(topic.scope);
  details.group_id = std::move(parts.group);
  details.user_id = std::move(parts.user);
  details.request_type = details.group_id.empty() ? "private" : "group";
  if (!block.sources.empty()) details.request_id = block.sources.front().str();
  if (block.timestamp.ms != 0) {
    details.timestamp_utc = format_time({block.timestamp.ms, 0});
    details.timestamp_local = format_time(block.timestamp);
  }
  details.timezone = zone_of(block.timestamp);
  details.sender_id = details.user_id;
  if (!details.group_id.empty() && block.user_block) details.sender_id = block.user_block->sender_id.str();
  details.message_ids = block.sources;
  return details;
}

ItemRow event_of(const HistorianPorts& ports, const TopicRow& topic, const BlockRow& block_row,
                 const std::vector<LogicalBlock>& blocks, std::size_t place, const Wording& wording) {
  const LogicalBlock& block = blocks[place];
  Writing writing;
  const auto in_plain_words = [&](const Message& message, const std::string& said) -> EventText {
    if (const auto worded = wording.find(message.id.str()); worded != wording.end()) {
      writing.model = worded->second.model;
      writing.prompt = worded->second.prompt;
      return {worded->second.text, {}};
    }
    // An assistant's answer is quoted; and of what is very long only some sentences are kept.
    const bool quoted = message.role == Role::kAssistant && message.name.empty();
    if (!ports.config.cognitive.enabled || quoted || message.content.size() > kLongest) return {said, {}};
    Absolute plain = absolutise(said, speech_of(blocks, place, message, ports.config));
    return {std::move(plain.text), std::move(plain.annotations)};
  };
  EventText text = event_text(block, topic.lead, ports.config.historian.verbatim_tokens, in_plain_words);
  ItemRow row = item_for(topic, ItemKind::kEvent, "event:" + block.id.str(), std::move(text.text));
  if (!writing.model.empty()) row.item.by = MadeBy::kModel;
  row.item.writing = std::move(writing);
  row.item.writing.annotations = std::move(text.annotations);
  row.item.block = block.id;
  row.item.time = block.timestamp;
  row.item.position = block_row.first_seq;
  row.item.sources = block.sources;
  row.item.event = details_of(topic, block);
  return row;
}

ItemRow narrative_of(const HistorianPorts& ports, const TopicRow& topic, const std::vector<BlockRow>& rows,
                     const std::vector<LogicalBlock>& blocks) {
  const Narrative narrative = write_narrative(blocks, topic.lead, ports.config.historian.summary_tokens);
  ItemRow row = item_for(topic, ItemKind::kNarrative, "narrative:" + topic.id.str(), to_text(narrative));
  row.item.time = narrative.from;
  row.item.position = rows.front().first_seq;
  for (const LogicalBlock& block : blocks) {
    row.item.sources.insert(row.item.sources.end(), block.sources.begin(), block.sources.end());
  }
  return row;
}

const BlockRow* row_of(const std::vector<BlockRow>& rows, const BlockId& id) {
  const auto at = std::find_if(rows.begin(), rows.end(), [&](const BlockRow& row) { return row.id == id; });
  return at == rows.end() ? nullptr : &*at;
}

}  // namespace

Job topic_job(const TopicRow& topic, std::int64_t now_ms) {
  const Json payload = {{"scope", topic.scope.str()}, {"session", topic.session.str()},
                        {"topic", topic.id.str()},    {"reason", to_string(topic.reason)},
                        {"blocks", topic.blocks},     {"tokens", topic.tokens}};
  return new_job(JobId("topic-" + topic.id.str()), topic.scope, "topic",
                 payload.dump(-1, ' ', false, Json::error_handler_t::replace), now_ms);
}

Result<TopicKey> topic_key(const Job& job) {
  if (job.kind != "topic") return corrupt("job " + job.id.str() + " is of the unknown kind \"" + job.kind + "\"");
  const Json payload = Json::parse(job.payload, nullptr, false);
  const auto field = [&](const char* name) {
    const bool there = payload.is_object() && payload.contains(name) && payload[name].is_string();
    return there ? payload[name].get<std::string>() : std::string();
  };
  if (field("topic").empty() || field("scope").empty()) return corrupt("job " + job.id.str() + " names no topic");
  return TopicKey{ScopeKey(field("scope")), SessionId(field("session")), TopicId(field("topic"))};
}

Result<std::vector<LogicalBlock>> blocks_to_word(const HistorianPorts& ports, const TopicKey& key) {
  WEFT_TRY(const auto topic, ports.store.streams().topic(key.scope, key.session, key.topic));
  if (!topic || topic->status != TopicStatus::kFlushed || topic->done) return std::vector<LogicalBlock>();
  return ports.blocks_of(*topic);
}

Result<std::optional<ItemRow>> event_again(const HistorianPorts& ports, const ItemRow& event) {
  const bool of_block = event.item.id.str() == "event:" + event.item.block.str();
  if (!of_block || event.item.by == MadeBy::kModel) return std::optional<ItemRow>();
  WEFT_TRY(const auto topic, ports.store.streams().topic(event.scope, event.item.session, event.item.topic));
  if (!topic) return std::optional<ItemRow>();
  WEFT_TRY(const auto rows, ports.store.streams().topic_blocks(topic->scope, topic->session, topic->id));
  WEFT_TRY(const auto blocks, ports.blocks_of(*topic));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const BlockRow* row = row_of(rows, blocks[i].id);
    if (row == nullptr || blocks[i].id != event.item.block) continue;
    const ItemRow made = event_of(ports, *topic, *row, blocks, i, {});
    ItemRow again = event;
    again.item.text = made.item.text;
    again.item.writing = made.item.writing;
    again.terms = made.terms;
    return std::optional<ItemRow>(std::move(again));
  }
  return std::optional<ItemRow>();
}

Result<JobResult> process_job(const HistorianPorts& ports, const TopicKey& key, const Wording& wording) {
  WEFT_TRY(auto topic, ports.store.streams().topic(key.scope, key.session, key.topic));
  JobResult result;
  if (!topic || topic->status != TopicStatus::kFlushed || topic->done) return result;

  WEFT_TRY(const auto rows, ports.store.streams().topic_blocks(topic->scope, topic->session, topic->id));
  WEFT_TRY(const auto blocks, ports.blocks_of(*topic));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const BlockRow* row = row_of(rows, blocks[i].id);
    if (row == nullptr) continue;
    if (is_empty_talk(blocks[i]))
      ++ports.metrics.refused_empty_talk;
    else
      result.batch.items.push_back(event_of(ports, *topic, *row, blocks, i, wording));
  }
  if (!blocks.empty() && !rows.empty()) result.batch.items.push_back(narrative_of(ports, *topic, rows, blocks));
  topic->done = true;
  result.batch.topics.push_back(std::move(*topic));
  return result;
}

}  // namespace weft
