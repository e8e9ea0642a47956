#include "flow/historian/process_job.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/strings.h"
#include "flow/historian/reword_blocks.h"
#include "model/scope_key.h"
#include "text/chat_codes.h"
#include "text/extract.h"
#include "text/time_zone.h"
#include "text/token_counter.h"
#include "text/utf8.h"
#include "text/words.h"
#include "weft/block.h"
#include "weft/memory.h"
#include "weft/time.h"

namespace weft {
namespace {

// A text and which bytes of it were set beside the words as said.
struct EventText {
  std::string text;
  std::vector<TextSpan> annotations;
};

// Gives what a message says in words that need no circumstances; `said` is its text, or what is kept of a long one.
using InPlainWords = std::function<EventText(const Message& message, const std::string& said)>;

constexpr std::int64_t kLeadTokens = 60;
constexpr std::size_t kToolsNamed = 6;

struct Labels {
  std::string_view context, asked, did, answered, user, assistant, colon, stop, times;
};

// Written out rather than assembled from words, so that each language reads as itself.
constexpr Labels kEnglish{"Context", " said", "Tools used", " answered", "User", "Assistant", ": ", "\n", " times"};
constexpr Labels kChinese{"背景", "说", "使用工具", "回答", "用户", "助手", "：", "\n", "次"};

std::string shorten(const std::string& text, std::int64_t max_tokens) {
  if (estimate_tokens(text, TokenMode::kScript) <= max_tokens) return text;
  std::string shorter;
  for (const std::string& sentence : extract_sentences({{text, 1, true}}, max_tokens)) {
    shorter += (shorter.empty() ? "" : " ") + sentence;
  }
  // Nothing but code, or one endless sentence: the beginning has to do.
  return shorter.empty() ? preview(text, static_cast<std::size_t>(max_tokens) * 2) : shorter;
}

std::string tools_used(const LogicalBlock& block, const Labels& labels) {
  std::map<std::string, int> counts;
  std::vector<std::string> order;
  for (const Triplet& triplet : block.execution_chain) {
    if (triplet.call && counts[triplet.call->name]++ == 0) order.push_back(triplet.call->name);
  }
  std::string text;
  for (std::size_t i = 0; i < order.size() && i < kToolsNamed; ++i) {
    text += (i == 0 ? "" : ", ") + order[i];
    if (counts[order[i]] > 1) text += " (" + std::to_string(counts[order[i]]) + std::string(labels.times) + ")";
  }
  return text;
}

std::string speaker(const Message& message, std::string_view otherwise) {
  return message.name.empty() ? std::string(otherwise) : message.name;
}

// Puts an event together line by line and moves the places of annotations along.
class Lines {
 public:
  explicit Lines(const Labels& labels) : labels_(labels) {}

  void begin(std::string text) { out_.text = std::move(text); }
  void add(const std::string& who, std::string_view label, const EventText& what) {
    if (!out_.text.empty()) out_.text += labels_.stop;
    out_.text += who + std::string(label) + std::string(labels_.colon);
    for (const TextSpan& span : what.annotations)
      out_.annotations.push_back({out_.text.size() + span.begin, out_.text.size() + span.end});
    out_.text += what.text;
  }
  EventText take() { return std::move(out_); }

