#include "growth/transcripts.h"

#include <xxhash.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "growth/transcript_formats.h"
#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLargestLine = 32 * 1024 * 1024;

bool has(const Json& object, const char* name) { return object.is_object() && object.contains(name); }

bool is_list(const Json& object, const char* name) { return has(object, name) && object[name].is_array(); }

bool is_claude(const Json& line) {
  return has(line, "type") &&
         (has(line, "sessionId") || has(line, "leafUuid") || (has(line, "message") && line["message"].is_object()));
}

bool is_codex(const Json& line) {
  if (has(line, "payload")) return true;
  if (!has(line, "type") || !line["type"].is_string()) return false;
  const auto& type = line["type"].get_ref<const std::string&>();
  for (const char* known : {"message", "reasoning", "function_call", "function_call_output", "local_shell_call",
                            "local_shell_call_output", "custom_tool_call", "custom_tool_call_output"})
    if (type == known) return true;
  return false;
}

bool is_openhands(const Json& event) {
  return has(event, "source") && (has(event, "action") || has(event, "observation"));
}

std::string id_of(const Json& run) {
  for (const char* name : {"id", "instance_id", "session_id"})
    if (has(run, name) && run[name].is_string()) return run[name].get<std::string>();
  return {};
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Result<Transcripts> read() {
    if (auto whole = Json::parse(text_, nullptr, false); !whole.is_discarded() && take_document(whole)) {
      finish(text_, id_of(whole));
    } else {
      take_lines();
    }
    if (found_.format.empty() || found_.reports.empty()) {
      std::string why = std::string(file_) + ": there is no run in it that can be read";
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
    if (is_list(whole, "trajectory")) return take_all("swe_agent", whole["trajectory"], take_swe_step, whole);
    if (is_list(whole, "messages")) return take_all("messages", whole["messages"], take_message, whole);
    const Json& events = is_list(whole, "history") ? whole["history"] : whole;
    if (!events.is_array() || events.empty()) return false;
    if (is_openhands(events.front())) return take_all("openhands", events, take_openhands_event, whole);
    return has(events.front(), "role") && take_all("messages", events, take_message, whole);
  }

  bool take_all(const char* format, const Json& parts, Take take, const Json& whole) {
    found_.format = format;
    if (std::string_view(format) == "swe_agent") take_swe_task(whole);
    std::size_t number = 0;
    for (const Json& part : parts) {
      ++number;
      if (!part.is_object() || !take(part, builder_)) skip("entry " + std::to_string(number), "its form is not known");
    }
    if (has(whole, "outcome")) take_outcome(whole["outcome"], builder_);
    if (has(whole, "report")) take_outcome(whole["report"], builder_);
    return true;
  }

  // A trajectory has its task in the history beside it.
  void take_swe_task(const Json& whole) {
    if (!is_list(whole, "history")) return;
    for (const Json& message : whole["history"])
      if (has(message, "role") && message["role"] == "user" && has(message, "content"))
        return builder_.user(content_text(message["content"]));
  }

  void take_lines() {
    std::size_t number = 0, begin = 0;
    while (begin < text_.size()) {
      auto end = text_.find('\n', begin);
      if (end == std::string_view::npos) end = text_.size();
      const std::string_view line = text_.substr(begin, end - begin);
      begin = end + 1;
      ++number;
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      take_line(line, "line " + std::to_string(number));
    }
    if (!builder_.empty()) finish(text_, builder_.report().session);
  }

  void take_line(std::string_view line, const std::string& place) {
    if (const auto good = check_json(line, {.max_bytes = kLargestLine, .max_depth = 256}, place); !good.ok())
      return skip(place, good.error().message);
    const Json json = Json::parse(line, nullptr, false);
    if (is_list(json, "messages") || is_list(json, "trajectory") || is_list(json, "history")) {
      // Runs of a line each; what stood in single lines before is one of its own.
      if (!builder_.empty()) finish(text_, builder_.report().session);
      if (take_document(json)) finish(line, id_of(json));
      return;
    }
    struct Format {
      const char* name;
      bool (*is)(const Json&);
      Take take;
    };
    static constexpr std::array<Format, 4> kFormats{
        {{"openhands", is_openhands, take_openhands_event},
         {"claude_code", is_claude, take_claude_line},
         {"codex", is_codex, take_codex_line},
         {"messages", [](const Json& one) { return has(one, "role"); }, take_message}}};
    for (const Format& format : kFormats) {
      if (!format.is(json)) continue;
      if (!format.take(json, builder_)) break;
      if (found_.format.empty()) found_.format = format.name;
      return;
    }
    skip(place, "its form is not known");
  }

  void skip(const std::string& place, const std::string& why) {
    std::string said = why.starts_with(place) ? why : place + ": " + why;
    found_.problems.push_back(std::string(file_) + ", " + said);
  }

  void finish(std::string_view source, std::string id) {
    if (builder_.empty()) return;
    TaskReport report = builder_.take();
    std::array<char, 20> hash{};
    std::snprintf(hash.data(), hash.size(), "%016llx",
                  static_cast<unsigned long long>(XXH3_64bits(source.data(), source.size())));
    report.id = "imported/" + (id.empty() ? std::string(hash.data()) : id);
    if (report.session.empty()) report.session = report.id;
    report.run = report.id;
    report.provenance = Provenance::kImported;
    found_.reports.push_back(std::move(report));
  }

  std::string_view text_, file_;
  Transcripts found_;
  ReportBuilder builder_;
};

}  // namespace

Result<Transcripts> read_transcripts(std::string_view text, std::string_view file) { return Reader(text, file).read(); }

}  // namespace weft
