#include "flow/historian/process_end.h"

#include <algorithm>

#include "base/log.h"
#include "flow/historian/circumstances.h"
#include "model/event_details.h"
#include "text/words.h"

namespace weft {
namespace {

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
