#include "flow/historian/historian_jobs.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/strings.h"
#include "flow/historian/absolutise.h"
#include "flow/historian/queued_jobs.h"
#include "flow/historian/rewrite.h"
#include "model/rows.h"
#include "ports/store/store.h"
#include "text/chat_codes.h"
#include "text/references.h"
#include "text/sentences.h"
#include "text/speaker_prefix.h"
#include "text/time_bounds.h"
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

namespace {

// What stood around the end of a turn: the messages it is about, those before them, and who takes part.
struct Circumstances {
  std::vector<MessageRow> sources;  ///< in order
  std::vector<MessageRow> before;  ///< the last few of the session before them, oldest first
  Person sender;  ///< who wrote the user's message, as it is to be written
  std::vector<Person> people;  ///< who spoke lately, each once; without the agent
  std::int64_t position = 0;  ///< of the first source in the stream, 0 where there is none
};

constexpr std::size_t kMessagesBefore = 12;
constexpr std::array<const char*, 12> kMonths{"January", "February", "March",     "April",   "May",      "June",
                                              "July",    "August",   "September", "October", "November", "December"};

// A name tells people apart only where an id is missing.
void add_person(std::vector<Person>& people, const UserId& id, const std::string& name) {
  if (id.empty() && name.empty()) return;
  for (Person& known : people) {
    const bool ids = !id.empty() && !known.id.empty();
    if (ids ? known.id != id.str() : name.empty() || known.name != name) continue;
    if (known.name.empty()) known.name = name;
    return;
  }
  people.push_back({id.str(), name});
}

bool addresses_somebody(std::string_view text) {
  const auto references = find_references(text, {});
  return std::any_of(references.begin(), references.end(), [](const auto& one) { return one.person == 2; });
}

std::string shown(const Person& person) { return person.name.empty() ? person.id : person.name; }

// How the agent is called where it has no name of its own.
std::string agent_name(const std::string& given, Language language) {
  if (!given.empty()) return given;
  return language == Language::kChinese ? "助手" : "the assistant";
}

// "On 5 March 2026 at 14:30 in Berlin:" or 2026年3月5日14:30，在北京：
std::string event_head(Time time, const std::string& place, Language language) {
  if (time.ms == 0 && place.empty()) return {};
  if (time.ms == 0) return language == Language::kChinese ? "在" + place + "：" : "In " + place + ":";
  const std::string date = format_date(time);
  const int year = std::stoi(date.substr(0, 4)), month = std::stoi(date.substr(5, 2)),
            day = std::stoi(date.substr(8, 2));
  const std::string clock = format_time(time).substr(11, 5);
  if (language == Language::kChinese)
    return fmt::format("{}年{}月{}日{}{}：", year, month, day, clock, place.empty() ? "" : "，在" + place);
  return fmt::format("On {} {} {} at {}{}:", day, kMonths[static_cast<std::size_t>(month - 1)], year, clock,
                     place.empty() ? "" : " in " + place);
}

Result<Circumstances> read_circumstances(Store& store, const EndJob& end) {
  Circumstances around;
  WEFT_TRY(around.sources, store.messages().get(end.scope, end.message_ids));
  std::erase_if(around.sources, [&end](const MessageRow& row) { return row.session != end.session; });
  if (!around.sources.empty()) around.position = around.sources.front().seq;
  WEFT_TRY(auto recent, store.messages().recent(end.scope, end.session, kMessagesBefore * 2));
  for (MessageRow& row : recent) {
    const bool talk = row.message.role == Role::kUser || row.message.role == Role::kAssistant;
    if (talk && !row.message.content.empty() && (around.position == 0 || row.seq < around.position))
      around.before.push_back(std::move(row));
  }
  if (around.before.size() > kMessagesBefore)
    around.before.erase(around.before.begin(), around.before.end() - static_cast<std::ptrdiff_t>(kMessagesBefore));
  WEFT_TRY(const Members members, Members::read(store, end.scope));
  around.sender = {end.sender_id.str(),
                   members.empty() ? end.sender_name : members.label(end.sender_id, end.sender_name)};
  add_person(around.people, end.sender_id, around.sender.name);
  for (auto* rows : {&around.before, &around.sources}) {
    for (MessageRow& row : *rows) {
      members.label(row.message);
      if (row.message.role == Role::kUser) add_person(around.people, row.message.sender_id, row.message.name);
    }
  }
  return around;
}

// The end with its circumstances as the rewriting wants them: the agent speaks of what it did; what is new was said by
// the sender to the agent.
RewriteInput rewrite_input(const Circumstances& around, const EndJob& end) {
  RewriteInput input;
  input.did_what = end.action_summary;
  input.new_info = end.new_info;
  input.language = language_of(end.action_summary + " " + end.new_info);
  const Person agent{"", agent_name(end.agent, input.language)};
  const bool fact = end.kind == "fact";
  Person sender = around.sender;
  // Facts call who said them by name, or "the user".
  if (fact && end.group_id.empty() && sender.name.empty())
    sender.name = input.language == Language::kChinese ? "用户" : "the user";
  Speech speech;
  speech.time = end.time;
  speech.place = end.location;
  speech.participants = around.people;
  const auto add_earlier = [&](const MessageRow& row) {
    const bool own = row.message.role == Role::kAssistant;
    const std::string& name = row.message.name;
    speech.earlier.push_back({!name.empty() ? name
                              : own         ? agent.name
                                            : shown(sender),
                              std::string(without_speaker(row.message.content, name))});
  };
  // A fact stands by itself: whom it means its own message says.
  if (!fact)
    for (const MessageRow& row : around.before) add_earlier(row);
  for (const MessageRow& row : around.sources)
    if (!row.message.content.empty()) add_earlier(row);
  input.action = speech;
  input.action.sender = agent;
  // "I booked it for you" is told to the sender; "I wished him well" is a note of the agent to itself, and of the
  // sender.
  input.action.addressee = addresses_somebody(end.action_summary) ? sender : agent;
  // In the agent's own words "him" and "she" is mostly who has just spoken: as if the speaker had been named there.
  for (EarlierMessage& said : input.action.earlier)
    if (said.speaker != agent.name) said.text = said.speaker + ": " + said.text;
  input.info = std::move(speech);
  input.info.sender = sender;
  if (fact) input.info.told_as = {"the user", "The user", "用户", name_of(sender)};
  // A wish is quoted: its "I" and "you" are told by the words before it.
  if (end.attribute.starts_with("wish:")) input.info.name_speakers = false;
  input.info.addressee = agent;
  input.head = event_head(end.time, end.location, input.language);
  for (const Person& person : around.people) {
    for (const std::string& name : {person.name, person.name.empty() ? person.id : std::string()})
      if (!name.empty()) input.names.push_back(name);
  }
  input.names.push_back(agent.name);
  return input;
}

EventDetails details_of(const EndJob& end, const Rewritten& written) {
  EventDetails details;
  details.request_id = end.request_id;
  details.end_seq = end.end_seq;
  if (end.time.ms != 0) {
    details.timestamp_utc = format_time({end.time.ms, 0});
    details.timestamp_local = format_time(end.time);
  }
  details.timezone = end.timezone;
  details.location_abs = end.location;
  details.request_type = end.group_id.empty() ? "private" : "group";
  details.user_id = end.user_id;
  details.group_id = end.group_id;
  details.sender_id = end.sender_id.str();
  details.message_ids = end.message_ids;
  details.has_new_info = !written.new_info.empty();
  details.did_what = written.did_what;
  details.new_info = written.new_info;
  details.attribute = end.attribute;
  details.quote = end.quote;
  details.degraded = !written.left.empty();
  for (const GateHit& hit : written.left) details.degraded_why += (details.degraded_why.empty() ? "" : ", ") + hit.word;
  return details;
}

ItemRow event_of(const EndJob& end, const Rewritten& written, std::int64_t position) {
  ItemRow row;
  row.scope = end.scope;
  row.item.id = ItemId(end.event_id());
  row.item.kind = ItemKind::kEvent;
  row.item.session = end.session;
  // A fact stands for itself: its time stands beside it.
  row.item.text = end.kind == "fact" ? written.new_info : written.canonical_text;
  row.item.time = end.time;
  row.item.position = position;
  row.item.sources = end.message_ids;
  row.item.by = written.by;
  row.item.writing = written.writing;
  if (!end.model.empty()) {
    row.item.by = MadeBy::kModel;
    row.item.writing.model = end.model;
    row.item.writing.prompt = end.prompt;
  }
  row.item.event = details_of(end, written);
  row.terms = index_terms(row.item.text);
  return row;
}

void count(Metrics& metrics, Refusal reason) {
  switch (reason) {
    case Refusal::kEmptyTalk: ++metrics.refused_empty_talk; break;
    case Refusal::kDuplicate: ++metrics.refused_duplicate; break;
    case Refusal::kEcho: ++metrics.refused_echo; break;
    case Refusal::kLoop: ++metrics.refused_loop; break;
  }
}

// Takes out what is no memory: talk about nothing, what is known already, what was only quoted back. What was done may
// repeat on another day; what became known may not.
std::string refuse_junk(const EndPorts& ports, const RewriteInput& input, Rewritten& written) {
  if (!ports.judge) return {};
  std::string why;
  const auto weigh = [&](std::string Rewritten::* part, bool fact) {
    if ((written.*part).empty()) return;
    GateContext context;
    if (fact && !ports.recalled.empty()) context.recalled = &ports.recalled;
    const auto refused = ports.judge(written.*part, context);
    if (!refused || (!fact && refused->reason != Refusal::kEmptyTalk && refused->reason != Refusal::kLoop)) return;
    count(ports.metrics, refused->reason);
    why += (why.empty() ? "" : ", ") + std::string(to_string(refused->reason)) +
           (refused->of_id.empty() ? "" : " of " + refused->of_id);
    leave_out(input, part, written);
  };
  weigh(&Rewritten::new_info, true);
  weigh(&Rewritten::did_what, false);
  return why;
}

void count(Metrics& metrics, const Rewritten& written) {
  metrics.model_calls += static_cast<std::uint64_t>(written.model_calls);
  metrics.rewrites += static_cast<std::uint64_t>(written.rejected);
  ++(written.left.empty() ? metrics.gate_passed : metrics.gate_degraded);
}

// That nobody said whom a pronoun means is how people talk, and nothing that an operator could mend.
void tell_what_is_left(const EndJob& end, const Rewritten& written) {
  if (written.left.empty()) return;
  const auto other = std::find_if(written.left.begin(), written.left.end(),
                                  [](const GateHit& hit) { return hit.kind != GateKind::kPronoun; });
  const GateHit& told = other == written.left.end() ? written.left.front() : *other;
  const std::string text = "event " + end.event_id() + " is kept although \"" + told.word + "\" stands in it";
  if (other == written.left.end())
    log_info("gate.degraded", text);
  else
    log_warning("gate.degraded", text);
}

}  // namespace

Result<EndResult> process_end(const EndPorts& ports, const EndJob& end, const Deadline& deadline) {
  WEFT_TRY(const Circumstances around, read_circumstances(ports.store, end));
  const RewriteInput input = rewrite_input(around, end);
  Rewritten written = rewrite(input, rewrite_terms(ports.config, ports.model), deadline);
  count(ports.metrics, written);
  tell_what_is_left(end, written);
  if (ports.model != nullptr && written.by == MadeBy::kFloor)
    log_warning("historian.floor", "event " + end.event_id() + " was written without the model: " + written.why_floor);
  EndResult result;
  result.refused = refuse_junk(ports, input, written);
  if (!result.refused.empty()) log_info("write_gate.refused", "event " + end.event_id() + ": " + result.refused);
  if (written.did_what.empty() && written.new_info.empty()) return result;
  result.event = event_of(end, written, around.position);
  return result;
}

}  // namespace weft
