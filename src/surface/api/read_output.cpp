#include "surface/api/read_output.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kMostLines = 2000, kMostMatches = 200;
constexpr std::size_t kMostBytes = 64 * 1024;  // of one answer; the next lines are asked for again

Result<StoredMessage> find_message(Engine& engine, const RequestContext& request, const SessionId& session,
                                   const std::string& id) {
  if (id.empty()) return invalid_argument("\"id\" is missing", "give the id that the shortened output names");
  const MessageId wanted(id);
  WEFT_TRY(auto found, engine.memory(request).originals(std::span(&wanted, 1)));
  if (found.empty())
    return not_found("there is no message \"" + id.substr(0, 80) + "\"", "ids stand in shortened outputs");
  const auto own =
      std::find_if(found.begin(), found.end(), [&session](const StoredMessage& one) { return one.session == session; });
  return std::move(own == found.end() ? found.back() : *own);
}

void put_matches(const std::vector<std::string_view>& lines, const ReadOutput& what, OutputPart& out) {
  auto& matches = out.matches.emplace();
  std::size_t bytes = 0;
  for (std::size_t i = what.from_line - 1; i < lines.size(); ++i) {
    if (lines[i].find(what.find) == std::string_view::npos) continue;
    if (matches.size() >= kMostMatches || bytes > kMostBytes) {
      ++out.more;
      continue;
    }
    bytes += lines[i].size();
    matches.push_back({i + 1, std::string(cut_bytes(lines[i], kMostBytes))});
  }
}

void put_lines(const std::vector<std::string_view>& lines, const ReadOutput& what, OutputPart& out) {
  std::string text;
  std::size_t at = what.from_line - 1;
  const std::size_t end = std::min(lines.size(), at + std::min(what.lines, kMostLines));
  for (; at < end && (text.empty() || text.size() + lines[at].size() < kMostBytes); ++at) {
    if (at + 1 > what.from_line) text += '\n';
    text += lines[at];
  }
  out.from_line = what.from_line;
  out.to_line = at;
  out.text = std::move(text);
}

}  // namespace

template <>
const Record<ReadOutput>& record<ReadOutput>() {
  static const auto made =
      Record<ReadOutput>("ReadOutput", "Which part of a message is wanted.", RecordUse::kAsked)
          .field("id", &ReadOutput::id, "The id that the shortened output names.", {.required = true, .loose = true})
          .field("from_line", &ReadOutput::from_line, "The first line wanted; 1 if left out.",
                 {.least = 1, .wanted = "a whole number from 1 on"})
          .field("lines", &ReadOutput::lines, "How many lines; 200 if left out.",
                 {.least = 1, .wanted = "a whole number from 1 on"})
          .field("find", &ReadOutput::find, "Only lines that hold this text, with their numbers.", {.loose = true});
  return made;
}

template <>
const Record<LineFound>& record<LineFound>() {
  static const auto made = Record<LineFound>("LineFound", "A line that holds what was looked for.", RecordUse::kTold)
                               .field("line", &LineFound::line, "its number")
                               .field("text", &LineFound::text, "the line");
  return made;
}

template <>
const Record<OutputPart>& record<OutputPart>() {
  constexpr FieldRule kSparse{.sparse = true};
  static const auto made = Record<OutputPart>("OutputPart", "A part of a message as it was said.", RecordUse::kTold)
                               .field("id", &OutputPart::id, "of the message")
                               .field("session", &OutputPart::session, "where it was said")
                               .field("role", &OutputPart::role, "by whom")
                               .field("lines", &OutputPart::lines, "how many it has")
                               .field("from_line", &OutputPart::from_line, "the first that stands here", kSparse)
                               .field("to_line", &OutputPart::to_line, "the last", kSparse)
                               .field("text", &OutputPart::text, "these lines", kSparse)
                               .field("matches", &OutputPart::matches, "lines that hold what was looked for", kSparse)
                               .field("more", &OutputPart::more, "such lines that were left out", kSparse);
  return made;
}

Result<OutputPart> read_output(Engine& engine, const RequestContext& request, const SessionId& session,
                               const ReadOutput& what) {
  WEFT_TRY(const StoredMessage found, find_message(engine, request, session, what.id));
  const auto lines = lines_of(found.message.content);
  if (what.from_line < 1 || what.from_line > std::max<std::size_t>(lines.size(), 1))
    return invalid_argument("from_line is " + std::to_string(what.from_line) + ", but the message has " +
                            std::to_string(lines.size()) + " lines");
  if (what.lines < 1) return invalid_argument("lines must be a whole number from 1 on");
  OutputPart out;
  out.id = found.message.id.str();
  out.session = found.session.str();
  out.role = found.message.role;
  out.lines = lines.size();
  if (what.find.empty())
    put_lines(lines, what, out);
  else
    put_matches(lines, what, out);
  return out;
}

}  // namespace weft
