// A bot in a group and in private talks: both memories stay apart, and people read, edit and roll back what the bot
// keeps about them.
#include <weft/weft.h>

#include <cstdio>
#include <filesystem>
#include <string>

namespace {

bool mentions(const weft::SearchResult& found, const std::string& word) {
  for (const weft::Hit& hit : found.hits) {
    if (hit.item.text.find(word) != std::string::npos) return true;
  }
  return false;
}

weft::Status run(const std::string& workspace) {
  weft::Config config;
  config.workspace = workspace;
  WEFT_TRY(const auto engine, weft::Engine::open(config));
  const auto ann = weft::Scope::of_user("ann");
  const auto hikers = weft::Scope::of_group("hikers", "ann");

  // The same person speaks in both. What she says in private is nobody else's.
  WEFT_TRY(const auto said, engine->session(hikers, "group")
                                .observe({
                                    weft::Message::user("I bring the tent on Saturday.", "Ann"),
                                    weft::Message::user("Then I bring the stove.", "Bo"),
                                }));
  WEFT_TRY(const auto told, engine->session(ann, "private")
                                .observe(weft::Message::user("Do not tell them: I am planning a surprise for Bo.")));
  WEFT_TRY(const auto in_group, engine->memory(hikers).search("What is planned for Bo?"));
  WEFT_TRY(const auto in_private, engine->memory(ann).search("What is planned for Bo?"));
  std::printf("the surprise: group %s, private %s\n", mentions(in_group, "surprise") ? "knows" : "does not know",
              mentions(in_private, "surprise") ? "knows" : "does not know");
  if (mentions(in_group, "surprise") || !mentions(in_private, "surprise")) return weft::internal("memories are mixed");

  // An agent ends its turn; the event is queued durably, and the historian takes it in.
  weft::EndRequest end;
  end.action_summary = "Noted in the group's list who brings what on Saturday.";
  end.sender_id = "ann";
  WEFT_TRY(const auto ended, engine->session(hikers, "group").end(end));
  WEFT_CHECK(engine->drain(std::chrono::seconds(60)));
  WEFT_TRY(const auto events, engine->memory(hikers).items(weft::ItemKind::kEvent));
  for (const weft::Item& event : events) std::printf("event: %s\n", event.text.c_str());

  // A profile is a file that people edit. Each change keeps what stood there before.
  const weft::ScopeProfiles profile = engine->profiles(ann);
  WEFT_TRY(const auto first, profile.write("Vegetarian. Likes long walks.\n"));
  WEFT_TRY(const auto second, profile.write("Vegan. Likes long walks.\n"));
  WEFT_TRY(const auto versions, profile.history());
  WEFT_TRY(const auto back, profile.roll_back(versions.back().version));
  std::printf("profile: %s  became: %s  rolled back: %s", first.body.c_str(), second.body.c_str(), back.body.c_str());
  return back.body == first.body && !events.empty() ? weft::Status() : weft::internal("the profile is another one");
}

}  // namespace

int main() {
  const auto folder = std::filesystem::temp_directory_path() / "weft-example-group-bot";
  std::filesystem::remove_all(folder);
  const weft::Status done = run(folder.string());
  if (!done.ok()) std::fprintf(stderr, "%s | %s\n", done.error().message.c_str(), done.error().hint.c_str());
  std::filesystem::remove_all(folder);
  return done.ok() ? 0 : 1;
}
