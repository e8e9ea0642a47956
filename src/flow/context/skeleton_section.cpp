// The first stream of a planned prompt: state, quests and guidance. Told anew at each turn they would change the
// history behind them each time; told once, where the turn stood, they stay, and later turns say what has changed
// since.
#include <algorithm>

#include "flow/context/assembly.h"
#include "flow/context/skeleton.h"

namespace weft {
namespace {

// The turn that begins with this message of the history, where it is sent as it was said.
std::optional<std::size_t> turn_at(const Assembly& assembly, std::size_t place) {
  if (place >= assembly.input.history.size()) return std::nullopt;
  const HistoryMessage* const wanted = &assembly.input.history[place];
  for (std::size_t i = 0; i < assembly.turns.size(); ++i)
    if (assembly.turns[i].messages.front() == wanted) return i;
  return std::nullopt;
}

ReportSection& section_of(Assembly& assembly) {
  return *std::find_if(assembly.report.sections.begin(), assembly.report.sections.end(),
                       [](const ReportSection& one) { return one.name == "skeleton"; });
}

void report(Assembly& assembly, const Piece& piece, bool kept, const char* why) {
  report_item(section_of(assembly), "skeleton", "skeleton", 0, piece.tokens, kept, why, piece.text);
}

bool stay_where_it_stood(Assembly& assembly, std::int64_t room) {
  const auto& earlier = assembly.input.earlier_skeleton;
  if (!earlier || assembly.input.layout == PromptLayout::kSpec) return false;
  const auto turn = turn_at(assembly, earlier->place);
  if (!turn || (*turn == assembly.input_turn() && !is_at_work(assembly))) return false;
  auto change = skeleton_change(earlier->text, assembly.input.skeleton);
  if (!change) return false;
  Piece stays = assembly.piece("skeleton", earlier->text), told = assembly.piece("skeleton", std::move(*change));
  if (stays.tokens + told.tokens > room) return false;
  report(assembly, stays, true, "stays where it stood");
  if (!told.empty()) report(assembly, told, true, "changed since it was told");
  assembly.earlier_skeleton = {earlier->place, *turn, std::move(stays)};
  assembly.skeleton = std::move(told);
  return true;
}

// Whole where it fits; else what matters most of it.
void tell_in_full(Assembly& assembly, std::int64_t room) {
  Piece skeleton = assembly.piece("skeleton", assembly.input.skeleton);
  const char* why = "state as it stands";
  if (skeleton.tokens > room && assembly.ports.shorter_skeleton) {
    // A message of its own takes a few tokens more than its text.
    const std::int64_t around = skeleton.tokens - assembly.count(skeleton.text);
    skeleton = assembly.piece("skeleton", assembly.ports.shorter_skeleton(std::max<std::int64_t>(1, room - around)));
    why = "the state shortened to what matters now";
  }
  const bool keep = skeleton.tokens <= assembly.room() && !skeleton.text.empty();
  report(assembly, skeleton, keep, keep ? why : "over budget");
  if (keep) assembly.skeleton = std::move(skeleton);
}

std::int64_t room_for_skeleton(const Assembly& assembly) {
  return std::min(assembly.budget.of(assembly.ports.config.story.state_share), assembly.room());
}

}  // namespace

void add_skeleton(Assembly& assembly) {
  assembly.notice = assembly.piece("skeleton", assembly.input.notice);
  if (assembly.input.skeleton.empty()) return;
  const std::int64_t room = room_for_skeleton(assembly);
  start_section(assembly, "skeleton", room, assembly.ports.config.story.state_share);
  if (!stay_where_it_stood(assembly, room)) tell_in_full(assembly, room);
}

void settle_skeleton(Assembly& assembly) {
  if (!assembly.earlier_skeleton || assembly.is_sent(assembly.earlier_skeleton->turn)) return;
  assembly.earlier_skeleton.reset();
  assembly.skeleton = Piece();
  section_of(assembly).tokens = 0;
  section_of(assembly).items.clear();
  tell_in_full(assembly, room_for_skeleton(assembly));
}

bool drop_skeleton(Assembly& assembly) {
  if (assembly.skeleton.empty() && !assembly.earlier_skeleton) return false;
  const Piece& whole = assembly.earlier_skeleton ? assembly.earlier_skeleton->piece : assembly.skeleton;
  report_item(assembly, "skeleton", "skeleton", 0, whole.tokens, false, "trimmed at the end", whole.text);
  assembly.skeleton = Piece();
  assembly.earlier_skeleton.reset();
  return true;
}

std::optional<StandingSkeleton> standing_skeleton(const Assembly& assembly) {
  if (assembly.input.layout == PromptLayout::kSpec) return std::nullopt;
  if (const auto& earlier = assembly.earlier_skeleton) return StandingSkeleton{earlier->place, earlier->piece.text};
  // At the end of a turn in progress it stands before no message of the user.
  if (assembly.skeleton.empty() || is_at_work(assembly) || assembly.turns.empty()) return std::nullopt;
  const HistoryMessage* const first = assembly.turns[assembly.input_turn()].messages.front();
  if (first->message.role != Role::kUser) return std::nullopt;
  return StandingSkeleton{static_cast<std::size_t>(first - assembly.input.history.data()), assembly.skeleton.text};
}

bool is_at_work(const Assembly& assembly) {
  return !assembly.input.history.empty() && assembly.input.history.back().message.role != Role::kUser;
}

}  // namespace weft
