#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "flow/context/build_context.h"
#include "tests/support/hits.h"
#include "tests/support/messages.h"

namespace weft::test {

/// A prompt that is built from what a test puts into the input, with hits and blocks in place of a memory.
class Sections : public testing::Test {
 protected:
  Sections() {
    input_.session = SessionId("now");
    input_.window = 32768;
    input_.system = {system("You are kind.")};
  }
  void add(Message message) {
    ++seq_;
    input_.history.push_back({std::move(message), seq_, MessageId("m" + std::to_string(seq_)), 0});
  }
  void turns(int count, const std::string& about = "the weather in Oslo") {
    for (int i = 0; i < count; ++i) {
      add(user("question " + std::to_string(i) + " about " + about));
      add(assistant("answer " + std::to_string(i) + " with many words on rain and wind"));
    }
  }
  Result<BuiltContext> try_build() {
    ContextPorts ports{config_,
                       counter_,
                       [this](const SearchRequest& request, const Deadline&) -> Result<SearchResult> {
                         asked_ = request.query;
                         SearchResult result;
                         result.hits = hits_;
                         result.known = true;
                         return result;
                       },
                       {},
                       {},
                       {},
                       {}};
    if (!blocks_.empty()) ports.curation = [this](const CurationRoom&) { return Curated{blocks_, {}, MadeBy::kFloor}; };
    return build_context(ports, Deadline(), input_);
  }
  BuiltContext build() {
    auto built = try_build();
    EXPECT_TRUE(built.ok()) << built.error().message;
    return built.ok() ? std::move(built).value() : BuiltContext();
  }
  static const ReportSection* section(const BuiltContext& built, const std::string& name) {
    for (const ReportSection& found : built.woven.report.sections)
      if (found.name == name) return &found;
    return nullptr;
  }
  static std::string text_of(const BuiltContext& built, const std::string& label) {
    std::string text;
    for (const Placed& one : built.placed)
      if (one.section == label) text += one.message.content;
    return text;
  }
  static std::vector<std::string> order(const BuiltContext& built) {
    std::vector<std::string> names;
    for (const Placed& one : built.placed) names.push_back(one.section);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

  Config config_;
  TokenCounter counter_{TokenMode::kScript};
  ContextInput input_;
  std::vector<Hit> hits_;
  std::vector<FloatingBlock> blocks_;
  std::string asked_;
  std::int64_t seq_ = 0;
};

/// A task with one of everything.
inline TaskState trip() {
  return {"Plan the trip to Bergen",
          "travel",
          {"found a hotel", "bought tickets"},
          "choose a museum",
          {"pack"},
          {"no flights"},
          {}};
}

}  // namespace weft::test
