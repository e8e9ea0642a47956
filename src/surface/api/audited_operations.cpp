#include "surface/api/audited_operations.h"

#include <algorithm>
#include <span>

#include "text/json.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kMostCharacters = 128;  // of an id in the log
constexpr std::size_t kMostIds = 20;          // that one answer adds

/// A member of a body or an answer, and how the log calls it.
struct Named {
  std::string_view member, noun;
};

/// What is noted of an operation beside who called it.
struct Noted {
  std::string_view operation;
  std::string_view noun = {};            ///< of {id} or {name} in the path
  std::vector<Named> body = {};          ///< ids, closed choices and numbers; never words
  std::vector<Named> answer = {};
  std::string_view list = {};            ///< a list of the answer whose members have these
};

const std::vector<Noted>& all_noted() {
  static const std::vector<Noted> all{
      {"erase", {}, {{"session", "session"}}, {{"id", "receipt"}}},
      {"erase_in_groups", {}, {}, {{"id", "receipt"}}, "receipts"},
      {"export"},
      {"backup", "backup"},
      {"retry", "job"},
      {"retry_failed"},
      {"plan_learning"},
      {"change_rule", "rule", {{"action", "action"}, {"version", "version"}}},
      {"propose_mutations", {}, {{"skill", "skill"}}, {{"id", "mutation"}}, "mutations"},
      {"judge_mutation", "mutation", {{"approve", "approve"}}},
      {"teach_skill", {}, {}, {{"skill_id", "skill"}}},
      {"import_skill", {}, {}, {{"skill_id", "skill"}}},
      {"put_skill", "skill", {}, {{"version", "version"}}},
      {"change_skill", "skill", {{"action", "action"}, {"version", "version"}}},
      {"write_profile", "profile"},
      {"roll_back_profile", "profile"},
      {"put_knowledge"},
      {"confirm_knowledge"},
      {"answer_task", "run", {{"question", "question"}}},
      {"answer_question", "question"},
  };
  return all;
}

const Noted* find_noted(std::string_view id) {
  const auto found =
      std::find_if(all_noted().begin(), all_noted().end(), [&](const Noted& one) { return one.operation == id; });
  return found == all_noted().end() ? nullptr : &*found;
}

void add(std::vector<std::string>& what, std::string_view noun, std::string_view value) {
  if (!value.empty()) what.push_back(std::string(noun) + " " + preview(value, kMostCharacters));
}

void add_path(std::vector<std::string>& what, std::string_view noun, const http::Request& request) {
  const auto param = [&](const char* name) {
    const auto found = request.params.find(name);
    return found == request.params.end() ? std::string() : found->second;
  };
  const std::string type = param("type"), id = param("id").empty() ? param("name") : param("id");
  add(what, noun.empty() ? "id" : noun, type.empty() ? id : type + ":" + id);
  add(what, "version", param("version"));
}

// Texts, numbers and switches; whatever has parts is no id.
void add_members(std::vector<std::string>& what, std::span<const Named> wanted, std::string_view object) {
  for (const Named& one : wanted) {
    const std::string_view json = json_member(object, one.member);
    if (json.empty() || json == "null" || json.front() == '{' || json.front() == '[') continue;
    add(what, one.noun, json.front() == '"' ? json_text(json).value_or("") : std::string(json));
  }
}

bool is_object(std::string_view json) {
  return json.starts_with('{') && check_json(json, {.max_bytes = json.size() + 1}, "it").ok();
}

}  // namespace

bool is_audited(const Operation& operation) {
  return find_noted(operation.id) != nullptr || (operation.right == Right::kAdmin && operation.method != "GET");
}

std::vector<std::string> acted_on(const Operation& operation, const http::Request& request, std::string_view answer) {
  static const Noted kOnlyItsPath{};
  const Noted* found = find_noted(operation.id);
  const Noted& noted = found == nullptr ? kOnlyItsPath : *found;
  std::vector<std::string> what;
  add_path(what, noted.noun, request);
  if (answer.empty()) return what;
  if (!noted.body.empty() && is_object(request.body)) add_members(what, noted.body, request.body);
  if (noted.answer.empty() || !is_object(answer)) return what;
  if (noted.list.empty()) {
    add_members(what, noted.answer, answer);
    return what;
  }
  const std::string_view list = json_member(answer, noted.list);
  if (!list.starts_with('[')) return what;
  const auto each = json_elements(list);
  for (std::size_t i = 0; i < std::min(each.size(), kMostIds); ++i)
    if (each[i].starts_with('{')) add_members(what, noted.answer, each[i]);
  return what;
}

}  // namespace weft
