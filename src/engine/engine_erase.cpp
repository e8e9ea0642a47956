// Forgetting: messages, and all that was made from them, in rows, indexes, files, queue, caches and free pages.
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/log.h"
#include "engine/engine_impl.h"
#include "flow/memory/profile_merge.h"
#include "model/receipt_json.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kProbe = 24;  // bytes of a text that are looked for in the files afterwards

std::string digest_of(const std::string& scope, const std::string& kind, const std::string& id) {
  const std::string key = std::to_string(scope.size()) + ":" + scope + kind + id;
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Status check_request(const EraseRequest& what) {
  const int given = (what.everything ? 1 : 0) + (what.messages.empty() ? 0 : 1) + (what.before ? 1 : 0);
  if (given == 1) return {};
  return invalid_argument("erase: say what is to be forgotten",
                          "everything, some messages, or all before a moment; one of them");
}

/// Everything that one erasure touches, gathered before anything is changed.
struct Erasing {
  std::string scope;
  EraseRequest what;
  std::vector<MessageRow> all;  // of the scope
  std::unordered_set<std::int64_t> seqs;  // that go
  std::unordered_set<std::string> message_ids;
  std::vector<ItemRow> items;  // that go
  std::unordered_set<std::string> event_ids;
  std::vector<std::string> probes;
  WriteBatch batch;
  std::vector<TopicRow> again;  // topics that are written anew from what is left of them
};

void choose_messages(Erasing& erasing) {
  std::unordered_set<std::string> wanted;
  for (const MessageId& id : erasing.what.messages) wanted.insert(id.str());
  for (const MessageRow& row : erasing.all) {
    const bool before = erasing.what.before && row.message.time && *row.message.time < *erasing.what.before;
    if (!erasing.what.everything && !before && !wanted.contains(row.message.id.str())) continue;
    erasing.seqs.insert(row.seq);
    erasing.message_ids.insert(row.message.id.str());
    erasing.batch.erased_messages.push_back(row.seq);
  }
}

// Those that stay hang on the nearest one before them that stays.
void mend_branches(Erasing& erasing) {
  std::unordered_map<std::int64_t, std::int64_t> parents;
  for (const MessageRow& row : erasing.all) parents[row.seq] = row.parent;
  for (const MessageRow& row : erasing.all) {
    if (erasing.seqs.contains(row.seq) || !erasing.seqs.contains(row.parent)) continue;
    std::int64_t parent = row.parent;
    while (erasing.seqs.contains(parent)) parent = parents[parent];
    erasing.batch.message_parents.emplace_back(row.seq, parent);
  }
}

// An item goes with any of the messages that it was made from: what is left of them makes a new one.
void choose_items(Erasing& erasing, std::vector<ItemRow> all) {
  for (ItemRow& item : all) {
    const bool touched = std::any_of(item.item.sources.begin(), item.item.sources.end(),
                                     [&](const MessageId& id) { return erasing.message_ids.contains(id.str()); });
    const bool of_messages = item.item.kind != ItemKind::kProfile && item.item.kind != ItemKind::kLore;
    const bool old = erasing.what.before && item.item.time < *erasing.what.before && of_messages;
    if (!erasing.what.everything && !touched && !old) continue;
    if (item.item.event) erasing.event_ids.insert(item.item.id.str());
    erasing.batch.erased_items.push_back(item.row);
    erasing.items.push_back(std::move(item));
  }
}

// A fact that only an erased one had replaced holds again.
void restore_superseded(Erasing& erasing, std::vector<ItemRow>& events) {
  for (ItemRow& event : events) {
    if (!event.item.event || erasing.event_ids.contains(event.item.id.str())) continue;
    EventDetails& details = *event.item.event;
    const bool back = erasing.event_ids.contains(details.superseded_by.str());
    if (back) {
      details.superseded_by = ItemId();
      details.valid_until.reset();
    }
    const bool loose = erasing.event_ids.contains(details.supersedes.str());
    if (loose) details.supersedes = ItemId();
    if (back || loose) erasing.batch.items.push_back(std::move(event));
  }
}

std::set<std::string> sessions_touched(const Erasing& erasing) {
  std::set<std::string> sessions;
  for (const MessageRow& row : erasing.all)
    if (erasing.seqs.contains(row.seq)) sessions.insert(row.session.str());
  return sessions;
}

/// Events of a group that also stand in their senders' private memory: the rows there go as well. Gives those scopes.
Result<std::set<std::string>> erase_views(Store& store, Erasing& erasing) {
  std::map<std::string, std::vector<ItemId>> views;
  for (const ItemRow& item : erasing.items) {
    if (!item.item.event || item.item.event->group_id.empty() || item.item.event->sender_id.empty()) continue;
    const auto sender = Scope::private_of(UserId(item.item.event->sender_id));
    if (sender.ok()) views[sender->key()].push_back(sender_view_id(item.item));
  }
  std::set<std::string> scopes;
  for (const auto& [scope, ids] : views) {
    if (scope == erasing.scope) continue;
    WEFT_TRY(const auto rows, store.rows_of(scope, ids));
    for (const std::int64_t row : rows) {
      if (row == 0) continue;
      erasing.batch.erased_items.push_back(row);
      scopes.insert(scope);
    }
  }
  return scopes;
}

std::string probe_of(const std::string& text) {
  // From the middle, where texts differ; whole code points are not needed for bytes.
  if (text.size() < kProbe) return {};
  return text.substr((text.size() - kProbe) / 2, kProbe);
}

bool job_is_of(const Job& job, const Erasing& erasing) {
  const Json payload = Json::parse(job.payload, nullptr, false);
  if (!payload.is_object() || payload.value("scope", "") != erasing.scope) return false;
  if (erasing.what.everything) return true;
  if (job.kind == "topic") return true;  // queued again, from what is left
  for (const Json& id : payload.value("message_ids", Json::array()))
    if (id.is_string() && erasing.message_ids.contains(id.get<std::string>())) return true;
  const auto time = parse_time(payload.value("time", ""));
  return erasing.what.before && time.ok() && *time < *erasing.what.before;
}

// Events and narratives of topics, and profiles, are written anew under their ids from what is left.
bool comes_back_only_by_mistake(const ItemRow& item) {
  return item.item.kind == ItemKind::kMessage || item.item.event.has_value();
}

std::size_t search_files(const std::filesystem::path& folder, const std::vector<std::string>& probes,
                         std::size_t& searched) {
  std::size_t found = 0;
  std::error_code ignored;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder, ignored)) {
    if (!file.is_regular_file(ignored)) continue;
    const auto bytes = read_file(file.path());
    if (!bytes.ok()) continue;
    ++searched;
    for (const std::string& probe : probes) {
      if (bytes->find(probe) == std::string::npos) continue;
      ++found;
      log_warning("erase.trace", "a trace of an erased text stands in " + file.path().string());
    }
  }
  return found;
}

}  // namespace

