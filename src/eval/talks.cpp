#include "eval/talks.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "eval/conversations.h"
#include "eval/json_lines.h"
#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kFewestTurns = 4;

void add_turn(LabelledDialogue& talk, const std::string& role, const std::string& text) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return;
  if (talk.turns.empty() && role == "assistant") return;
  const bool goes_on = !talk.turns.empty() && talk.turns.back().role == role && role != "unknown";
  if (goes_on)
    talk.turns.back().text += "\n" + text;
  else
    talk.turns.push_back({role, text});
}

void read_run(const Json& line, LabelledDialogue& talk) {
  for (const auto& message : line.at("messages")) {
    const std::string role = message.value("role", "");
    if ((role != "user" && role != "assistant") || !message.contains("content") || !message["content"].is_string())
      continue;
    add_turn(talk, role, message["content"].get<std::string>());
  }
}

/// What a line of a file holds. Lines with a context follow each other, each longer than the one before.
struct LineReader {
  TalkSource& source;
  LabelledDialogue open = {};  ///< of the lines with a context

  void read(const Json& line) {
    LabelledDialogue talk;
    talk.id = line.value("id", "");
    if (line.contains("messages")) {
      source.assisted = true;
      read_run(line, talk);
    } else if (line.contains("turns")) {
      for (const auto& turn : line.at("turns"))
        talk.turns.push_back({turn.value("role", "unknown"), turn.at("text").get<std::string>()});
    } else {
      for (const auto& text : line.at("context")) talk.turns.push_back({"unknown", text.get<std::string>()});
      talk.turns.push_back({"unknown", line.at("text").get<std::string>()});
      if (talk.turns.size() < open.turns.size()) finish();
      open = std::move(talk);
      return;
    }
    keep(std::move(talk));
  }

  void finish() {
    if (!open.turns.empty()) keep(std::move(open));
    open = {};
  }

  void keep(LabelledDialogue talk) {
    if (talk.turns.size() < kFewestTurns) return;
    talk.starts = {0};
    source.talks.push_back(std::move(talk));
  }
};

Status read_file(const std::string& path, TalkSource& source) {
  LineReader reader{source};
  const auto take = [&](const Json& json, std::size_t) {
    reader.read(json);
    return Status();
  };
  WEFT_CHECK(each_json_line(path, take, R"(a line needs "messages", "turns" or "context", "text")"));
  reader.finish();
  return {};
}

Status read_sessions(const std::string& path, TalkSource& source) {
  source.assisted = true;
  WEFT_TRY(const auto conversations, find_conversations(path, "talks"));
  for (const Conversation& conversation : conversations) {
    WEFT_TRY(const auto messages, read_messages(conversation));
    std::map<std::string, LabelledDialogue> sessions;
    std::vector<std::string> order;
    for (const SaidMessage& said : messages) {
      const bool user = said.message.role == Role::kUser;
      if (!user && said.message.role != Role::kAssistant) continue;
      const std::string session = said.session.str();
      if (!sessions.contains(session)) order.push_back(session);
      add_turn(sessions[session], user ? "user" : "assistant", said.message.content);
    }
    for (const std::string& session : order) {
      LabelledDialogue& talk = sessions[session];
      if (talk.turns.size() < kFewestTurns) continue;
      talk.id = conversation.stem + ":" + session;
      talk.starts = {0};
      source.talks.push_back(std::move(talk));
    }
  }
  return {};
}

bool is_chinese(const TalkSource& source) {
  std::size_t chinese = 0;
  for (const LabelledDialogue& talk : source.talks)
    chinese += language_of(talk.turns.front().text) == Language::kChinese ? 1 : 0;
  return 2 * chinese > source.talks.size();
}

void add_piece(const TalkSource& source, const LabelledDialogue& talk, const JoinShape& shape, Draw& draw,
               LabelledDialogue& joined) {
  std::size_t turns = draw.between(shape.least_turns, shape.most_turns);
  if (source.assisted) turns -= turns % 2;
  turns = std::min(turns, talk.turns.size());
  std::size_t from = draw.one_in(2) ? 0 : draw.below(talk.turns.size() - turns + 1);
  if (source.assisted) from -= from % 2;
  joined.starts.push_back(joined.turns.size());
  for (std::size_t i = from; i < from + turns; ++i) joined.turns.push_back(talk.turns[i]);
}

}  // namespace

Result<TalkSource> read_talks(const std::string& path) {
  namespace fs = std::filesystem;
  TalkSource source;
  fs::path name(path);
  if (!name.has_filename()) name = name.parent_path();
  source.name = name.stem().string();
  if (fs::is_regular_file(path))
    WEFT_CHECK(read_file(path, source));
  else
    WEFT_CHECK(read_sessions(path, source));
  if (source.talks.empty()) return invalid_argument(path + ": no conversation of four turns or more");
  source.chinese = is_chinese(source);
  return source;
}

LabelledDialogue join_talks(const std::vector<const TalkSource*>& sources, const JoinShape& shape, Draw& draw) {
  LabelledDialogue joined;
  std::set<const LabelledDialogue*> used;
  const std::size_t pieces = draw.between(shape.least_talks, shape.most_talks);
  std::size_t there = 0;
  for (const TalkSource* source : sources) there += source->talks.size();
  while (used.size() < std::min(pieces, there)) {
    const TalkSource& source = *sources[draw.below(sources.size())];
    const LabelledDialogue& talk = source.talks[draw.below(source.talks.size())];
    if (used.insert(&talk).second) add_piece(source, talk, shape, draw, joined);
  }
  return joined;
}

}  // namespace weft
