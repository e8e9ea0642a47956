// A chat loop that remembers: before each model call Weft weaves the prompt, after it the turn is observed. The model
// here is a function that answers from its prompt; put a call of your own in its place.
#include <weft/weft.h>

#include <cstdio>
#include <filesystem>
#include <string>

namespace {

// Stands for the model: it can tell only what its prompt holds.
std::string answer(const std::vector<weft::Message>& prompt) {
  for (const weft::Message& message : prompt) {
    if (message.content.find("Utrecht") != std::string::npos) return "She lives in Utrecht.";
  }
  return "I do not know yet; tell me.";
}

weft::Status talk(const weft::Session& session, const std::string& input) {
  WEFT_TRY(const weft::WovenContext woven, session.context(input));
  const std::string reply = answer(woven.messages);
  std::printf("%s> %s\n      %s  (%zu messages, %lld tokens of prompt)\n", session.id().str().c_str(), input.c_str(),
              reply.c_str(), woven.messages.size(), static_cast<long long>(woven.report.tokens));
  WEFT_TRY(const auto kept, session.observe({weft::Message::user(input), weft::Message::assistant(reply)}));
  return kept.observations.size() == 2 ? weft::Status() : weft::internal("a message was not kept");
}

weft::Status run(const std::string& workspace) {
  weft::Config config;
  config.workspace = workspace;
  WEFT_TRY(const auto engine, weft::Engine::open(config));
  const auto ann = weft::Scope::of_user("ann");  // were the id wrong, the first call would say so

  WEFT_CHECK(talk(engine->session(ann, "monday"), "Where does my sister Mei live?"));
  WEFT_CHECK(talk(engine->session(ann, "monday"), "My sister Mei has moved to Utrecht and plays the cello."));
  WEFT_CHECK(talk(engine->session(ann, "friday"), "Where does my sister Mei live now?"));

  WEFT_TRY(const auto friday, engine->session(ann, "friday").history());
  if (friday.back().message.content != "She lives in Utrecht.") return weft::internal("Monday was not recalled");
  return {};
}

}  // namespace

int main() {
  const auto folder = std::filesystem::temp_directory_path() / "weft-example-chat-loop";
  std::filesystem::remove_all(folder);
  const weft::Status done = run(folder.string());
  if (!done.ok()) std::fprintf(stderr, "%s | %s\n", done.error().message.c_str(), done.error().hint.c_str());
  std::filesystem::remove_all(folder);
  return done.ok() ? 0 : 1;
}
