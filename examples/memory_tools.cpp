// What the memory tools of `weft mcp` do, as calls: remember, search, show the original, forget.
#include <weft/weft.h>

#include <cstdio>
#include <filesystem>
#include <string>

namespace {

weft::Status show(const weft::Memory& memory, const std::string& query) {
  WEFT_TRY(const auto found, memory.search(query, 3));
  std::printf("\n? %s  (%s)\n", query.c_str(), found.known ? "known" : "nothing is remembered of it");
  for (const weft::Hit& hit : found.hits) {
    std::printf("  %.2f  %s  %s\n", hit.relevance, weft::format_date(hit.item.time).c_str(), hit.item.text.c_str());
  }
  return {};
}

weft::Status run(const std::string& workspace) {
  weft::Config config;
  config.workspace = workspace;
  WEFT_TRY(const auto engine, weft::Engine::open(config));
  const auto ann = weft::Scope::of_user("ann");
  const weft::Session notes = engine->session(ann, "notes");
  const weft::Memory memory = engine->memory(ann);

  for (const char* note :
       {"The build server of the team is called heron and runs Debian.",
        "The password hint of the router is the name of my first cat.", "每周三下午三点和设计组开会。"}) {
    WEFT_TRY(const auto kept, notes.observe(weft::Message::user(note)));
  }
  WEFT_CHECK(show(memory, "What is the build server called?"));
  WEFT_CHECK(show(memory, "设计组什么时候开会？"));

  WEFT_TRY(const auto before, memory.search("router password hint", 1));
  if (before.hits.empty()) return weft::internal("the note was not found");
  weft::EraseRequest what;
  what.messages = before.hits.front().item.sources;
  WEFT_TRY(const auto originals, memory.originals(what.messages));
  std::printf("\nforget \"%s\"\n", originals.front().message.content.c_str());
  WEFT_TRY(const auto receipt, memory.erase(what));
  std::printf("  receipt %s: %zu message, %zu traces left in %zu files\n", receipt.id.c_str(), receipt.messages,
              receipt.traces_found, receipt.files_searched);

  WEFT_TRY(const auto after, memory.originals(what.messages));
  const auto nobody = engine->memory(weft::Scope::of_user("")).search("anything");  // no such user: an error value
  std::printf("\na search of user \"\": %s\n", nobody.error().message.c_str());
  return after.empty() && receipt.traces_found == 0 ? weft::Status() : weft::internal("it is still there");
}

}  // namespace

int main() {
  const auto folder = std::filesystem::temp_directory_path() / "weft-example-memory-tools";
  std::filesystem::remove_all(folder);
  const weft::Status done = run(folder.string());
  if (!done.ok()) std::fprintf(stderr, "%s | %s\n", done.error().message.c_str(), done.error().hint.c_str());
  std::filesystem::remove_all(folder);
  return done.ok() ? 0 : 1;
}
