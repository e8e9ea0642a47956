#include "flow/historian/said_job.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "text/record.h"
#include "text/time_zone.h"

namespace weft {

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

}  // namespace weft