// Blocks and topics that lose messages: what is left of a topic is written anew, without its running summary, which may
// tell of what has gone.
Status EngineImpl::rebuild_topics(const std::string& scope, const SessionId& session,
                                  const std::unordered_set<std::int64_t>& seqs, WriteBatch& batch,
                                  std::vector<TopicRow>& again) {
  WEFT_TRY(const auto blocks, store_->session_blocks(scope, session));
  std::map<TopicId, std::pair<std::size_t, bool>> topics;  // blocks left, touched
  for (const BlockRow& block : blocks) {
    WEFT_TRY(const auto messages, store_->block_messages(scope, session, block.id));
    const auto gone =
        std::count_if(messages.begin(), messages.end(), [&](const MessageRow& row) { return seqs.contains(row.seq); });
    auto& [left, touched] = topics[block.topic];
    touched = touched || gone > 0;
    if (gone == static_cast<std::ptrdiff_t>(messages.size()))
      batch.erased_blocks.emplace_back(scope, block.id);
    else
      ++left;
  }
  for (const auto& [id, state] : topics) {
    const auto& [left, touched] = state;
    WEFT_TRY(auto topic, store_->topic(scope, session, id));
    if (!topic) continue;
    topic->lead.clear();
    topic->trace.clear();
    if (left == 0) {
      batch.erased_topics.emplace_back(scope, id);
      continue;
    }
    if (touched) topic->done = false;
    topic->blocks = static_cast<std::int64_t>(left);
    batch.topics.push_back(*topic);
    if (!topic->done) again.push_back(*topic);
  }
  return {};
}

