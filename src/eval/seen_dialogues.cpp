#include "eval/seen_dialogues.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/log.h"
#include "eval/conversations.h"
#include "eval/json_lines.h"
#include "flow/stream/topic_shift.h"
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

namespace {

/// Of `SegmentFeatureOptions::joins`: meetings are long, and talks come from several sources.
constexpr double kJoinsOfMeetings = 0.4, kJoinsOfTalks = 8.0 / 15, kJoinsAcross = 0.4;
constexpr std::size_t kLongDialogue = 60;  // turns; longer ones are meetings
constexpr std::size_t kUncutTalks = 100;

class Watcher {
 public:
  Watcher(Embedder& embedder, const Similarity& similarity) : embedder_(embedder), similarity_(similarity) {}

  Result<SeenDialogue> watch(const LabelledDialogue& dialogue) {
    SeenDialogue seen;
    seen.starts = dialogue.starts;
    TopicTrace trace;
    const bool roles = std::any_of(dialogue.turns.begin(), dialogue.turns.end(),
                                   [](const LabelledTurn& turn) { return turn.role == "user"; });
    for (std::size_t i = 0; i < dialogue.turns.size(); ++i) {
      const LabelledTurn& said = dialogue.turns[i];
      Vector vector;
      if (const auto piece = shift_piece(said.text); !piece.empty()) {
        auto made = embedder_.embed(piece, EmbedUse::kCompare, Deadline());
        if (!made.ok() && made.error().code != ErrorCode::kInvalidArgument) return made.error();
        if (made.ok()) vector = std::move(made).value();
      }
      const ShiftTurn turn{said.text, vector, {}};
      seen.signals.push_back(i == 0 ? std::vector<double>() : trace.signals(turn, similarity_));
      seen.question.push_back(roles ? said.role == "user" : i % 2 == 0);
      trace.take(turn, similarity_);
    }
    return seen;
  }

  Result<SeenGroup> watch(const std::string& family, const std::string& kind,
                          const std::vector<LabelledDialogue>& all) {
    log_info("eval.fit", family + ", " + kind + ": " + std::to_string(all.size()) + " dialogues");
    SeenGroup group{family, kind, true, {}};
    for (const LabelledDialogue& dialogue : all) {
      WEFT_TRY(auto seen, watch(dialogue));
      group.dialogues.push_back(std::move(seen));
    }
    return group;
  }

 private:
  Embedder& embedder_;
  const Similarity& similarity_;
};

/// What talks of a language are called as a family.
std::string family_of(const TalkSource& source) { return source.chinese ? "talks_zh" : "talks_en"; }

std::vector<LabelledDialogue> spread(std::vector<LabelledDialogue> all, const SegmentFeatureOptions& options) {
  const std::size_t step = std::max<std::size_t>(1, (all.size() + options.dialogues - 1) / options.dialogues);
  std::vector<LabelledDialogue> kept;
  std::size_t turns = 0;
  for (std::size_t i = 0; i < all.size() && turns < options.turns; i += step) {
    turns += all[i].turns.size();
    kept.push_back(std::move(all[i]));
  }
  return kept;
}

Result<std::map<std::string, std::vector<LabelledDialogue>>> read_labelled(const SegmentFeatureOptions& options) {
  std::map<std::string, std::vector<LabelledDialogue>> families;
  for (const std::string& path : options.labelled) {
    WEFT_TRY(auto dialogues, read_labelled_dialogues(path));
    const std::string name = std::filesystem::path(path).stem().string();
    auto& family = families[name.substr(0, name.find('_'))];
    family.insert(family.end(), std::make_move_iterator(dialogues.begin()), std::make_move_iterator(dialogues.end()));
  }
  for (auto& [name, family] : families) family = spread(std::move(family), options);
  return families;
}

std::vector<LabelledDialogue> joined(const std::vector<const TalkSource*>& sources, const JoinShape& shape,
                                     std::size_t count, std::uint64_t seed) {
  std::vector<LabelledDialogue> all;
  if (sources.empty()) return all;
  Draw draw(seed);
  while (all.size() < count) all.push_back(join_talks(sources, shape, draw));
  return all;
}

/// Everything that is watched: labelled dialogues, joined ones that are measured or learned from, pieces joined without
/// labels, and talks that have no border.
class Gathering {
 public:
  Gathering(const SegmentFeatureOptions& options, Watcher& watcher) : options_(options), watcher_(watcher) {}