 private:
  const Labels& labels_;
  EventText out_;
};

// What happened in one block as one readable text: when, who asked what, what was done for it, what was answered; word
// for word up to `verbatim_tokens` each, else the sentences that say most. `lead`, the summary that led into the
// topic, says what it was about where the block itself does not. Written in the block's own language. Deterministic.
EventText event_text(const LogicalBlock& block, const std::string& lead, std::int64_t verbatim_tokens,
                     const InPlainWords& in_plain_words) {
  const std::string& first = block.user_block       ? block.user_block->content
                             : block.response_block ? block.response_block->content
                                                    : lead;
  const bool chinese = language_of(first) == Language::kChinese;
  const Labels& labels = chinese ? kChinese : kEnglish;
  Lines lines(labels);
  if (block.timestamp.ms != 0) lines.begin("[" + format_date(block.timestamp) + "]");
  const auto worded = [&](const Message& message) {
    const bool user = message.role == Role::kUser;
    const std::string said = user ? without_chat_codes(message.content) : message.content;
    return in_plain_words(message, shorten(said, verbatim_tokens));
  };
  const auto add = [&](const Message& message, std::string_view who, std::string_view label) {
    if (EventText text = worded(message); !trimmed(text.text).empty()) lines.add(speaker(message, who), label, text);
  };
  if (!lead.empty()) lines.add("", labels.context, {shorten(lead, kLeadTokens), {}});
  if (block.user_block) add(*block.user_block, labels.user, labels.asked);
  if (const std::string tools = tools_used(block, labels); !tools.empty()) lines.add("", labels.did, {tools, {}});
  if (block.response_block) add(*block.response_block, labels.assistant, labels.answered);
  return lines.take();
}

// One topic in short.
struct Narrative {
  std::string title;
  Time from, to;
  std::string summary;
};

constexpr std::size_t kTitleCharacters = 60;
constexpr std::int64_t kTitleTokens = 40;

// What the user said, without codes of chat programs.
std::vector<std::string> queries_of(const std::vector<LogicalBlock>& blocks) {
  std::vector<std::string> queries;
  for (const LogicalBlock& block : blocks)
    if (block.user_block) queries.push_back(without_chat_codes(block.user_block->content));
  return queries;
}

// Of several people who speak, the name before what each has said: "Bob: I cannot swim".
std::string with_speaker(const std::string& sentence, const std::vector<LogicalBlock>& blocks) {
  std::set<std::string> names;
  const Message* said = nullptr;
  for (const LogicalBlock& block : blocks) {
    if (!block.user_block) continue;
    names.insert(block.user_block->name);
    if (said == nullptr && block.user_block->content.find(sentence) != std::string::npos) said = &*block.user_block;
  }
  if (names.size() < 2 || said == nullptr || said->name.empty()) return sentence;
  return said->name + (language_of(sentence) == Language::kChinese ? "：" : ": ") + sentence;
}

// Title (the sentence that says most about what was asked), span of time and summary of a topic's blocks.
// Deterministic.
Narrative write_narrative(const std::vector<LogicalBlock>& blocks, const std::string& lead,
                          std::int64_t summary_tokens) {
  Narrative narrative;
  if (blocks.empty()) return narrative;
  narrative.from = blocks.front().timestamp;
  narrative.to = blocks.back().last_time;
  const std::vector<std::string> queries = queries_of(blocks);
  std::vector<ExtractSource> sources;
  for (const std::string& query : queries) sources.push_back({query, 2, true});
  auto title = extract_sentences(sources, kTitleTokens);
  if (!lead.empty()) sources.insert(sources.begin(), {lead, 1.5, false});
  for (const LogicalBlock& block : blocks) {
    if (block.response_block) sources.push_back({block.response_block->content, 1, true});
  }
  for (const std::string& sentence : extract_sentences(sources, summary_tokens)) {
    narrative.summary += (narrative.summary.empty() ? "" : "\n") + with_speaker(sentence, blocks);
  }
  if (title.empty()) title.push_back(narrative.summary);
  narrative.title = preview(title.front(), kTitleCharacters);
  return narrative;
}

// The narrative as the text that is kept: title, span, summary.
std::string to_text(const Narrative& narrative) {
  if (narrative.from.ms == 0) return narrative.title + "\n" + narrative.summary;
  const std::string from = format_date(narrative.from);
  const std::string to = format_date(narrative.to);
  return narrative.title + "\n[" + from + (from == to ? "" : " – " + to) + "]\n" + narrative.summary;
}

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