Result<std::size_t> EngineImpl::erase_profiles(const RequestContext& request,
                                               const std::unordered_set<std::string>& events, bool everything) {
  const EntityKey entity = request.scope.is_group() ? EntityKey{EntityType::kGroup, request.scope.group().str()}
                                                    : EntityKey{EntityType::kUser, request.scope.user().str()};
  if (everything) {
    WEFT_TRY(const auto gone, profiles_->remove(entity));
    return gone.files.size();
  }
  if (events.empty()) return std::size_t{0};
  const std::vector<std::string> ids(events.begin(), events.end());
  const ProfileSubject subject{entity.type, {entity.id}};
  WEFT_TRY(const auto gone, profiles_->redact(entity, clock_->now(), [&](Profile& profile) {
    profile.body = remove_sources(profile.body, ids, subject).body;
    if (events.contains(profile.source_event_id)) profile.source_event_id.clear();
  }));
  if (const auto left = profiles_->read(entity, clock_->now()); left.ok()) WEFT_CHECK(index_profile(left->profile));
  return gone.files.size();
}

Result<EraseReceipt> EngineImpl::erase(const RequestContext& request, const EraseRequest& what) {
  WEFT_CHECK(check_request(what));
  // The historian waits meanwhile, and so does everybody who speaks in this scope.
  const std::unique_lock nobody_works(work_gate_);
  Erasing erasing{request.scope.key(), what, {}, {}, {}, {}, {}, {}, {}, {}};
  const std::string& scope = erasing.scope;
  WEFT_TRY(const auto sessions, store_->scope_sessions(scope));
  std::vector<SessionTable::Held> held;
  for (const SessionId& session : sessions) {
    WEFT_TRY(auto one, sessions_->hold(scope, session));
    StreamChange change;
    const Deadline deadline({}, request.cancel);
    WEFT_CHECK(
        change_stream(one, deadline, change, [&](const StreamPorts& ports, SessionState& state, StreamChange& made) {
          flush_session(ports, deadline, state, FlushReason::kSave, made);
          return Status();
        }));
    one.forget();
    held.push_back(std::move(one));
  }
  WEFT_TRY(erasing.all, store_->scope_messages(scope));
  choose_messages(erasing);
  if (!what.messages.empty() && erasing.seqs.empty())
    return not_found("erase: no message of " + scope + " has one of these ids",
                     "`weft search --json` shows ids as \"sources\"");
  mend_branches(erasing);
  WEFT_TRY(auto items, store_->scope_items(scope));
  choose_items(erasing, std::move(items));
  WEFT_TRY(const auto view_scopes, erase_views(*store_, erasing));
  WEFT_CHECK(gather_texts(scope, erasing.message_ids, erasing.probes));
  if (!what.everything) {
    WEFT_TRY(auto events, store_->items_of_kind(scope, ItemKind::kEvent, 1'000'000));
    restore_superseded(erasing, events);
  }
  for (const SessionId& session : sessions) {
    if (what.everything) {
      erasing.batch.erased_sessions.emplace_back(scope, session);
      continue;
    }
    WEFT_CHECK(rebuild_topics(scope, session, erasing.seqs, erasing.batch, erasing.again));
    WEFT_CHECK(mend_session(scope, session, erasing.all, erasing.seqs, erasing.batch));
  }

  // A summary of a session may say what an erased message said.
  if (what.everything) erasing.batch.erased_documents.push_back({scope, "", ""});
  for (const std::string& session : sessions_touched(erasing))
    erasing.batch.erased_documents.push_back({scope, "compaction", session});
  // A goal, an answer to a change of numbers and a refusal may hold words of an erased message, too.
  for (const char* kind : {"goal", "state_request", "state_refusal"})
    erasing.batch.erased_documents.push_back({scope, kind, ""});

  // Files first: as long as the rows are there, the same call finds again what it has to do.
  EraseReceipt receipt;
  receipt.at = clock_->now();
  receipt.scope_digest = digest_of(scope, "scope", "");
  WEFT_TRY(const auto jobs, erase_jobs([&](const Job& job) { return job_is_of(job, erasing); }));
  receipt.jobs = jobs.size();
  WEFT_TRY(receipt.profile_files, erase_profiles(request, erasing.event_ids, what.everything));
  const auto touched = sessions_touched(erasing);
  if (what.everything || !touched.empty())
    WEFT_CHECK(session_log_->erase(scope, what.everything ? std::vector<std::string>()
                                                          : std::vector<std::string>(touched.begin(), touched.end())));
  WEFT_TRY(receipt.summaries, end_summaries_->erase(request.scope.user().str(), request.scope.group().str(),
                                                    what.before, what.everything));
  {
    const auto pass = change_->gate().enter();
    WEFT_CHECK(store_->write(erasing.batch));
    change_->serving()->memory.forget(scope);
    for (const std::string& other : view_scopes) change_->serving()->memory.forget(other);
  }
  facts_->forget(scope);
  states_->forget(scope);
  compactions_->forget(scope);
  tasks_->forget();
  story_.forget(scope);
  plans_.lock()->clear();
  described_tools_.lock()->clear();
  curator_->forget(scope);
  prepared_.lock()->clear();
  for (const std::string& other : view_scopes) facts_->forget(other);
  prompts_.clear();
  if (Embedder* embedder = change_->serving()->embedder()) embedder->clear_cache();
  WEFT_CHECK(store_->compact());
  queue_topics(erasing.again);

  receipt.messages = erasing.batch.erased_messages.size();
  receipt.items = erasing.batch.erased_items.size();
  receipt.topics = erasing.batch.erased_topics.size();
  for (const std::string& id : erasing.message_ids) receipt.digests.push_back(digest_of(scope, "message", id));
  for (const ItemRow& item : erasing.items)
    if (comes_back_only_by_mistake(item)) receipt.digests.push_back(digest_of(scope, "item", item.item.id.str()));
  std::sort(receipt.digests.begin(), receipt.digests.end());
  receipt.traces_found = search_files(config_.workspace, erasing.probes, receipt.files_searched);
  const std::string key = receipt.scope_digest + format_time(receipt.at) + std::to_string(receipt.digests.size());
  receipt.id = fmt::format("{:016x}", XXH3_64bits(key.data(), key.size()));
  const auto folder = std::filesystem::path(config_.workspace) / "erasures";
  WEFT_CHECK(make_folder(folder));
  WEFT_CHECK(write_file(folder / (receipt.id + ".json"), to_json(receipt) + "\n", true));
  return receipt;
}

