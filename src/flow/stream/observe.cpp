#include "flow/stream/observe.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/strings.h"
#include "model/message_reader.h"
#include "model/records.h"
#include "text/cues.h"
#include "text/english_verbs.h"
#include "text/markup.h"
#include "text/sentences.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr double kLeadWeight = 1.5;   // an earlier summary is dense already
constexpr double kQueryWeight = 2.0;  // what the user wants matters more than how it was answered
constexpr double kAnswerWeight = 1.0;
constexpr std::size_t kNames = 8;

std::string join_texts(const std::vector<std::string>& parts, std::string_view between) {
  std::string joined;
  for (const std::string& part : parts) {
    if (!joined.empty()) joined += between;
    joined += part;
  }
  return joined;
}

}  // namespace

std::string running_summary(const std::vector<LogicalBlock>& blocks, const std::string& lead, std::int64_t max_tokens) {
  std::vector<ExtractSource> prose;
  std::vector<ExtractSource> everything;
  if (!lead.empty()) prose.push_back({lead, kLeadWeight, false});
  for (const LogicalBlock& block : blocks) {
    if (block.user_block) prose.push_back({block.user_block->content, kQueryWeight, true});
    if (block.response_block) prose.push_back({block.response_block->content, kAnswerWeight, true});
    for (const Triplet& triplet : block.execution_chain) {
      if (triplet.call) everything.push_back({triplet.call->arguments, 1, false});
    }
  }
  everything.insert(everything.end(), prose.begin(), prose.end());
  const auto sentences = extract_sentences(prose, max_tokens);
  std::string summary = join_texts(sentences, "\n");
  const auto names = extract_names(everything, kNames);
  if (!names.empty()) {
    const bool chinese = language_of(summary) == Language::kChinese;
    summary += (summary.empty() ? "" : "\n") + std::string(chinese ? "涉及：" : "Names: ") +
               join_texts(names, chinese ? "、" : ", ");
  }
  return summary;
}

