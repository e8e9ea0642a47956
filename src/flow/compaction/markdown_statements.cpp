#include "flow/compaction/markdown_statements.h"

#include <algorithm>
#include <unordered_map>

#include "base/strings.h"
#include "text/words.h"

namespace weft {
namespace {

std::size_t heading_level(std::string_view line) {
  const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
  return level >= 1 && level <= 6 && level < line.size() && line[level] == ' ' ? level : 0;
}

// Bytes of a list marker with its blank; 0: none.
std::size_t marker_size(std::string_view line) {
  if (line.size() > 2 && (line[0] == '-' || line[0] == '*' || line[0] == '+') && line[1] == ' ') return 2;
  if (line.starts_with("•") || line.starts_with("・")) return 3;
  std::size_t digits = 0;
  while (digits < line.size() && digits < 3 && is_digit(line[digits])) ++digits;
  if (digits == 0 || digits == line.size()) return 0;
  if ((line[digits] == '.' || line[digits] == ')') && digits + 1 < line.size() && line[digits + 1] == ' ')
    return digits + 2;
  return line.substr(digits).starts_with("、") ? digits + 3 : 0;
}

// "<tag>" alone on a line gives "tag".
std::string_view opening_tag(std::string_view line) {
  if (line.size() < 3 || line.front() != '<' || line.back() != '>' || line[1] == '/' || line[1] == '!') return {};
  const std::string_view name = line.substr(1, line.size() - 2);
  return name.find_first_of("<> /") == std::string_view::npos ? name : std::string_view{};
}

bool announces_examples(std::string_view heading) {
  const std::string folded = normalize(heading);
  return folded.starts_with("example") || folded.starts_with("sample") || folded.find("示例") != std::string::npos ||
         folded.starts_with("例子") || folded.starts_with("样例") || folded.starts_with("for example") ||
         folded.starts_with("例如");
}

class Reader {
 public:
  Reader(std::string_view text, Tagged tagged) : lines_(lines_of(text)), tagged_(tagged) {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::string_view line = trimmed(lines_[i]);
      if (line.starts_with("</") && line.ends_with(">")) closings_[line.substr(2, line.size() - 3)] = i;
    }
  }

  std::vector<MarkdownStatement> run() {
    skip_front_matter();
    for (; at_ < lines_.size(); ++at_) {
      const std::string_view raw = lines_[at_], line = trimmed(raw);
      if (line.empty()) {
        end_statement();
        blank_ = true;
        continue;
      }
      if (!skipped(raw, line)) take(raw, line);
      blank_ = false;
    }
    end_statement();
    return std::move(statements_);
  }

 private:
  void skip_front_matter() {
    if (lines_.empty() || trimmed(lines_[0]) != "---") return;
    for (std::size_t i = 1; i < lines_.size(); ++i)
      if (trimmed(lines_[i]) == "---") {
        at_ = i + 1;
        return;
      }
  }

  // Whether the line begins or is something that states nothing; moves to its last line.
  bool skipped(std::string_view raw, std::string_view line) {
    if (line.starts_with("```") || line.starts_with("~~~")) return skip_to(line.substr(0, 3));
    if (line.starts_with("<!--")) {
      if (line.find("-->") != std::string_view::npos) return end_statement(), true;
      return skip_to("-->");
    }
    if (const auto tag = opening_tag(line); !tag.empty()) {
      const auto closing = closings_.find(tag);
      if (closing != closings_.end() && closing->second > at_) {
        end_statement();
        if (tagged_ == Tagged::kQuoted || announces_examples(tag)) at_ = closing->second;
        heading_ = tag;
        return true;
      }
    }
    if (line.starts_with("</") && line.ends_with(">")) return end_statement(), true;
    const bool quoted = line.front() == '>' || line.front() == '|';
    const bool indented = blank_ && !in_list_ && (raw.starts_with("    ") || raw.starts_with("\t"));
    if (quoted || indented) end_statement();
    return quoted || indented;
  }

  bool skip_to(std::string_view end) {
    end_statement();
    // An opening mark that is never closed hides nothing behind it but itself.
    if (searched_.contains(std::string(end)) && searched_[std::string(end)] == lines_.size()) return true;
    for (std::size_t i = at_ + 1; i < lines_.size(); ++i) {
      const std::string_view line = trimmed(lines_[i]);
      if (end == "-->" ? line.find(end) == std::string_view::npos : !line.starts_with(end)) continue;
      at_ = i;
      return true;
    }
    searched_[std::string(end)] = lines_.size();
    return true;
  }

  void take(std::string_view raw, std::string_view line) {
    if (const std::size_t level = heading_level(line); level > 0) {
      end_statement();
      in_list_ = false;
      if (examples_level_ != 0 && level > examples_level_) return;
      heading_ = trimmed(line.substr(level));
      examples_level_ = announces_examples(heading_) ? level : 0;
      return;
    }
    if (examples_level_ != 0) return;
    const std::size_t marker = marker_size(line);
    if (marker == 0 && statements_open_) {
      current_.text.append(" ").append(line);
      return;
    }
    end_statement();
    if (marker == 0 && raw.front() != ' ' && raw.front() != '\t') in_list_ = false;
    current_ = {at_ + 1, std::string(trimmed(line.substr(marker))), heading_, marker > 0};
    in_list_ |= marker > 0;
    statements_open_ = true;
  }

  void end_statement() {
    if (statements_open_ && !current_.text.empty()) statements_.push_back(std::move(current_));
    current_ = {};
    statements_open_ = false;
  }

  std::vector<std::string_view> lines_;
  std::unordered_map<std::string_view, std::size_t> closings_;
  std::unordered_map<std::string, std::size_t> searched_;
  std::vector<MarkdownStatement> statements_;
  MarkdownStatement current_;
  std::string heading_;
  Tagged tagged_;
  std::size_t at_ = 0, examples_level_ = 0;
  bool statements_open_ = false, blank_ = true, in_list_ = false;
};

}  // namespace

std::vector<MarkdownStatement> markdown_statements(std::string_view text, Tagged tagged) {
  return Reader(text, tagged).run();
}

}  // namespace weft
