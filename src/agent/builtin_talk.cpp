// Tools of the run itself: asking, telling how far it is, and reading what was cut.
#include <algorithm>

#include "agent/builtin_tools.h"
#include "agent/function_tool.h"
#include "agent/wait_words.h"
#include "base/strings.h"
#include "text/utf8.h"
#include "weft/tool_parameters.h"

namespace weft {
namespace {

constexpr std::int64_t kLines = 100, kMostMatches = 50;
constexpr std::size_t kPartBytes = 6000, kLineBytes = 400;

struct ResultPart {
  std::string handle, find;
  std::int64_t from_line = 1, lines = kLines;
};

}  // namespace

WEFT_DESCRIBED(ResultPart);

template <>
const Record<ResultPart>& record<ResultPart>() {
  static const auto made = Record<ResultPart>("ResultPart", "", RecordUse::kAsked)
                               .field("handle", &ResultPart::handle, "", {.required = true, .loose = true})
                               .field("find", &ResultPart::find, "", {.loose = true})
                               .field("from_line", &ResultPart::from_line, "", {.least = 1})
                               .field("lines", &ResultPart::lines, "", {.least = 1});
  return made;
}

template <>
const Record<HumanQuestion>& record<HumanQuestion>() {
  static const auto made = Record<HumanQuestion>("HumanQuestion", "A question to a person.", RecordUse::kAsked)
                               .field("question", &HumanQuestion::question, "one question", {.required = true})
                               .field("why", &HumanQuestion::why, "it is asked")
                               .field("fallback", &HumanQuestion::fallback, "what is done without an answer")
                               .field("choices", &HumanQuestion::choices, "to choose from")
                               .field("kind", &HumanQuestion::kind, "what is wanted");
  return made;
}

namespace {

Result<ToolOutcome> read_part(ResultStore& results, const ToolRequest& request) {
  WEFT_TRY(const auto what, parse_record<ResultPart>(request.arguments, "the arguments"));
  const auto text = results.read(request.run, what.handle);
  if (!text.ok()) return ToolOutcome{text.error().message + ". " + text.error().hint, true};
  const auto lines = lines_of(*text);
  const auto count = static_cast<std::int64_t>(lines.size());
  std::string part;
  std::int64_t at = what.from_line - 1, taken = 0;
  const std::int64_t most = what.find.empty() ? what.lines : kMostMatches;
  for (; at < count && taken < most && part.size() < kPartBytes; ++at) {
    const std::string_view line = lines[static_cast<std::size_t>(at)];
    const auto found = what.find.empty() ? 0 : line.find(what.find);
    if (found == std::string_view::npos) continue;
    // Of a line that is a whole file: from where the match is.
    const std::size_t begin = found > kLineBytes / 2 ? found - kLineBytes / 2 : 0;
    const std::size_t room = what.find.empty() ? kPartBytes : kLineBytes;
    part += std::to_string(at + 1) + ": " + repair_utf8(cut_bytes(line.substr(begin), room)) + "\n";
    ++taken;
  }
  return ToolOutcome{part + "[" + std::to_string(count) + " lines in all" +
                     (at < count ? "; go on with from_line " + std::to_string(at + 1) : "") + "]"};
}

}  // namespace

std::shared_ptr<Tool> human_tool() {
  std::vector<std::string> kinds;
  for (const QuestionKind kind :
       {QuestionKind::kKnowledge, QuestionKind::kDecision, QuestionKind::kAction, QuestionKind::kJudgement})
    kinds.emplace_back(to_string(kind));
  return make_tool(
      {std::string(kHumanAsk), "Asks the user one question and waits for the answer. Only for what nobody else knows.",
       ToolParameters()
           .text("question", "one question, with all that is needed to answer it")
           .text("why", "what it is needed for")
           .optional()
           .texts("choices", "answers to choose from")
           .optional()
           .text("fallback", "what you do if nobody answers")
           .optional()
           .choice("kind", "what is wanted: something the user knows, decides, does or judges", kinds)
           .optional()},
      ToolEffects::kNone,
      [](const ToolRequest&) -> Result<ToolOutcome> { return internal("questions are asked by the loop"); });
}

std::shared_ptr<Tool> result_tool(ResultStore& results) {
  return make_tool({"result_read", "Reads lines of a tool's output that was cut, by its handle.",
                    ToolParameters()
                        .text("handle", "as the cut output names it")
                        .integer("from_line", "the first line; 1 if left out")
                        .optional()
                        .integer("lines", "how many; 100 if left out")
                        .optional()
                        .text("find", "only lines that hold this text")
                        .optional()},
                   ToolEffects::kNone, [&results](const ToolRequest& request) { return read_part(results, request); });
}

std::shared_ptr<Tool> progress_tool(std::function<Status(const ProgressTold&)> tell) {
  return make_tool({"task_progress", "Notes your plan: what is done, what you do now, what is left.",
                    ToolParameters()
                        .texts("done", "steps that are done")
                        .text("current", "the step you are at")
                        .texts("remaining", "steps that are left")},
                   ToolEffects::kKeyed, [tell = std::move(tell)](const ToolRequest& request) -> Result<ToolOutcome> {
                     WEFT_TRY(const auto progress, parse_record<ProgressTold>(request.arguments, "the arguments"));
                     WEFT_CHECK(tell(progress));
                     return ToolOutcome{"noted"};
                   });
}

}  // namespace weft