namespace {

Vector vector_of(const StreamPorts& ports, const Deadline& deadline, const std::string& text) {
  if (ports.embedder == nullptr || text.empty()) return {};
  return ports.embedder->embed(text, EmbedUse::kCompare, deadline).value_or({});
}

// Makes the state of the topic detector anew from the topic's blocks, with vectors of the embedder that serves now.
// `before` is the trace of the topic before it in the session; it may be empty. Embeds every block's anchor; where no
// embedder answers in time, words alone are taken in.
void rebuild_trace(const StreamPorts& ports, const Deadline& deadline, const std::string& before, OpenTopic& topic) {
  const std::vector<LogicalBlock> blocks = std::move(topic.blocks);
  topic.blocks.clear();
  topic.row.trace.clear();
  // What a relay cut off is the beginning of the topic.
  const bool relayed = !topic.row.lead.empty();
  if (relayed) ports.adsorber.seed(topic, before, vector_of(ports, deadline, topic.row.lead));
  for (const LogicalBlock& block : blocks) {
    const bool first = topic.blocks.empty();
    const std::string anchor = ports.adsorber.anchor_text(first ? nullptr : &topic, block);
    const BlockVectors vectors{vector_of(ports, deadline, anchor),
                               vector_of(ports, deadline, ports.adsorber.reply_text(block))};
    if (first && !relayed)
      ports.adsorber.start(topic, before, block, vectors);
    else
      ports.adsorber.adsorb(topic, block, vectors);
    topic.blocks.push_back(block);
  }
}

// An earlier topic of the session that is taken up again.
struct EarlierTopic {
  TopicRow row;
  std::vector<LogicalBlock> blocks;  ///< in order
};

constexpr std::size_t kLookBack = 200;  // blocks
constexpr double kNamed = 0.5;          // of the weight of what is named that a topic must speak of

// A topic of the session with its blocks as they are kept.
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

// The earlier topic that a message says it goes back to: of what it names ("back to the trip"), the one whose talk
// holds most of the rare words of that; where it names nothing, the one before the open topic. Nothing where the
// message says nothing of the kind, where no topic speaks of it, or where the open one does as much. Looks at the last
// two hundred blocks of the session, those of `change` among them; reads the store only where the message goes back.
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

constexpr std::string_view kSaveCommand = "/save";

bool is_save_command(const Message& message) {
  return message.role == Role::kUser && trimmed(message.content) == kSaveCommand;
}

BlockRow block_row(const SessionState& state, const LogicalBlock& block, const TopicId& topic) {
  BlockRow row;
  row.id = block.id;
  row.scope = state.row.scope;
  row.session = state.row.session;
  row.topic = topic;
  row.status = block.status;
  row.tokens = block.total_tokens;
  row.started = block.timestamp;
  row.last = block.last_time;
  // A block's messages stand together near the end of the path.
  for (auto node = state.path.rbegin(); node != state.path.rend(); ++node) {
    if (node->block == block.id) {
      if (row.last_seq == 0) row.last_seq = node->seq;
      row.first_seq = node->seq;
    } else if (row.last_seq != 0) {
      break;
    }
  }
  return row;
}

template <class Row>
void set_row(std::vector<Row>& rows, Row row) {
  const auto at = std::find_if(rows.begin(), rows.end(), [&](const Row& other) { return other.id == row.id; });
  if (at == rows.end())
    rows.push_back(std::move(row));
  else
    *at = std::move(row);
}

// The vector of a text for comparing topics, or none when no embedder answers in time: then words decide.
Vector embed_text(const StreamPorts& ports, const Deadline& deadline, const std::string& text) {
  if (ports.embedder == nullptr || text.empty()) return {};
  return ports.embedder->embed(text, EmbedUse::kCompare, deadline).value_or({});
}

void close_topic(SessionState& state, FlushReason reason, StreamChange& change) {
  if (!state.topic) return;
  TopicRow& row = state.topic->row;
  row.status = TopicStatus::kFlushed;
  row.reason = reason;
  // It stays in the row until the next topic has it, so that what is known of the conversation outlasts a restart.
  state.last_trace = row.trace;
  state.last_topic = row.id;
  change.set(row);
  change.report.flushed.push_back(
      {row.id, reason, JobId("topic-" + row.id.str()), state.topic->blocks.size(), row.tokens});
  change.flushed.push_back(row);
  state.topic.reset();
  state.row.open_topic = {};
}

OpenTopic fresh_topic(const SessionState& state, const LogicalBlock& block) {
  OpenTopic topic;
  topic.row.id = TopicId("t" + block.id.str().substr(1));
  topic.row.scope = state.row.scope;
  topic.row.session = state.row.session;
  topic.row.started = topic.row.last = block.timestamp;
  return topic;
}

void join(const StreamPorts& ports, SessionState& state, LogicalBlock block, StreamChange& change) {
  OpenTopic& topic = *state.topic;
  topic.row.tokens += block.total_tokens;
  topic.row.blocks += 1;
  topic.row.last = block.last_time;
  topic.row.touched_ms = ports.clock.now().ms;
  state.row.open_topic = topic.row.id;
  change.set(block_row(state, block, topic.row.id));
  change.set(topic.row);
  topic.blocks.push_back(std::move(block));
  if (state.last_topic.empty()) return;
  change.batch.passed_traces.push_back({state.row.scope, state.row.session, state.last_topic});
  state.last_topic = {};
}

// The summary of what was cut off leads the next buffer and seeds its kernel.
void relay(const StreamPorts& ports, const Deadline& deadline, SessionState& state, const LogicalBlock& block,
           StreamChange& change) {
  const auto max_tokens = ports.config.historian.summary_tokens;
  std::optional<std::string> prepared;
  if (ports.prepared_lead) prepared = ports.prepared_lead(*state.topic);
  std::string lead =
      prepared ? std::move(*prepared) : running_summary(state.topic->blocks, state.topic->row.lead, max_tokens);
  close_topic(state, FlushReason::kRelay, change);
  state.topic = fresh_topic(state, block);
  state.topic->row.lead = std::move(lead);
  ports.adsorber.seed(*state.topic, state.last_trace, embed_text(ports, deadline, state.topic->row.lead));
}

// Of what was talked about before, where the user says to go back to it. The rules of the specification know no such
// thing.
std::optional<EarlierTopic> taken_up_again(const StreamPorts& ports, const SessionState& state,
                                           const LogicalBlock& block, const StreamChange& change) {
  if (ports.config.stream.policy == TopicPolicy::kThreshold || !block.user_block) return std::nullopt;
  return returned_topic(ports, state, change, block.user_block->content);
}

bool over_limit(const StreamPorts& ports, const SessionState& state, const LogicalBlock& block) {
  return !state.topic->blocks.empty() &&
         state.topic->row.tokens + block.total_tokens > ports.config.stream.max_processing_tokens;
}

// A message that is in the session already, or an error if its id names another one.
Result<bool> is_duplicate(const StreamPorts& ports, const SessionState& state, const Message& message,
                          const std::unordered_map<std::string, std::uint64_t>& seen) {
  if (message.id.empty()) return false;
  const std::uint64_t digest = digest_of(message);
  std::optional<std::uint64_t> known;
  if (const auto at = seen.find(message.id.str()); at != seen.end()) known = at->second;
  if (!known) {
    WEFT_TRY(const auto stored, ports.store.messages().get(state.row.scope, state.row.session, message.id));
    if (stored) known = stored->digest;
  }
  if (!known) return false;
  if (*known == digest) return true;
  return conflict("message \"" + message.id.str() + "\" is already in the session \"" + state.row.session.str() +
                      "\" with other content",
                  "give the edited message its own id; to replace a branch send the whole history (sync)");
}

struct Draft {
  MessageRow row;
  bool is_new = true;
};

Draft draft_message(const StreamPorts& ports, const SessionState& state, const Incoming& incoming,
                    std::int64_t number) {
  Draft draft;
  draft.is_new = incoming.seq == 0;
  MessageRow& row = draft.row;
  row.seq = number;
  row.scope = state.row.scope;
  row.session = state.row.session;
  row.parent = state.path.empty() ? 0 : state.path.back().seq;
  row.message = incoming.message;
  // A thought that a model wrote into its answer is kept as one, not as what it said.
  if (part_thoughts(row.message)) row.message.raw.clear();
  if (row.message.id.empty()) row.message.id = MessageId("m" + std::to_string(row.seq));
  if (!row.message.time) row.message.time = ports.clock.now();
  row.digest = digest_of(row.message);
  row.tokens = ports.tokens.count(counted_text(row.message));
  return draft;
}

void take_in(const StreamPorts& ports, SessionState& state, const Incoming& incoming, std::int64_t number,
             StreamChange& change) {
  Draft draft = draft_message(ports, state, incoming, number);
  const MessageRow& row = draft.row;
  const BlockId own_block("b" + std::to_string(row.seq));
  ParseStep step = state.parser.feed(row.message, row.tokens, own_block);
  Observation observation{row.message.id, step.action, {}, {}, std::move(step.notes)};

  if (row.message.role == Role::kSystem) {
    state.row.system = row.message.content;
  } else {
    // Where this message ended up: the block it closed last if that one ends with it, else the one that is open.
    const bool in_closed = !step.closed.empty() && step.closed.back().sources.back() == row.message.id;
    draft.row.block = in_closed ? step.closed.back().id : state.parser.open()->id;
    observation.block = draft.row.block;
    draft.row.chain =
        incoming.chain != 0 ? incoming.chain : chained(state.path.empty() ? 0 : state.path.back().chain, row.digest);
    state.path.push_back(path_node(row, draft.row.block));
    state.row.head = row.seq;
  }
  for (LogicalBlock& block : step.closed) {
    change.set(block_row(state, block, {}));
    change.closed_by[block.id] = change.report.observations.size();
    state.waiting.push_back(std::move(block));
  }
  if (const LogicalBlock* open = state.parser.open()) {
    state.row.open_block = open->id;
    change.set(block_row(state, *open, {}));
  } else {
    state.row.open_block = {};
  }
  if (draft.is_new) {
    change.batch.messages.push_back(std::move(draft.row));
  } else {
    change.batch.message_active.emplace_back(row.seq, true);
    change.batch.message_blocks.emplace_back(row.seq, draft.row.block);
  }
  change.report.observations.push_back(std::move(observation));
}

// Moves a closed block into the open topic or cuts: the core of the stream.
Decision place_block(const StreamPorts& ports, const Deadline& deadline, SessionState& state, LogicalBlock block,
                     StreamChange& change) {
  // The trace of a topic that lost blocks, or whose vectors were of another model.
  if (state.topic && state.topic->row.trace.empty()) rebuild_trace(ports, deadline, state.last_trace, *state.topic);

  // A block moves to its topic with the vector of its anchor; everything is compared by that.
  OpenTopic* open = state.topic ? &*state.topic : nullptr;
  block.anchor_text = ports.adsorber.anchor_text(open, block);
  const Vector vector = embed_text(ports, deadline, block.anchor_text);

  // The token limit before the likeness, where the settings want it so: the block is then compared with the summary.
  bool relayed = false;
  if (open != nullptr && ports.config.stream.relay_first && over_limit(ports, state, block)) {
    relay(ports, deadline, state, block, change);
    relayed = true;
  }

  Decision decision;
  const auto again = taken_up_again(ports, state, block, change);
  if (state.topic) {
    decision = ports.adsorber.judge(*state.topic, block, vector);
    if (again) {
      decision.verdict = Verdict::kDrift;
      decision.reasons.insert(decision.reasons.begin(), {"goes_back", 1});
    }
    if (decision.verdict == Verdict::kDrift) {
      // A buffer that holds nothing but a foreign summary is dropped, not flushed.
      if (state.topic->blocks.empty())
        state.topic.reset();
      else
        close_topic(state, FlushReason::kDrift, change);
    } else if (over_limit(ports, state, block)) {
      relay(ports, deadline, state, block, change);
      relayed = true;
      // What the block was like has gone; its likeness to the summary decides whether that leads on.
      const Decision by_summary = ports.adsorber.judge(*state.topic, block, vector);
      if (by_summary.verdict == Verdict::kDrift) {
        decision = by_summary;
        state.topic.reset();
      }
    }
    if (relayed && state.topic) decision.verdict = Verdict::kRelay;
  }

  const BlockVectors vectors{vector, embed_text(ports, deadline, ports.adsorber.reply_text(block))};
  if (state.topic) {
    ports.adsorber.adsorb(*state.topic, block, vectors);
  } else {
    state.topic = fresh_topic(state, block);
    ports.adsorber.start(*state.topic, state.last_trace, block, vectors);
    // What was said of it then leads in, as if it had only been cut off.
    if (again)
      state.topic->row.lead = running_summary(again->blocks, again->row.lead, ports.config.historian.summary_tokens);
    if (decision.verdict != Verdict::kDrift)
      decision = {block.id, {}, Verdict::kStart, 0, 0, {}, vector.empty() ? MadeBy::kFloor : MadeBy::kModel};
  }
  decision.block = block.id;
  decision.topic = state.topic->row.id;
  keep_decision(state.row.scope, state.row.session, decision, block.last_time, change.batch);
  join(ports, state, std::move(block), change);
  return decision;
}

}  // namespace