  Result<std::vector<SeenGroup>> gather() {
    WEFT_TRY(auto families, read_labelled(options_));
    for (auto& [name, dialogues] : families) {
      WEFT_CHECK(add(name, "labelled", dialogues, true));
      TalkSource source{name, false, false, {}};
      std::size_t turns = 0;
      for (const auto& dialogue : dialogues) turns += dialogue.turns.size();
      const bool meetings = turns > kLongDialogue * dialogues.size();
      source.talks = std::move(dialogues);
      WEFT_CHECK(add(name, "joined", joined({&source}, kPieces, joins(meetings ? kJoinsOfMeetings : 1), 1), true));
    }
    for (const std::string& path : options_.talks) {
      WEFT_TRY(auto source, read_talks(path));
      sources_.push_back(std::make_unique<TalkSource>(std::move(source)));
      WEFT_CHECK(add_source(*sources_.back()));
    }
    for (const bool chinese : {false, true}) WEFT_CHECK(add_talks(chinese));
    for (const std::string& path : options_.uncut) {
      WEFT_TRY(const auto source, read_talks(path));
      WEFT_CHECK(add_uncut(source));
    }
    return std::move(groups_);
  }

 private:
  static constexpr JoinShape kPieces{3, 7, 2, 12}, kTalks{3, 6, 4, 12};

  std::size_t joins(double share) const {
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(options_.joins)));
  }

  bool kept_out(const std::string& name) const {
    return std::find(options_.keep_out.begin(), options_.keep_out.end(), name) != options_.keep_out.end();
  }

  Status add(const std::string& family, const std::string& kind, const std::vector<LabelledDialogue>& dialogues,
             bool fits) {
    if (dialogues.empty()) return {};
    WEFT_TRY(auto group, watcher_.watch(family, kind, dialogues));
    group.fits = fits;
    groups_.push_back(std::move(group));
    return {};
  }

  Status add_source(const TalkSource& source) {
    const std::string family = source.assisted ? family_of(source) : source.name;
    if (!kept_out(source.name))
      WEFT_CHECK(add(family, "joined " + source.name,
                     joined({&source}, kPieces, joins(source.assisted ? kJoinsOfTalks : 1), 2), true));
    return add_uncut(source);
  }

  Status add_uncut(const TalkSource& source) {
    auto uncut = source.talks;
    if (uncut.size() > kUncutTalks) uncut.resize(kUncutTalks);
    return add("uncut " + source.name, "uncut", uncut, false);
  }

  Status add_talks(bool chinese) {
    std::vector<const TalkSource*> all, allowed;
    for (const auto& source : sources_) {
      if (!source->assisted || source->chinese != chinese) continue;
      all.push_back(source.get());
      if (!kept_out(source->name)) allowed.push_back(source.get());
    }
    if (all.empty()) return {};
    const std::string family = family_of(*all.front());
    WEFT_CHECK(add(family, "measured", joined(all, kTalks, options_.joined_talks, 3), false));
    WEFT_CHECK(add(family, "labelled", joined(allowed, kTalks, options_.joined_talks, 4), true));
    return add(family, "joined across", joined(allowed, kPieces, joins(kJoinsAcross), 5), true);
  }

  const SegmentFeatureOptions& options_;
  Watcher& watcher_;
  std::vector<std::unique_ptr<TalkSource>> sources_;
  std::vector<SeenGroup> groups_;
};

}  // namespace

Result<std::vector<SeenGroup>> gather_dialogues(const SegmentFeatureOptions& options, Embedder& embedder,
                                                const Similarity& similarity) {
  Watcher watcher(embedder, similarity);
  return Gathering(options, watcher).gather();
}

}  // namespace weft
