#include "surface/doctor/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/settings_table.h"
#include "engine/embedder_file.h"

namespace weft::doctor {
namespace {

constexpr std::size_t kNamed = 5;  // faults and scopes that a finding names
constexpr const char* kRepair = "`weft doctor --repair` makes it anew; messages and memories stay as they are";

void look_at_faults(const std::vector<std::string>& faults, const std::string& file, Report& report) {
  if (faults.empty()) return report.ok("store", "every page and index of the store is sound", file);
  std::string named;
  for (std::size_t i = 0; i < faults.size() && i < kNamed; ++i) named += (i == 0 ? "" : "; ") + faults[i];
  report.wrong("store", fmt::format("{} faults in the store: {}", faults.size(), named), file,
               "`weft doctor --repair` makes the store's own indexes anew; what it cannot mend is in the rows: stop "
               "everything and `weft restore` a backup");
}

// What is wrong on a shelf, in words.
std::string faults_of(const ShelfCheck& shelf) {
  const std::pair<std::size_t, const char*> all[] = {
      {shelf.wrong_words, "stand under other words than their text has"},
      {shelf.wrong_vectors, "have a vector of another model, of another length or of none"},
      {shelf.missing, "messages cannot be found"},
      {shelf.unlike_memory, "differ between memory and disk"}};
  std::string told;
  for (const auto& [count, what] : all)
    if (count > 0) told += fmt::format("{}{} {}", told.empty() ? "" : ", ", count, what);
  return told;
}

void look_at_shelf(const ShelfCheck& shelf, bool mended, Report& report) {
  const std::string where = shelf.scope.str() + " " + std::string(to_string(shelf.kind));
  if (const std::string told = faults_of(shelf); !told.empty()) {
    if (mended)
      report.ok("index", "made anew: " + told, where);
    else
      report.wrong("index", fmt::format("of {} entries {}", shelf.rows, told), where, kRepair);
  }
  if (shelf.loose > 0)
    report.wrong("index", fmt::format("{} entries are of messages that are not there", shelf.loose), where,
                 "rows of messages are gone: `weft restore` a backup, or erase what is left of that session");
}

void look_at_sample(const IndexCheck& found, bool mended, const std::string& model, Report& report) {
  if (found.sampled == 0) return;
  const std::string told =
      fmt::format("{} of {} vectors that were made again came out otherwise", found.strange, found.sampled);
  if (found.strange == 0)
    report.ok("vectors", fmt::format("{} that were made again are the same", found.sampled), model);
  else if (!found.other_model())
    report.look("vectors", told, model, "make the index anew if searches by meaning are poor: `weft doctor --repair`");
  else if (mended)
    report.ok("vectors", told + ": the file of the model is another one than before; all are made again", model);
  else
    report.wrong("vectors", told + ": another model had this name", model,
                 "`weft doctor --repair` makes all vectors again; or put the former file back");
}

void tell_sound(const IndexCheck& found, Report& report) {
  std::map<std::string, std::size_t> rows;
  std::size_t waiting = 0, vectors = 0;
  for (const ShelfCheck& shelf : found.shelves) {
    rows[std::string(to_string(shelf.kind))] += shelf.rows;
    waiting += shelf.waiting, vectors += shelf.vectors;
  }
  std::string told;
  for (const auto& [kind, count] : rows) told += fmt::format("{}{} {}", told.empty() ? "" : ", ", count, kind);
  report.ok("index", told.empty() ? "nothing is kept yet"
                                  : fmt::format("agrees with what it was made from: {}; {} vectors, {} wait for one",
                                                told, vectors, waiting));
}

}  // namespace

void look_at_models(Engine& engine, Report& report) {
  const EngineStatus status = engine.status();
  if (status.embedder_state == "none")
    report.ok("embedder", "none, as it is configured: words alone are searched");
  else if (status.embedder_state == "ready")
    report.ok("embedder", "loaded and at work", status.embedder);
  else if (status.embedder_state == "loading")
    report.look("embedder", "is still being loaded", status.embedder,
                "look again with more --patience; until then words alone are searched");
  else
    report.look("embedder", status.embedder_state, status.embedder,
                embedder_advice() + "; until then words alone are searched");
  if (!status.next_embedder.empty())
    report.ok("embedder",
              fmt::format("is changing to {}: {} of {} items, {}", status.next_embedder, status.next_done,
                          status.next_all, status.next_embedder_state),
              status.embedder);
  report.ok("chat",
            status.chat == "none" ? "no chat model: every task has a way without one" : "chat model " + status.chat);
  report.ok("tokens", "token counts: " + status.token_mode);
}

void look_at_health(const EngineStatus& status, Report& report) {
  static constexpr std::array<std::string_view, 2> kElsewhere = {"disk", "embedder"};
  for (const Problem& problem : status.problems) {
    if (std::find(kElsewhere.begin(), kElsewhere.end(), problem.code) != kElsewhere.end()) continue;
    report.findings.push_back(
        {problem.code, problem.failing ? Grade::kWrong : Grade::kLook, problem.what, {}, problem.advice});
  }
  report.ok("queue", fmt::format("{} jobs pending, {} failed", status.queue.pending, status.queue.failed));
  report.ok("kept", fmt::format("{} messages, {} items, {} waiting for a vector", status.messages, status.items,
                                status.unembedded));
}

void look_at_index(EngineImpl& engine, bool mend, Report& report) {
  const Config& config = engine.config();
  const std::string file = config.store.empty() ? config.workspace + "/weft.db" : without_password(config.store);
  const auto found = engine.check_index(mend);
  if (!found.ok()) return report.wrong("index", found.error(), file);
  if (config.store.starts_with("postgres"))
    report.ok("store", "in PostgreSQL, which looks after its own files", file);
  else
    look_at_faults(found->faults, file, report);
  const std::size_t before = report.findings.size();
  for (const ShelfCheck& shelf : found->shelves) look_at_shelf(shelf, mend, report);
  if (report.findings.size() == before) tell_sound(*found, report);
  look_at_sample(*found, mend, embedder_name(engine.config()), report);
  if (mend && found->mended > 0) report.ok("repair", fmt::format("{} entries were made anew", found->mended));
}

}  // namespace weft::doctor
