#include "growth/rule_file.h"

#include <set>

#include "base/strings.h"
#include "model/growth_records.h"
#include "text/yaml_record.h"

namespace weft {
namespace {

// Each line of an entry two spaces further in, the first behind a dash.
std::string as_element(const std::string& yaml) {
  std::string out;
  bool first = true;
  for (const std::string_view line : lines_of(yaml)) {
    if (!first && line.empty()) {
      out += '\n';
      continue;
    }
    out += first ? "  - " : "    ";
    out.append(line) += '\n';
    first = false;
  }
  return out;
}

}  // namespace

Result<bool> RuleFile::refresh() {
  auto text = files_.read(path_);
  if (!text.ok() && text.error().code != ErrorCode::kNotFound) return text.error();
  if (known_ && text.value_or("") == content_) {
    if (broken_) return invalid_argument(problems_.front(), "mend the file; it is left alone until then");
    return false;
  }
  known_ = true;
  content_ = std::move(text).value_or("");
  const Status parsed = parse(content_);
  broken_ = !parsed.ok();
  if (!broken_) return true;
  problems_ = {parsed.error().message};
  return parsed.error();
}

Status RuleFile::parse(const std::string& text) {
  const std::string name = path_.filename().string();
  WEFT_TRY(const YamlTree tree, parse_yaml_tree(text, {}, name));
  WEFT_TRY(auto entries, read_yaml_list<Rule>(text, tree, "rules", name));
  const Value* through = tree.value.find("through");
  const std::string digits = through != nullptr && through->text() != nullptr ? *through->text() : "0";
  if (digits.empty() || digits.size() > 18 || digits.find_first_not_of("0123456789") != std::string::npos)
    return with_yaml_line(invalid_argument("\"through\" must be a whole number"), tree.lines, "", name);
  through_ = std::stoull(digits);
  rules_.clear();
  problems_.clear();
  bad_text_ = std::move(entries.bad_text);
  for (const Error& error : entries.bad) problems_.push_back(error.message);
  std::set<std::string> ids;
  for (Rule& rule : entries.good) {
    if (ids.insert(rule.id).second)
      rules_.push_back(std::move(rule));
    else
      problems_.push_back(name + ": the id \"" + rule.id + "\" stands there twice; the first counts");
  }
  return {};
}

Status RuleFile::write(std::span<const Rule> rules, std::uint64_t through) {
  if (broken_) return invalid_argument(problems_.front(), "mend the file; it is left alone until then");
  std::string text = "# " + title_ +
                     "\n# You may edit this file; see `weft rule --help`.\nthrough: " + std::to_string(through) + "\n" +
                     (rules.empty() && bad_text_.empty() ? "rules: []\n" : "rules:\n");
  for (const Rule& rule : rules) text += as_element(to_yaml(rule));
  // The dash of a list may stand further in than those of this one; then its entries would be none of it.
  for (const std::string& bad : bad_text_) {
    const std::size_t dash = bad.find('-');
    std::size_t outdent = dash == std::string::npos ? 0 : dash;
    for (const std::string_view line : lines_of(bad)) {
      const std::size_t blank = std::min({outdent, line.find_first_not_of(' '), line.size()});
      text += line.size() == blank ? "\n" : "  " + std::string(line.substr(blank)) + "\n";
    }
  }
  WEFT_CHECK(files_.make_folder(path_.parent_path()));
  WEFT_CHECK(write_file(files_, path_, text, true));
  content_ = std::move(text);
  rules_.assign(rules.begin(), rules.end());
  through_ = through;
  known_ = true;
  return {};
}

}  // namespace weft
