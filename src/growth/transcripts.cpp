#include "growth/transcripts.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "growth/claude_transcript.h"
#include "growth/transcript_formats.h"
#include "model/growth_records.h"
#include "text/json.h"
#include "text/json_lookup.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLargestLine = 32 * 1024 * 1024;
constexpr std::string_view kImported = "imported/";  // what ids of reports begin with

bool has(const Json& object, const char* name) { return object.is_object() && object.contains(name); }

bool is_list(const Json& object, const char* name) { return has(object, name) && object[name].is_array(); }

bool is_claude(const Json& line) {
  if (!has(line, "type") || !line["type"].is_string()) return false;
  return has(line, "sessionId") || has(line, "leafUuid") || has(line, "uuid") || has(line, "snapshot") ||
         (has(line, "message") && line["message"].is_object());
}

bool is_codex(const Json& line) {
  if (has(line, "payload")) return true;
  if (!has(line, "type") || !line["type"].is_string()) return false;
  const auto& type = line["type"].get_ref<const std::string&>();
  return type == "message" || type == "reasoning" || type.ends_with("_call") || type.ends_with("_call_output");
}

bool is_openhands(const Json& event) {
  return has(event, "source") && (has(event, "action") || has(event, "observation"));
}

std::string id_of(const Json& run) {
  for (const char* name : {"id", "instance_id", "session_id"})
    if (has(run, name) && run[name].is_string()) return run[name].get<std::string>();
  return {};
}

