#include <array>

#include "model/records.h"
#include "text/words.h"
#include "weft/compaction.h"

namespace weft {
namespace {

struct Section {
  const char* english;
  const char* chinese;
  std::vector<std::string> Summary::* list;
};

// In the order in which a reader needs them.
constexpr std::array<Section, 7> kSections = {{{"User goals:", "用户目标：", &Summary::goals},
                                               {"Key decisions:", "关键决策：", &Summary::decisions},
                                               {"Done:", "已完成：", &Summary::done},
                                               {"Open:", "待完成：", &Summary::open_items},
                                               {"Important constraints:", "重要约束：", &Summary::constraints},
                                               {"Facts:", "已知事实：", &Summary::facts},
                                               {"Risks and errors:", "风险与错误：", &Summary::risks}}};

bool mostly_chinese(const Summary& summary) {
  std::string sample;
  for (const Section& section : kSections) {
    for (const std::string& statement : summary.*section.list) sample += statement + "\n";
    if (sample.size() > 4000) break;
  }
  return language_of(sample) == Language::kChinese;
}

void append_line(std::string& text, std::string_view statement) {
  for (const char c : statement) text += c == '\n' || c == '\r' ? ' ' : c;
  text += '\n';
}

// One statement stands behind the heading, several below it.
void append_section(std::string& text, std::string_view heading, const std::vector<std::string>& statements,
                    bool chinese) {
  if (statements.empty()) return;
  text += heading;
  if (statements.size() == 1) {
    if (!chinese) text += ' ';
    return append_line(text, statements.front());
  }
  text += '\n';
  for (const std::string& statement : statements) {
    text += "- ";
    append_line(text, statement);
  }
}

}  // namespace

std::string render_summary(const Summary& summary) {
  const bool chinese = mostly_chinese(summary);
  std::string text = chinese ? "[会话摘要 - 截至 " : "[Session summary - up to ";
  text += format_time(summary.time) + "]\n";
  for (const Section& section : kSections)
    append_section(text, chinese ? section.chinese : section.english, summary.*section.list, chinese);
  text.pop_back();
  return text;
}

std::string to_json(const Summary& summary) { return to_json<Summary>(summary); }
std::string to_json(const Candidate& candidate) { return to_json<Candidate>(candidate); }
std::string to_json(const CompactionReport& report) { return to_json<CompactionReport>(report); }
std::string to_json(const Compaction& compaction) { return to_json<Compaction>(compaction); }

Result<Compaction> parse_compaction(std::string_view json) {
  auto read = parse_record<Compaction>(json, "compaction");
  if (!read.ok() && !read.error().message.starts_with("compaction"))
    return Error{read.error().code, "compaction: " + read.error().message, read.error().hint};
  return read;
}

}  // namespace weft
