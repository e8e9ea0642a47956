// The services that an erasure calls: they stop writing, remove what they have stored and forget what is in memory.
#include "base/guarded.h"
#include "engine/engine_core.h"
#include "engine/eraser.h"
#include "flow/recall/item_words.h"
#include "ports/files/answer_files.h"
#include "ports/files/kept_responses.h"

namespace weft {
namespace {

// Responses that are kept for clients which ask for them again.
Status erase_responses(const std::string& workspace, const ErasedMessages& gone) {
  const auto goes = [&](const KeptResponse& one, std::string_view text) {
    return gone.has(SessionId(one.session), one.id) || (gone.before && one.made < *gone.before) || gone.repeats(text);
  };
  const auto removed = KeptResponses(workspace).remove_if(gone.scope, goes);
  return removed.ok() ? Status() : Status(removed.error());
}

// Answers that are kept for calls which are sent again.
Status erase_answers(const std::string& workspace, const ErasedMessages& gone) {
  const auto forgotten = AnswerFiles(workspace).forget(gone.scope, gone.repeats);
  return forgotten.ok() ? Status() : Status(forgotten.error());
}

}  // namespace

Status Eraser::hold(const ScopeKey& scope, const EraseRequest& what) {
  const Status replays = with_.replays.hold(scope);
  const Status runs = with_.runs.hold(scope, what);
  return replays.ok() ? runs : replays;
}

void Eraser::let_go(const ScopeKey& scope) {
  guarded_or_logged("erase.let_go", [&] { with_.runs.let_go(scope); });
  with_.replays.let_go(scope);
}

// Questions before lessons: both name the runs that they are of.
Status Eraser::erase_made(const ErasedMessages& gone) {
  WEFT_CHECK(with_.diaries.erase(gone));
  WEFT_CHECK(with_.knowledge.erase(gone));
  with_.talk_gaps.erase(gone);
  WEFT_CHECK(with_.adaptation.erase(gone));
  WEFT_CHECK(with_.desk.erase(gone, with_.runs.questions_of(gone)));
  WEFT_CHECK(with_.lessons.erase(gone));
  WEFT_CHECK(with_.replays.erase(gone));
  WEFT_CHECK(with_.runs.erase(gone));
  WEFT_CHECK(with_.researches.erase(gone));
  WEFT_CHECK(core_.usage->erase(gone));
  WEFT_CHECK(erase_responses(core_.config.workspace, gone));
  return erase_answers(core_.config.workspace, gone);
}

void Eraser::forget(const ScopeKey& scope) {
  core_.forget(scope);
  with_.states.shelf().forget(scope);
  with_.compactions.forget(scope);
  with_.planner.forget();
  with_.searcher.forget();
  forget_item_words();
  with_.curations.forget(scope);
  with_.session_compactions.forget();
  if (with_.leads != nullptr) with_.leads->forget();
}

}  // namespace weft