std::string hash_of(std::string_view text) {
  std::array<char, 20> hash{};
  std::snprintf(hash.data(), hash.size(), "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(text.data(), text.size())));
  return hash.data();
}

struct LineFormat {
  TranscriptFormat format;
  bool (*is)(const Json&);
  bool (*take)(const Json&, ReportBuilder&);
};
constexpr std::array<LineFormat, 3> kLineFormats{
    {{TranscriptFormat::kOpenHands, is_openhands, take_openhands_event},
     {TranscriptFormat::kCodex, is_codex, take_codex_line},
     {TranscriptFormat::kMessages, [](const Json& one) { return has(one, "role"); }, take_message}}};

class Reader {
 public:
  Reader(std::string_view text, const TranscriptPlace& place) : text_(text), place_(place) {
    session_.report().session = place.session;
  }

  Result<Transcripts> read() {
    if (auto whole = lenient_json<Json>(text_); !whole.is_discarded() && take_document(whole)) {
      finish_run(text_, id_of(whole), text_.size());
    } else if (!place_.whole) {
      take_lines();
    }
    if (claude_) found_.left_out = claude_->left_out();
    if (!known_ || found_.reports.empty()) {
      std::string why = place_.file + ": there is no run in it that can be read";
      if (!found_.problems.empty()) why += "; " + found_.problems.front();
      return invalid_argument(why,
                              "OpenAI-style messages, sessions of Claude Code or Codex (JSON Lines), events of "
                              "OpenHands, trajectories of SWE-agent");
    }
    return std::move(found_);
  }

 private:
  using Take = bool (*)(const Json&, ReportBuilder&);

  // One JSON document that is a whole run.
  bool take_document(const Json& whole) {
    if (is_list(whole, "trajectory"))
      return take_all(TranscriptFormat::kSweAgent, whole["trajectory"], take_swe_step, whole);
    if (is_list(whole, "messages"))
      return take_all(TranscriptFormat::kMessages, whole["messages"], take_message, whole);
    const Json& events = is_list(whole, "history") ? whole["history"] : whole;
    if (!events.is_array() || events.empty()) return false;
    if (is_openhands(events.front()))
      return take_all(TranscriptFormat::kOpenHands, events, take_openhands_event, whole);
    return has(events.front(), "role") && take_all(TranscriptFormat::kMessages, events, take_message, whole);
  }

  bool take_all(TranscriptFormat format, const Json& parts, Take take, const Json& whole) {
    know(format);
    if (format == TranscriptFormat::kSweAgent) take_swe_task(whole);
    std::size_t number = 0;
    for (const Json& part : parts) {
      ++number;
      if (!part.is_object() || !take(part, run_)) skip("entry " + std::to_string(number), "its form is not known");
    }
    if (has(whole, "outcome")) take_outcome(whole["outcome"], run_);
    if (has(whole, "report")) take_outcome(whole["report"], run_);
    return true;
  }

  // A trajectory has its task in the history beside it, behind demonstrations.
  void take_swe_task(const Json& whole) {
    if (!is_list(whole, "history")) return;
    for (const Json& message : whole["history"])
      if (has(message, "role") && message["role"] == "user")
        if (const std::string task = asked_words(message); !task.empty()) return run_.user(task);
  }

  void take_lines() {
    std::size_t number = 0, begin = 0;
    while (begin < text_.size()) {
      auto end = text_.find('\n', begin);
      if (end == std::string_view::npos) end = text_.size();
      const std::string_view line = text_.substr(begin, end - begin);
      ++number;
      if (line.find_first_not_of(" \t\r") != std::string_view::npos)
        take_line(line, begin, "line " + std::to_string(number));
      begin = end + 1;
    }
    if (session_.empty()) return;
    found_.open = true;
    add_task(session_.take(), text_.size());
  }

  void take_line(std::string_view line, std::size_t begin, const std::string& place) {
    if (const auto good = check_json(line, {.max_bytes = kLargestLine, .max_depth = 256}, place); !good.ok())
      return skip(place, good.error().message);
    const Json json = Json::parse(line, nullptr, false);
    if (is_list(json, "messages") || is_list(json, "trajectory") || is_list(json, "history")) {
      // Runs of a line each; what stood in single lines before is one of its own.
      if (!session_.empty()) add_task(session_.take(), begin);
      if (take_document(json)) finish_run(line, id_of(json), begin + line.size() + 1);
      return;
    }
    if (is_list(json, "steps") && has(json, "task")) return take_report(line, begin + line.size() + 1, place);
    if (!is_openhands(json) && (is_claude(json) || (claude_ && has(json, "type")))) return take_claude(line, begin);
    for (const LineFormat& format : kLineFormats) {
      if (!format.is(json)) continue;
      if (!format.take(json, session_)) break;
      know(format.format);
      for (TaskReport& ended : session_.take_ended()) add_task(std::move(ended), begin);
      return;
    }
    skip(place, "its form is not known");
  }

  void take_claude(std::string_view line, std::size_t begin) {
    if (!claude_) claude_.emplace(text_);
    know(TranscriptFormat::kClaudeCode);
    const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
    std::string& session = session_.report().session;
    if (session.empty() && json.value("sessionId", nlohmann::ordered_json()).is_string())
      session = json["sessionId"].get<std::string>();
    if (const auto said = claude_->said(json)) take_claude_line(Json(*said), session_);
    for (TaskReport& ended : session_.take_ended()) add_task(std::move(ended), begin);
  }

  // One that was made of a transcript before.
  void take_report(std::string_view line, std::size_t end, const std::string& place) {
    auto report = parse_record<TaskReport>(line, place, {.max_bytes = kLargestLine});
    if (!report.ok()) return skip(place, report.error().message);
    know(TranscriptFormat::kTaskReports);
    std::string id = report->id.empty() ? hash_of(line) : report->id;
    if (id.starts_with(kImported)) id.erase(0, kImported.size());
    add(std::move(*report), std::move(id), end);
  }

  void know(TranscriptFormat format) {
    if (!known_) found_.format = format;
    known_ = true;
  }

  void skip(const std::string& place, const std::string& why) {
    std::string said = why.starts_with(place) ? why : place + ": " + why;
    found_.problems.push_back(place_.file + ", " + said);
  }

  void finish_run(std::string_view source, std::string id, std::size_t end) {
    if (run_.empty()) return;
    TaskReport report = run_.take();
    if (id.empty()) id = place_.source.empty() ? hash_of(source) : hash_of(place_.source + beginning_of(report));
    add(std::move(report), std::move(id), end);
  }

  // A task of a session is known by its own id, or by when it was said and in what words.
  void add_task(TaskReport report, std::size_t end) {
    std::string id = report.id;
    if (id.empty() && report.session.empty() && place_.source.empty()) {
      id = hash_of(std::string(text_) + std::to_string(found_.reports.size()));
    } else if (id.empty()) {
      const std::string where = report.session.empty() ? hash_of(place_.source) : report.session;
      id = where + "/" + hash_of(beginning_of(report));
    }
    add(std::move(report), std::move(id), end);
  }

  // The same for as long as the task goes on. Without times its number tells it from others in the same words.
  std::string beginning_of(const TaskReport& report) const {
    const auto number = place_.tasks + tasks_;
    return std::to_string(report.started.ms != 0 ? report.started.ms : number) + " " + report.task;
  }

  void add(TaskReport report, std::string id, std::size_t end) {
    report.id = std::string(kImported) + id;
    if (report.session.empty()) report.session = report.id;
    report.run = report.id;
    report.provenance = Provenance::kImported;
    tasks_ += !report.task.empty();
    found_.reports.push_back(std::move(report));
    found_.ends.push_back(std::min(end, text_.size()));
  }

  std::string_view text_;
  const TranscriptPlace& place_;
  Transcripts found_;
  std::optional<ClaudeTranscript> claude_;
  bool known_ = false;
  std::int64_t tasks_ = 0;
  ReportBuilder run_, session_{ReportBuilder::Tasks::kOneEachAnswer};
};

}  // namespace

std::string_view to_string(TranscriptFormat format) {
  switch (format) {
    case TranscriptFormat::kMessages: return "messages";
    case TranscriptFormat::kClaudeCode: return "claude_code";
    case TranscriptFormat::kCodex: return "codex";
    case TranscriptFormat::kOpenHands: return "openhands";
    case TranscriptFormat::kSweAgent: return "swe_agent";
    case TranscriptFormat::kTaskReports: return "task_reports";
  }
  return "";
}

Result<Transcripts> read_transcripts(std::string_view text, const TranscriptPlace& place) {
  return Reader(text, place).read();
}

}  // namespace weft
