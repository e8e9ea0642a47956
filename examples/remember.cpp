// Tells Weft something in one session and asks for it in another.
#include <weft/weft.h>

#include <cstdio>
#include <filesystem>

int main() {
  weft::Config config;
  config.workspace = (std::filesystem::temp_directory_path() / "weft-example").string();
  auto engine = weft::Engine::open(config);
  if (!engine.ok()) return std::fprintf(stderr, "%s\n", engine.error().message.c_str()), 1;
  const weft::RequestContext ann{*weft::Scope::private_of(weft::UserId("ann")), {}, {}};

  weft::Message said;
  said.content = "My sister Mei lives in Utrecht and plays the cello.";
  if (!(*engine)->observe(ann, weft::SessionId("monday"), std::span(&said, 1)).ok()) return 1;

  weft::ContextRequest question;
  question.input = "What does Mei play?";
  auto context = (*engine)->context(ann, weft::SessionId("friday"), question);
  if (!context.ok()) return std::fprintf(stderr, "%s\n", context.error().message.c_str()), 1;
  for (const weft::Message& message : context->messages) std::printf("%s\n", weft::to_json(message).c_str());
  std::filesystem::remove_all(config.workspace);
  return context->messages.back().content.find("cello") != std::string::npos ? 0 : 1;
}