// Bytes to look for in the files afterwards. What another message says in the same words is found as well, and told.
Status EngineImpl::gather_texts(const std::string& scope, const std::unordered_set<std::string>& gone,
                                std::vector<std::string>& probes) {
  std::vector<MessageId> ids;
  for (const std::string& id : gone) ids.emplace_back(id);
  WEFT_TRY(const auto rows, store_->messages(scope, ids));
  for (const MessageRow& row : rows) {
    std::string probe = probe_of(row.message.content);
    if (probe.empty()) continue;
    probes.push_back(std::move(probe));
    if (probes.size() >= 200) break;
  }
  return {};
}

Status EngineImpl::mend_session(const std::string& scope, const SessionId& session, const std::vector<MessageRow>& all,
                                const std::unordered_set<std::int64_t>& seqs, WriteBatch& batch) {
  WEFT_TRY(auto row, store_->session(scope, session));
  if (!row) return {};
  std::unordered_map<std::int64_t, std::int64_t> parents;
  for (const MessageRow& message : all) parents[message.seq] = message.parent;
  while (seqs.contains(row->head)) row->head = parents[row->head];
  row->open_topic = TopicId();
  row->open_block = BlockId();
  batch.sessions.push_back(std::move(*row));
  return {};
}

Result<EraseCheck> EngineImpl::verify_erasure(const std::string& receipt_id) {
  WEFT_CHECK(check_id(receipt_id, "receipt"));
  const auto path = std::filesystem::path(config_.workspace) / "erasures" / (encode_file_name(receipt_id) + ".json");
  WEFT_TRY(const auto text, read_file(path));
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("digests")) return corrupt(path.string() + " is no receipt");
  std::unordered_set<std::string> digests;
  for (const Json& one : json["digests"]) digests.insert(one.get<std::string>());
  EraseCheck check{digests.size(), 0};
  WEFT_TRY(const auto scopes, store_->scopes());
  for (const std::string& scope : scopes) {
    if (digest_of(scope, "scope", "") != json.value("scope_digest", "")) continue;
    WEFT_TRY(const auto messages, store_->scope_messages(scope));
    for (const MessageRow& row : messages)
      check.found += digests.contains(digest_of(scope, "message", row.message.id.str())) ? 1 : 0;
    WEFT_TRY(const auto items, store_->scope_items(scope));
    for (const ItemRow& row : items)
      check.found += digests.contains(digest_of(scope, "item", row.item.id.str())) ? 1 : 0;
  }
  return check;
}

}  // namespace weft
