#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/support/engine_fixture.h"

namespace weft::test {

/// An engine with a story, and sessions that are long enough to be compacted.
class EngineContext : public EngineTest {
 protected:
  static constexpr const char* kState =
      R"({"health":{"value":85,"description":"hurt"},"place":"harbour","bag":{"_anchor":"bag","items":[)"
      R"({"id":"potion","name":"Healing Potion","count":2},{"id":"lamp","name":"Brass Lamp"}]}})";

  StateView put() { return engine_->state(as("ann"), "default").put_json(kState, "game").value(); }
  std::string state(const RequestContext& who) {
    const auto view = engine_->state(who, "default").read(0);
    EXPECT_TRUE(view.ok()) << view.error().message;
    return view.ok() ? view->json : std::string();
  }
  WovenContext weave(const std::string& input, const std::function<void(ContextRequest&)>& with = {}) {
    ContextRequest what;
    what.input = input;
    what.planned = true;
    if (with) with(what);
    auto woven = engine_->session(as("ann"), SessionId("s")).context(what);
    EXPECT_TRUE(woven.ok()) << woven.error().message;
    return woven.ok() ? std::move(woven).value() : WovenContext();
  }
  static std::string text_of(const WovenContext& woven) {
    std::string text;
    for (const Message& message : woven.messages) text += message.content + "\n";
    return text;
  }
  void import_world() {
    const char* quests = R"([{"id":"key","title":"The lost key","objective":"Find the key","status":"in_progress"},
      {"id":"boat","title":"Mend the boat","objective":"Mend the boat","status":"completed","outcome":"The ferryman owes a passage",
       "successors":["key"]}])";
    ASSERT_TRUE(engine_->story(as("ann")).import_quests(quests, "quests.json").ok());
    const auto lore = engine_->story(as("ann")).import_lore(
        "# The lighthouse\nkeys: lighthouse\n\nOnly the silver key opens its "
        "door.\n\n# The market\n\nIt smells of fish.\n",
        "world.md");
    ASSERT_TRUE(lore.ok()) << lore.error().message;
    EXPECT_EQ(lore->imported, 2u);
    drain();
  }
  // A session too long for a small window, with things that must not be lost.
  void talk(int turns) {
    for (int i = 0; i < turns; ++i) {
      std::string said =
          "Please look at part " + std::to_string(i) + " of the report and tell me what it says about rain.";
      if (i == 1)
        said = "You must never send the draft to the press. The file is reports/rain_2026.txt and the case is RX-7781.";
      turn(said, "Part " + std::to_string(i) + " tells of " + std::to_string(i * 3) +
                     " stations along the northern coast and of the long rain that fell there for days in spring.");
    }
  }

  std::vector<Message> history() {
    std::vector<Message> messages;
    const auto stored = engine_->session(as("ann"), SessionId("s")).history(10'000);
    for (const StoredMessage& one : *stored) messages.push_back(one.message);
    return messages;
  }
};

}  // namespace weft::test
