// The operator of a workspace: settings that are checked, health, the queue, a backup that is put back, one user's
// export.
#include <weft/weft.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>

namespace {

using std::chrono::seconds;

weft::Status fill_and_back_up(const weft::Config& config, const std::string& backup) {
  WEFT_TRY(const auto engine, weft::Engine::open(config));
  const auto ann = weft::Scope::of_user("ann");
  const weft::Session session = engine->session(ann, "today");
  WEFT_TRY(const auto said, session.observe({weft::Message::user("Our server room moves to Leiden in May."),
                                             weft::Message::assistant("Noted.")}));
  WEFT_TRY(const auto saved, session.save());
  const weft::Upkeep upkeep = engine->upkeep();
  WEFT_TRY(const auto jobs, upkeep.jobs());
  std::printf("queue: %zu waiting or failed\n", jobs.size());
  WEFT_CHECK(engine->drain(seconds(60)));

  const weft::EngineStatus status = engine->status();
  std::printf("health: %s, %llu messages, %llu items, %llu jobs done\n", std::string(status.health()).c_str(),
              static_cast<unsigned long long>(status.messages), static_cast<unsigned long long>(status.items),
              static_cast<unsigned long long>(status.queue.done));
  for (const weft::Problem& problem : status.problems) {
    std::printf("  %s: %s | %s\n", problem.code.c_str(), problem.what.c_str(), problem.advice.c_str());
  }
  WEFT_TRY(const auto report, upkeep.backup(backup));
  std::printf("backup: %zu files, %llu bytes\n", report.files, static_cast<unsigned long long>(report.bytes));
  return {};
}

weft::Status run(const std::string& folder) {
  weft::Config config;
  config.workspace = folder + "/live";
  config.context.output_share = 1.5;
  const auto refused = weft::Engine::open(config);
  std::printf("a wrong setting: %s | %s\n", refused.error().message.c_str(), refused.error().hint.c_str());
  config.context.output_share = weft::Config().context.output_share;

  WEFT_CHECK(fill_and_back_up(config, folder + "/backup"));
  config.workspace = folder + "/restored";
  WEFT_TRY(const auto restored, weft::restore_backup(folder + "/backup", config.workspace));
  WEFT_TRY(const auto engine, weft::Engine::open(config));
  std::size_t lines = 0;
  WEFT_CHECK(engine->memory(weft::Scope::of_user("ann")).export_to([&](std::string_view line) -> weft::Status {
    if (lines++ < 3) std::printf("export: %.100s\n", std::string(line).c_str());
    return {};
  }));
  const std::string metrics = engine->upkeep().metrics_text();
  std::printf("%zu lines exported; metrics begin: %s\n", lines, metrics.substr(0, metrics.find('\n')).c_str());
  return lines > 0 && !metrics.empty() ? weft::Status() : weft::internal("nothing came back");
}

}  // namespace

int main() {
  const auto folder = std::filesystem::temp_directory_path() / "weft-example-operator";
  std::filesystem::remove_all(folder);
  const weft::Status done = run(folder.string());
  if (!done.ok()) std::fprintf(stderr, "%s | %s\n", done.error().message.c_str(), done.error().hint.c_str());
  std::filesystem::remove_all(folder);
  return done.ok() ? 0 : 1;
}
