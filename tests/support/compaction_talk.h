#pragma once

#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flow/compaction/compact.h"
#include "tests/support/messages.h"

namespace weft::test {

inline const TokenCounter kTokens(TokenMode::kScript);

/// A conversation whose messages get ids as they are added.
class Talk {
 public:
  Talk& user(std::string text) { return add(weft::test::user(std::move(text))); }
  Talk& assistant(std::string text) { return add(weft::test::assistant(std::move(text))); }
  Talk& call(const std::string& id, std::string arguments, std::string output) {
    add(weft::test::calls({{id, "edit_file"}}));
    history.back().tool_calls[0].arguments = std::move(arguments);
    return add(weft::test::output(id, std::move(output)));
  }
  Talk& add(Message message) {
    message.id = MessageId("m" + std::to_string(history.size()));
    history.push_back(std::move(message));
    return *this;
  }
  /// Turns that say nothing worth keeping.
  Talk& filler(int turns) {
    for (int i = 0; i < turns; ++i) {
      user("What do you think about the weather in spring, part " + std::to_string(i) + "?");
      assistant(
          "Spring weather changes quickly, so people tend to carry a light jacket and look at the sky before a walk in "
          "the park with their friends.");
    }
    return *this;
  }

  std::vector<Message> history;
};

/// The conversation compacted, with ids that are counted.
inline Result<Compacted> run(CompactInput input, ChatModel* model = nullptr) {
  input.session = SessionId("main");
  int next = 0;
  return compact(input, {kTokens, model, [&next] { return "id-" + std::to_string(next++); }, {}}, {});
}

inline CompactInput input_of(const Talk& talk) {
  CompactInput input;
  input.history = talk.history;
  input.options.backoff = std::chrono::milliseconds(1);
  return input;
}

/// What was said and what tools were called with.
inline std::string text_of(const std::vector<Message>& messages) {
  std::string text;
  for (const Message& message : messages) {
    text += message.content + "\n";
    for (const ToolCall& call : message.tool_calls) text += call.arguments + "\n";
  }
  return text;
}

/// Whether the compacted conversation still says so.
inline bool has(const Compacted& result, std::string_view what) {
  return text_of(result.messages).find(what) != std::string::npos;
}

inline bool has_problem(const Compacted& result, std::string_view code) {
  for (const std::string& problem : result.record.report.problems) {
    if (problem.starts_with(code)) return true;
  }
  return false;
}

/// Whether each output follows its call.
inline bool pairs_whole(const std::vector<Message>& messages) {
  std::set<std::string> open;
  for (const Message& message : messages) {
    for (const ToolCall& call : message.tool_calls) open.insert(call.id);
    if (message.role == Role::kTool && open.erase(message.tool_call_id) == 0) return false;
  }
  return open.empty();
}

/// A conversation with rules, paths, failures and small talk, in both languages.
inline Talk project() {
  Talk talk;
  talk.user("Please fix the login in /srv/app/login_page.cpp. Never delete the table users_v2 without asking me.");
  talk.call("c1", R"({"path":"/srv/app/login_page.cpp"})",
            "Error: cannot open /srv/app/login_page.cpp: Permission denied");
  talk.assistant("We decided to use argon2 for ticket PROJ-4711. I have updated the build.");
  talk.user("预算最多 3000 元，部署脚本在 /opt/deploy/run.sh，以后都用中文回答。");
  talk.assistant("好的，已经记录。");
  talk.user("ok thanks!").assistant("You're welcome!");
  return talk.filler(14);
}

}  // namespace weft::test
