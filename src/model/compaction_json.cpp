#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "text/json.h"
#include "weft/compaction.h"

namespace weft {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

OrderedJson ids_json(const std::vector<MessageId>& ids) {
  OrderedJson list = OrderedJson::array();
  for (const MessageId& id : ids) list.push_back(id.str());
  return list;
}

OrderedJson json_of(const Summary& summary) {
  return {{"id", summary.id},
          {"session", summary.session.str()},
          {"covers", ids_json(summary.covers)},
          {"time", format_time(summary.time)},
          {"goals", summary.goals},
          {"decisions", summary.decisions},
          {"done", summary.done},
          {"open_items", summary.open_items},
          {"constraints", summary.constraints},
          {"facts", summary.facts},
          {"risks", summary.risks},
          {"by", summary.by}};
}

OrderedJson json_of(const Candidate& candidate) {
  return {{"candidate_id", candidate.candidate_id},
          {"source_session_id", candidate.source_session_id.str()},
          {"source_message_ids", ids_json(candidate.source_message_ids)},
          {"candidate_text", candidate.candidate_text},
          {"constraint_tags", candidate.constraint_tags},
          {"confidence", candidate.confidence},
          {"created_at", format_time(candidate.created_at)}};
}

OrderedJson json_of(const CompactionReport& report) {
  return {{"turns_kept", report.turns_kept},
          {"turns_summarised", report.turns_summarised},
          {"messages_kept", report.messages_kept},
          {"messages_summarised", report.messages_summarised},
          {"messages_cut", report.messages_cut},
          {"candidates", report.candidates},
          {"tokens_before", report.tokens_before},
          {"tokens_after", report.tokens_after},
          {"summary_tokens", report.summary_tokens},
          {"flush_skipped", report.flush_skipped},
          {"fell_back", report.fell_back},
          {"by", report.by},
          {"restored", report.restored},
          {"problems", report.problems},
          {"ms", report.ms}};
}

// Takes members of one object and remembers the first that is wrong.
class Fields {
 public:
  Fields(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object_.is_object()) fail("", "an object");
  }

  void take(const char* name, std::string& into) {
    if (const Json* at = find(name, &Json::is_string, "a string")) into = at->get<std::string>();
  }
  void take(const char* name, bool& into) {
    if (const Json* at = find(name, &Json::is_boolean, "true or false")) into = at->get<bool>();
  }
  void take(const char* name, double& into) {
    if (const Json* at = find(name, &Json::is_number, "a number")) into = at->get<double>();
  }
  void take(const char* name, std::int64_t& into) {
    if (const Json* at = find(name, &Json::is_number_integer, "a whole number")) into = at->get<std::int64_t>();
  }
  void take(const char* name, std::size_t& into) {
    if (const Json* at = find(name, &Json::is_number_unsigned, "a count")) into = at->get<std::size_t>();
  }
  void take(const char* name, Time& into) {
    std::string text;
    take(name, text);
    if (text.empty()) return;
    const auto time = parse_time(text);
    if (time.ok()) into = *time;
    if (!time.ok()) fail(name, "a time in RFC 3339");
  }
  template <class Tag>
  void take(const char* name, Id<Tag>& into) {
    std::string text;
    take(name, text);
    if (!text.empty()) into = Id<Tag>(std::move(text));
  }
  void take(const char* name, std::vector<std::string>& into) {
    const Json* at = find(name, &Json::is_array, "a list of strings");
    if (at == nullptr) return;
    for (const Json& part : *at) {
      if (!part.is_string()) return fail(name, "a list of strings");
      into.push_back(part.get<std::string>());
    }
  }
  void take(const char* name, std::vector<MessageId>& into) {
    std::vector<std::string> texts;
    take(name, texts);
    for (std::string& text : texts) into.emplace_back(std::move(text));
  }

  /// The member, or null where it is missing or no object or list.
  const Json* part(const char* name, bool (Json::*is)() const noexcept, const char* kind) {
    return find(name, is, kind);
  }

  void fail(const char* name, const char* kind) {
    if (status_.ok()) status_ = invalid_argument(fmt::format("compaction: \"{}{}\" is not {}", where_, name, kind));
  }
  const Status& status() const { return status_; }

