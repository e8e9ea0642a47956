#pragma once

#include <string_view>
#include <vector>

namespace weft::cli {

/// The conversation of the demo, as messages in JSON lines: two people's worth of days with an assistant, in English
/// and Chinese, part of it an agent at work with tools.
std::string_view demo_conversation();

/// A question of the demo's new session.
struct DemoQuestion {
  std::string_view text, time;
};
std::vector<DemoQuestion> demo_questions();

}  // namespace weft::cli
