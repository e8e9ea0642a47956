#include "surface/api/read_output.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "text/json.h"
#include "text/utf8.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostLines = 2000, kMostMatches = 200;
constexpr std::size_t kMostBytes = 64 * 1024;  // of one answer; the next lines are asked for again

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

Result<StoredMessage> find_message(Engine& engine, const RequestContext& request, const SessionId& session,
                                   const std::string& id) {
  if (id.empty()) return invalid_argument("\"id\" is missing", "give the id that the shortened output names");
  const MessageId wanted(id);
  WEFT_TRY(auto found, engine.originals(request, std::span(&wanted, 1)));
  if (found.empty())
    return not_found("there is no message \"" + id.substr(0, 80) + "\"", "ids stand in shortened outputs");
  const auto own =
      std::find_if(found.begin(), found.end(), [&session](const StoredMessage& one) { return one.session == session; });
  return std::move(own == found.end() ? found.back() : *own);
}

void put_matches(const std::vector<std::string_view>& lines, const ReadOutput& what, Json& out) {
  out["matches"] = Json::array();
  std::size_t bytes = 0, more = 0;
  for (std::size_t i = what.from_line - 1; i < lines.size(); ++i) {
    if (lines[i].find(what.find) == std::string_view::npos) continue;
    if (out["matches"].size() >= kMostMatches || bytes > kMostBytes) {
      ++more;
      continue;
    }
    bytes += lines[i].size();
    out["matches"].push_back({{"line", i + 1}, {"text", std::string(cut_bytes(lines[i], kMostBytes))}});
  }
  if (more > 0) out["more"] = more;
}

void put_lines(const std::vector<std::string_view>& lines, const ReadOutput& what, Json& out) {
  std::string text;
  std::size_t at = what.from_line - 1;
  const std::size_t end = std::min(lines.size(), at + std::min(what.lines, kMostLines));
  for (; at < end && (text.empty() || text.size() + lines[at].size() < kMostBytes); ++at) {
    if (at + 1 > what.from_line) text += '\n';
    text += lines[at];
  }
  out["from_line"] = what.from_line;
  out["to_line"] = at;
  out["text"] = std::move(text);
}

}  // namespace

Result<std::string> read_output(Engine& engine, const RequestContext& request, const SessionId& session,
                                const ReadOutput& what) {
  WEFT_TRY(const StoredMessage found, find_message(engine, request, session, what.id));
  const auto lines = lines_of(found.message.content);
  if (what.from_line < 1 || what.from_line > std::max<std::size_t>(lines.size(), 1))
    return invalid_argument("from_line is " + std::to_string(what.from_line) + ", but the message has " +
                            std::to_string(lines.size()) + " lines");
  if (what.lines < 1) return invalid_argument("lines must be a whole number from 1 on");
  Json out = {{"id", found.message.id.str()},
              {"session", found.session.str()},
              {"role", to_string(found.message.role)},
              {"lines", lines.size()}};
  if (what.find.empty())
    put_lines(lines, what, out);
  else
    put_matches(lines, what, out);
  return write_json(out);
}

}  // namespace weft