void StreamChange::set(BlockRow row) { set_row(batch.blocks, std::move(row)); }
void StreamChange::set(TopicRow row) { set_row(batch.topics, std::move(row)); }

void place_waiting(const StreamPorts& ports, const Deadline& deadline, SessionState& state, std::size_t most,
                   StreamChange& change) {
  StreamPorts used = ports;
  for (std::size_t i = 0; i < most && !state.waiting.empty(); ++i) {
    LogicalBlock block = std::move(state.waiting.front());
    state.waiting.pop_front();
    const MessageId last = block.sources.back();
    const Deadline patience = deadline.within(kEmbedPatience);
    Decision decision = place_block(used, patience, state, std::move(block), change);
    // A model that did not answer in time is not waited for again: words decide about the rest.
    if (patience.passed()) used.embedder = nullptr;
    const auto closed = change.closed_by.find(decision.block);
    if (closed == change.closed_by.end()) continue;
    Observation& by = change.report.observations[closed->second];
    if (by.id == last || !by.decision) by.decision = std::move(decision);
  }
  change.batch.sessions.assign(1, state.row);
}

std::vector<std::string> texts_to_place(const Adsorber& adsorber, const SessionState& state, std::size_t most) {
  std::vector<std::string> texts;
  const OpenTopic* open = state.topic ? &*state.topic : nullptr;
  for (std::size_t i = 0; i < std::min(most, state.waiting.size()); ++i) {
    texts.push_back(adsorber.anchor_text(open, state.waiting[i]));
    texts.push_back(adsorber.reply_text(state.waiting[i]));
  }
  return texts;
}

