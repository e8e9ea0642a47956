#include <set>
#include <unordered_set>

#include "base/log.h"
#include "engine/engine_impl.h"
#include "flow/memory/message_items.h"
#include "flow/stream/branch.h"

namespace weft {
namespace {

constexpr std::chrono::milliseconds kEmbedPatience{5000};  // for one call of the stream, before words decide alone

Deadline stream_deadline(const RequestContext& request) {
  return Deadline(request.deadline, request.cancel).within(kEmbedPatience);
}

}  // namespace

Result<ObserveReport> EngineImpl::observe(const RequestContext& request, const SessionId& session,
                                          std::span<const Message> messages) {
  WEFT_CHECK(check_id(session.str(), "session id"));
  WEFT_TRY(auto held, sessions_->hold(request.scope.key(), session));
  std::vector<Incoming> incoming;
  for (const Message& message : messages) incoming.push_back({message, 0});
  StreamChange change;
  if (auto done = weft::observe(stream_ports(), stream_deadline(request), *held, incoming, change); !done.ok()) {
    held.forget();
    return done.error();
  }
  WEFT_CHECK(keep(held, change));
  return std::move(change.report);
}

// Written first, then made findable and queued: what is told is on disk.
Status EngineImpl::keep(SessionTable::Held& held, StreamChange& change) {
  for (const MessageRow& message : change.batch.messages)
    add_message_items(config_.limits, rows_, message, change.batch.items);
  if (auto written = store_->write(change.batch); !written.ok()) {
    held.forget();
    return written.error();
  }
  memory_->added(change.batch.items);
  memory_->set_active(held->row.scope, change.batch.item_active);
  queue_topics(change.flushed);
  if (!change.batch.items.empty()) indexer_->wake();
  if (!change.batch.topics.empty()) idle_->wake();
  return {};
}

void EngineImpl::queue_topics(std::span<const TopicRow> topics) {
  for (const TopicRow& topic : topics) {
    // A topic that cannot be queued now is found again at the next start, since the store says that it is not done.
    if (auto queued = queue_->enqueue(topic_job(topic, clock_->now().ms)); !queued.ok()) {
      log_error("queue.enqueue", queued.error().message);
    }
  }
  if (topics.empty()) return;
  for (Background* historian : historians_) historian->wake();
}

Result<ObserveReport> EngineImpl::save(const RequestContext& request, const SessionId& session) {
  WEFT_CHECK(check_id(session.str(), "session id"));
  WEFT_TRY(auto held, sessions_->hold(request.scope.key(), session));
  StreamChange change;
  flush_session(stream_ports(), stream_deadline(request), *held, FlushReason::kSave, change);
  WEFT_CHECK(keep(held, change));
  return std::move(change.report);
}

Status EngineImpl::rewind_if_left(SessionTable::Held& held, const RequestContext& request,
                                  std::span<const std::uint64_t> digests, SyncReport& report) {
  const Alignment alignment = align_history(held->path, digests);
  report.known = alignment.known;
  report.abandoned = held->path.size() - alignment.keep;
  if (report.abandoned == 0) return {};
  StreamChange change;
  if (auto done = rewind(stream_ports(), stream_deadline(request), *held, alignment.keep, change); !done.ok()) {
    held.forget();
    return done;
  }
  return keep(held, change);
}

Result<SyncReport> EngineImpl::sync(const RequestContext& request, const SessionId& session,
                                    std::span<const Message> history) {
  WEFT_CHECK(check_id(session.str(), "session id"));
  WEFT_TRY(auto held, sessions_->hold(request.scope.key(), session));
  SyncReport report;
  std::vector<Message> spoken;
  std::vector<Message> system;
  for (const Message& message : history) (message.role == Role::kSystem ? system : spoken).push_back(message);
  std::vector<std::uint64_t> digests;
  for (const Message& message : spoken) digests.push_back(digest_of(message));
  WEFT_CHECK(rewind_if_left(held, request, digests, report));

  std::vector<Message> rest(spoken.begin() + static_cast<std::ptrdiff_t>(report.known), spoken.end());
  // A client's own ids in a resent history need not be unique over branches; recognising is by content.
  for (Message& message : rest) message.id = {};
  WEFT_TRY(auto incoming, follow_branch(*store_, *held, rest));
  if (!system.empty() && system.back().content != held->row.system)
    incoming.insert(incoming.begin(), Incoming{system.back(), 0});
  report.added = rest.size();
  if (incoming.empty()) return report;
  StreamChange change;
  if (auto done = weft::observe(stream_ports(), stream_deadline(request), *held, incoming, change); !done.ok()) {
    held.forget();
    return done.error();
  }
  WEFT_CHECK(reactivate_items(held, incoming, change));
  WEFT_CHECK(keep(held, change));
  report.observed = std::move(change.report);
  return report;
}

// Messages that came back from a branch that had been left bring their items back.
Status EngineImpl::reactivate_items(SessionTable::Held& held, std::span<const Incoming> incoming,
                                    StreamChange& change) {
  std::unordered_set<MessageId> back;
  for (const Incoming& message : incoming) {
    if (message.seq != 0) back.insert(message.message.id);
  }
  if (back.empty()) return {};
  WEFT_TRY(const auto items, store_->session_items(held->row.scope, held->row.session));
  for (const ItemRow& item : items) {
    const bool own = item.item.kind == ItemKind::kMessage && item.item.sources.size() == 1 &&
                     back.contains(item.item.sources.front());
    if (own && !item.active) change.batch.item_active.emplace_back(item.row, true);
  }
  return {};
}

Result<std::size_t> EngineImpl::purge_failed(const JobId& job) {
  std::set<JobId> failed;
  for (const auto& [state, one] : queue_->list())
    if (state == JobState::kFailed && (job.empty() || one.id == job)) failed.insert(one.id);
  if (failed.empty() && !job.empty()) return not_found("no failed job " + job.str(), "`weft queue list` lists the jobs");
  WEFT_TRY(const auto gone, queue_->erase([&](const Job& one) { return failed.contains(one.id); }));
  return gone.size();
}

Status EngineImpl::retry(const JobId& job) {
  WEFT_CHECK(queue_->retry(job));
  for (Background* historian : historians_) historian->wake();
  return {};
}

}  // namespace weft
