#include "flow/historian/queued_jobs.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "text/record.h"
#include "text/time_zone.h"

namespace weft {
namespace {

Status read_end_seq(std::string_view json, const std::string& place, EndJob& into) {
  return JsonForm<std::int64_t>::read(json, place, {}, into.end_seq);
}

std::string digest(std::string_view text) { return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size())); }

}  // namespace

WEFT_DESCRIBED(EndJob);

template <>
const Record<EndJob>& record<EndJob>() {
  using E = EndJob;
  static const auto made =
      Record<E>("EndJob", "The end of a turn as it waits in the queue.", RecordUse::kTold)
          .field("scope", &E::scope, "the key of the scope", {.required = true})
          .field("user_id", &E::user_id, "of the scope")
          .field("group_id", &E::group_id, "of the scope; empty in private")
          .field("session", &E::session, "in which it ended")
          .field("request_id", &E::request_id, "of the request that was worked on", {.required = true})
          .custom("end_seq", "counts the ends of one request", nullptr, read_end_seq,
                  [](const E& end, JsonWriter& out) { out.whole(end.end_seq); }, {.required = true})
          .custom("event_id", "of the event that it becomes", nullptr, nullptr,
                  [](const E& end, JsonWriter& out) { out.text(end.event_id()); })
          .field("action_summary", &E::action_summary, "what was done")
          .field("new_info", &E::new_info, "what was learnt")
          .field("message_ids", &E::message_ids, "what it speaks of")
          .field("sender_id", &E::sender_id, "who asked")
          .field("sender_name", &E::sender_name, "and that one's name")
          .field("agent", &E::agent, "who answered")
          .field("attribute", &E::attribute, "what it is about", {.sparse = true})
          .field("location", &E::location, "where")
          .field("timezone", &E::timezone, "by which times are understood")
          .field("time", &E::time, "when; the beginning of 1970 where nobody knows");
  return made;
}

ItemId sender_view_id(const Item& event) {
  return ItemId(event.id.str() + "@group:" + (event.event ? event.event->group_id : std::string()));
}

JobId end_job_id(const ScopeKey& scope, const std::string& request_id, std::int64_t end_seq) {
  return JobId("end-" + request_id + ":" + std::to_string(end_seq) + "-" + digest(scope.str()).substr(0, 8));
}

std::vector<std::string> info_marks(const EndJob& end) {
  std::vector<std::string> marks;
  // A candidate does not speak for its messages: the agent may still end with what it has learnt from them.
  if (end.new_info.empty() || end.kind != "end") return marks;
  for (const MessageId& message : end.message_ids)
    marks.push_back("info-" +
                    digest(std::to_string(end.scope.str().size()) + ":" + end.scope.str() +
                           std::to_string(end.session.str().size()) + ":" + end.session.str() + message.str()));
  return marks;
}

Job to_job(const EndJob& end, std::int64_t now_ms) {
  return new_job(end_job_id(end.scope, end.request_id, end.end_seq), end.scope, end.kind, to_json<EndJob>(end), now_ms);
}

Result<EndJob> read_end_job(const Job& job) {
  auto end = parse_record<EndJob>(job.payload, "its payload", {.max_bytes = job.payload.size() + 1});
  if (!end.ok()) return corrupt("job " + job.id.str() + ": " + end.error().message);
  end->kind = job.kind;
  return end;
}

WEFT_DESCRIBED(SaidJob);

template <>
const Record<SaidJob>& record<SaidJob>() {
  using S = SaidJob;
  static const auto made =
      Record<S>("SaidJob", "Messages that may state something of their speakers.", RecordUse::kTold)
          .field("scope", &S::scope, "the key of the scope", {.required = true})
          .field("user_id", &S::user_id, "of the call")
          .field("group_id", &S::group_id, "of the call; empty in private")
          .field("session", &S::session, "whose messages they are", {.required = true})
          .field("message_ids", &S::messages, "the messages")
          .field("left", &S::left, "a branch was left")
          .field("time", &S::time, "when");
  return made;
}

Job to_job(const SaidJob& said, std::int64_t now_ms) {
  std::string payload = to_json<SaidJob>(said);
  const JobId id(fmt::format("said-{:016x}", XXH3_64bits(payload.data(), payload.size())));
  return new_job(id, said.scope, kSaidKind, std::move(payload), now_ms);
}

Result<SaidJob> read_said_job(const Job& job) {
  auto said = parse_record<SaidJob>(job.payload, "its payload", {.max_bytes = job.payload.size() + 1});
  if (!said.ok()) return corrupt("job " + job.id.str() + ": " + said.error().message);
  return said;
}

std::string speaker_of(const SaidJob& said, const Message& message) {
  return said.group_id.empty() ? message.name : said.members.label(message.sender_id, message.name);
}

// In private it is always the scope's own user.
UserId sender_of(const SaidJob& said, const Message& message) {
  return said.group_id.empty() ? UserId(said.user_id) : message.sender_id;
}

EndJob fact_job(const SaidJob& said, const MessageRow& row, const SaidFact& fact, std::int64_t number,
                const std::string& agent) {
  EndJob end;
  end.kind = "fact";
  end.scope = said.scope;
  end.user_id = said.user_id;
  end.group_id = said.group_id;
  end.session = said.session;
  end.request_id = "fact:" + said.session.str() + "/" + row.message.id.str();
  end.end_seq = number;
  end.new_info = fact.text;
  end.attribute = fact.attribute;
  end.quote = fact.quote;
  end.over = fact.over;
  end.message_ids = {row.message.id};
  end.sender_id = sender_of(said, row.message);
  end.sender_name = row.message.name;
  end.agent = agent;
  end.time = row.message.time.value_or(said.time);
  end.timezone = zone_of(end.time);
  return end;
}

std::string done_mark(const JobId& job) {
  const std::string& id = job.str();
  const XXH128_hash_t digest = XXH3_128bits(id.data(), id.size());
  const auto scope = id.rfind('-');
  return fmt::format("done-{:016x}{:016x}{}", digest.high64, digest.low64,
                     scope == std::string::npos ? std::string() : id.substr(scope));
}

std::string queued_mark(const JobId& job) { return "queued:" + done_mark(job); }

std::string erased_mark(const ScopeKey& scope, const std::string& event_id) {
  const std::string id = std::to_string(scope.str().size()) + ":" + scope.str() + event_id;
  const XXH128_hash_t digest = XXH3_128bits(id.data(), id.size());
  return fmt::format("erased-{:016x}{:016x}", digest.high64, digest.low64);
}

Result<bool> end_is_done(Store& store, const JobId& job) {
  WEFT_TRY(const bool done, store.has_mark(done_mark(job)));
  if (done) return true;
  return store.has_mark(job.str());
}

}  // namespace weft
