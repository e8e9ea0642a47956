#include "engine/flush_append.h"

#include <algorithm>

#include "engine/engine_core.h"
#include "flow/historian/members.h"
#include "flow/historian/queued_jobs.h"
#include "text/words.h"

namespace weft {
namespace {

std::string section_of(const EndJob& found, bool chinese) {
  if (found.attribute == "user_preference") return chinese ? "偏好" : "Preferences";
  if (found.attribute == "long_term_goal") return chinese ? "目标" : "Goals";
  if (found.attribute == "safety_boundary") return chinese ? "界限" : "Limits";
  return chinese ? "事实" : "Facts";
}

// An entry is one line; in a group it says who said it.
std::string text_of(const EndJob& found) {
  std::string text = found.new_info;
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (found.group_id.empty() || found.sender_name.empty()) return text;
  return found.sender_name + (language_of(text) == Language::kChinese ? "：" : ": ") + text;
}

}  // namespace

Status FlushAppend::work_off(const Job& job) {
  WEFT_TRY(EndJob found, read_end_job(job));
  const auto pass = core_.erasure_gate.work(found.scope);
  WEFT_TRY(const bool there, core_.store->jobs().contains(job.id));
  if (!there) return {};  // erased while it waited for the pass
  WEFT_TRY(const bool done, end_is_done(*core_.store, job.id));
  if (done) return {};
  KnowledgeEntry entry;
  entry.section = section_of(found, language_of(found.new_info) == Language::kChinese);
  WEFT_TRY(const Members members, Members::read(*core_.store, found.scope));
  found.sender_name = members.label(found.sender_id, found.sender_name);
  entry.text = text_of(found);
  entry.date = format_date(found.time);
  if (!found.message_ids.empty()) entry.source = found.session.str() + "/" + found.message_ids.front().str();
  WriteBatch batch;
  batch.marks = {done_mark(job.id)};
  batch.finished_jobs = {{job.id, job.attempts}};
  const auto added = knowledge_.add(found.scope, entry, std::move(batch));
  return added.ok() ? Status() : Status(added.error());
}

}  // namespace weft