 private:
  const Json* find(const char* name, bool (Json::*is)() const noexcept, const char* kind) {
    if (!object_.is_object()) return nullptr;
    const auto at = object_.find(name);
    if (at == object_.end() || at->is_null()) return nullptr;
    if ((*at.*is)()) return &*at;
    fail(name, kind);
    return nullptr;
  }

  const Json& object_;
  std::string where_;
  Status status_;
};

Status read(const Json& json, Summary& summary) {
  Fields fields(json, "summary.");
  fields.take("id", summary.id);
  fields.take("session", summary.session);
  fields.take("covers", summary.covers);
  fields.take("time", summary.time);
  fields.take("goals", summary.goals);
  fields.take("decisions", summary.decisions);
  fields.take("done", summary.done);
  fields.take("open_items", summary.open_items);
  fields.take("constraints", summary.constraints);
  fields.take("facts", summary.facts);
  fields.take("risks", summary.risks);
  fields.take("by", summary.by);
  return fields.status();
}

Status read(const Json& json, Candidate& candidate) {
  Fields fields(json, "candidates[].");
  fields.take("candidate_id", candidate.candidate_id);
  fields.take("source_session_id", candidate.source_session_id);
  fields.take("source_message_ids", candidate.source_message_ids);
  fields.take("candidate_text", candidate.candidate_text);
  fields.take("constraint_tags", candidate.constraint_tags);
  fields.take("confidence", candidate.confidence);
  fields.take("created_at", candidate.created_at);
  if (!(candidate.confidence >= 0 && candidate.confidence <= 1)) fields.fail("confidence", "a number from 0 to 1");
  return fields.status();
}

Status read(const Json& json, CompactionReport& report) {
  Fields fields(json, "report.");
  fields.take("turns_kept", report.turns_kept);
  fields.take("turns_summarised", report.turns_summarised);
  fields.take("messages_kept", report.messages_kept);
  fields.take("messages_summarised", report.messages_summarised);
  fields.take("messages_cut", report.messages_cut);
  fields.take("candidates", report.candidates);
  fields.take("tokens_before", report.tokens_before);
  fields.take("tokens_after", report.tokens_after);
  fields.take("summary_tokens", report.summary_tokens);
  fields.take("flush_skipped", report.flush_skipped);
  fields.take("fell_back", report.fell_back);
  fields.take("by", report.by);
  fields.take("restored", report.restored);
  fields.take("problems", report.problems);
  fields.take("ms", report.ms);
  return fields.status();
}

}  // namespace

std::string to_json(const Summary& summary) { return write_json(json_of(summary)); }
std::string to_json(const Candidate& candidate) { return write_json(json_of(candidate)); }
std::string to_json(const CompactionReport& report) { return write_json(json_of(report)); }

std::string to_json(const Compaction& compaction) {
  OrderedJson candidates = OrderedJson::array();
  for (const Candidate& candidate : compaction.candidates) candidates.push_back(json_of(candidate));
  return write_json(OrderedJson{{"id", compaction.id},
                                {"summary", json_of(compaction.summary)},
                                {"candidates", candidates},
                                {"report", json_of(compaction.report)},
                                {"first_kept", compaction.first_kept.str()},
                                {"shortened", ids_json(compaction.shortened)},
                                {"undone", compaction.undone}});
}

Result<Compaction> parse_compaction(std::string_view json) {
  WEFT_TRY(const Json root, read_json(json, {}, "compaction"));
  Compaction compaction;
  Fields fields(root, "");
  fields.take("id", compaction.id);
  fields.take("first_kept", compaction.first_kept);
  fields.take("shortened", compaction.shortened);
  fields.take("undone", compaction.undone);
  if (const Json* at = fields.part("summary", &Json::is_object, "an object")) WEFT_CHECK(read(*at, compaction.summary));
  if (const Json* at = fields.part("report", &Json::is_object, "an object")) WEFT_CHECK(read(*at, compaction.report));
  if (const Json* at = fields.part("candidates", &Json::is_array, "a list")) {
    for (const Json& part : *at) WEFT_CHECK(read(part, compaction.candidates.emplace_back()));
  }
  WEFT_CHECK(fields.status());
  return compaction;
}

}  // namespace weft