void flush_session(const StreamPorts& ports, const Deadline& deadline, SessionState& state, FlushReason reason,
                   StreamChange& change) {
  // An agent may be at work in the open block for longer than the idle time: it goes on, into the next topic. Words
  // that nobody has answered by then stay without an answer.
  const LogicalBlock* last = state.parser.open();
  const bool at_work = last != nullptr && (!last->execution_chain.empty() || last->response_block);
  auto open = reason == FlushReason::kIdle && at_work ? std::nullopt : state.parser.close();
  if (open) {
    state.waiting.push_back(std::move(*open));
    state.row.open_block = {};
  }
  place_waiting(ports, deadline, state, state.waiting.size(), change);
  close_topic(state, reason, change);
  change.batch.sessions.assign(1, state.row);
}

Status observe(const StreamPorts& ports, const Deadline& deadline, SessionState& state,
               std::span<const Incoming> messages, StreamChange& change) {
  std::unordered_map<std::string, std::uint64_t> seen;
  // First everything that can be refused, so that a batch is taken whole or not at all.
  std::vector<bool> duplicate;
  std::size_t new_ones = 0;
  for (const Incoming& incoming : messages) {
    bool known = false;
    if (incoming.seq == 0) {
      if (!incoming.message.id.empty()) WEFT_CHECK(check_id(incoming.message.id.str(), "message id"));
      WEFT_TRY(known, is_duplicate(ports, state, incoming.message, seen));
    }
    seen.emplace(incoming.message.id.str(), digest_of(incoming.message));
    duplicate.push_back(known);
    new_ones += !known && incoming.seq == 0 && !is_save_command(incoming.message);
  }
  std::vector<std::int64_t> numbers;
  if (new_ones > 0) {
    WEFT_TRY(numbers, ports.store.take_numbers(RowKind::kMessage, new_ones));
  }
  auto next = numbers.begin();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (duplicate[i]) {
      change.report.observations.push_back({messages[i].message.id, "duplicate", {}, {}, {"already in this session"}});
    } else if (is_save_command(messages[i].message)) {
      change.report.observations.push_back({messages[i].message.id, "saved", {}, {}, {}});
      flush_session(ports, deadline, state, FlushReason::kSave, change);
    } else {
      take_in(ports, state, messages[i], messages[i].seq == 0 ? *next++ : messages[i].seq, change);
    }
  }
  change.batch.sessions.assign(1, state.row);
  return {};
}

std::string decision_kind(const SessionId& session) { return "decision/" + session.str(); }

void keep_decision(const ScopeKey& scope, const SessionId& session, const Decision& decision, Time time,
                   WriteBatch& batch) {
  DocumentRow row;
  row.scope = scope;
  row.kind = decision_kind(session);
  row.id = decision.block.str();
  row.time = time;
  row.author = std::string(to_string(decision.by));
  row.body = to_json(decision);
  // A block may be placed a second time, in one batch when a history is taken in again, or long after.
  std::erase_if(batch.documents,
                [&](const DocumentRow& other) { return other.kind == row.kind && other.id == row.id; });
  batch.erased_documents.push_back({scope, row.kind, row.id});
  batch.documents.push_back(std::move(row));
}

}  // namespace weft
