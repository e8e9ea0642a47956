#include "eval/conversations.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "base/log.h"
#include "eval/json_lines.h"
#include "flow/recall/item_words.h"

namespace weft {
namespace {

/// The place of the first message of a group, counted from 0; as many as there are for none.
std::size_t place_of(const std::vector<std::string>& group,
                     const std::unordered_map<std::string, std::size_t>& places) {
  std::size_t best = places.size();
  for (const std::string& id : group)
    if (const auto found = places.find(id); found != places.end()) best = std::min(best, found->second);
  return best;
}

void add_to(RecallScore& sum, const RecallScore& one) {
  sum.questions += one.questions;
  for (std::size_t i = 0; i < sum.recall.size(); ++i) sum.recall[i] += one.recall[i];
  sum.any += one.any;
  sum.all += one.all;
}

RecallScore mean_of(RecallScore sum) {
  if (sum.questions == 0) return sum;
  const auto count = static_cast<double>(sum.questions);
  for (double& value : sum.recall) value /= count;
  sum.any /= count;
  sum.all /= count;
  return sum;
}

}  // namespace

void RecallTally::add(const LabelledQuestion& question, const std::vector<std::string>& ranked) {
  if (question.groups.empty()) return;
  std::unordered_map<std::string, std::size_t> places;
  for (const std::string& id : ranked) places.try_emplace(id, places.size());

  RecallScore one;
  one.questions = 1;
  for (std::size_t i = 0; i < RecallScore::kCuts.size(); ++i) {
    const auto found = std::count_if(question.groups.begin(), question.groups.end(), [&](const auto& group) {
      const std::size_t place = place_of(group, places);
      return place < places.size() && place < RecallScore::kCuts[i];
    });
    one.recall[i] = static_cast<double>(found) / static_cast<double>(question.groups.size());
  }
  one.any = one.recall[0] > 0 ? 1 : 0;
  one.all = one.recall[0] >= 1 ? 1 : 0;
  add_to(all_, one);
  add_to(by_category_[question.category], one);
}

RecallScore RecallTally::mean() const { return mean_of(all_); }

std::map<std::string, RecallScore> RecallTally::mean_by_category() const {
  std::map<std::string, RecallScore> means;
  for (const auto& [category, sum] : by_category_) means[category] = mean_of(sum);
  return means;
}

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view kMessages = ".messages.jsonl", kQueries = ".queries.jsonl", kPassages = ".passages.jsonl";

/// What `read` makes of each line of a file of JSON Lines; errors name the line.
template <class One, class Read>
Result<std::vector<One>> read_lines_of(const std::string& path, Read read) {
  std::vector<One> all;
  WEFT_CHECK(each_json_line(path, [&](const Json& json, std::size_t) -> Status {
    WEFT_TRY(auto one, read(json));
    all.push_back(std::move(one));
    return {};
  }));
  return all;
}

Result<LabelledQuestion> question_of(const Json& json) {
  LabelledQuestion question;
  question.id = json.at("id").get<std::string>();
  question.query = json.at("query").get<std::string>();
  question.category = json.value("category", "");
  if (json.contains("time")) {
    WEFT_TRY(question.asked, parse_time(json.at("time").get<std::string>()));
  }
  if (const auto answer = json.find("answer"); answer != json.end()) {
    if (answer->is_array()) question.answers = answer->get<std::vector<std::string>>();
    if (answer->is_number()) question.answer = answer->dump();
    // Where options are given the answer only names one of them.
    if (answer->is_string() && !json.contains("options")) question.answer = answer->get<std::string>();
  }
  question.unanswerable =
      question.category == "unknown" || question.category == "adversarial" || question.category.ends_with("abstention");
  question.stale = json.value("stale", std::vector<std::string>());
  if (json.contains("groups")) {
    question.groups = json.at("groups").get<std::vector<std::vector<std::string>>>();
  } else {
    for (const auto& id : json.at("gold")) question.groups.push_back({id.get<std::string>()});
  }
  return question;
}

Result<SaidMessage> message_of(const Json& json) {
  SaidMessage said;
  said.session = SessionId(json.at("session").get<std::string>());
  Message& message = said.message;
  message.id = MessageId(json.at("id").get<std::string>());
  const std::string role = json.value("role", "user");
  message.role = role == "assistant" ? Role::kAssistant : role == "system" ? Role::kSystem : Role::kUser;
  // A name that only repeats the role is nobody's.
  message.name = json.value("name", "");
  if (message.name == role) message.name.clear();
  message.content = json.at("text").get<std::string>();
  WEFT_TRY(message.time, parse_time(json.at("time").get<std::string>()));
  return said;
}

Result<SaidMessage> passage_of(const Json& json) {
  SaidMessage said;
  said.message.id = MessageId(json.at("id").get<std::string>());
  said.session = SessionId(said.message.id.str());
  said.message.role = Role::kUser;
  said.message.content = json.at("text").get<std::string>();
  said.message.time = Time{};
  return said;
}

}  // namespace

Result<std::vector<Conversation>> find_conversations(const std::string& prefix, const std::string& command) {
  std::error_code failed;
  const bool folder = fs::is_directory(prefix, failed);
  const fs::path where = folder ? fs::path(prefix) : fs::absolute(prefix).parent_path();
  const std::string begin = folder ? "" : fs::path(prefix).filename().string();
  std::vector<Conversation> found;
  for (const auto& entry : fs::directory_iterator(where, failed)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(begin) || !name.ends_with(kMessages)) continue;
    const std::string stem = entry.path().string().substr(0, entry.path().string().size() - kMessages.size());
    if (fs::exists(stem + std::string(kQueries)))
      found.push_back({fs::path(stem).parent_path().filename().string(), stem});
  }
  if (found.empty())
    return not_found(command + ": nothing at " + prefix,
                     "a folder or prefix with NAME.messages.jsonl and NAME.queries.jsonl");
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.stem < b.stem; });
  return found;
}

Result<std::vector<SaidMessage>> read_messages(const Conversation& conversation) {
  return read_lines_of<SaidMessage>(conversation.stem + std::string(kMessages), message_of);
}

Result<std::vector<LabelledQuestion>> read_questions(const Conversation& conversation) {
  return read_lines_of<LabelledQuestion>(conversation.stem + std::string(kQueries), question_of);
}

Result<std::vector<SaidMessage>> read_passages(const std::string& name) {
  return read_lines_of<SaidMessage>(name + std::string(kPassages), passage_of);
}

Result<std::vector<LabelledQuestion>> read_passage_questions(const std::string& name) {
  return read_lines_of<LabelledQuestion>(name + std::string(kQueries), question_of);
}

Status fill_memory(EvalMemory& memory, const LimitsSettings& limits, const std::vector<SaidMessage>& messages,
                   Embedder* embedder) {
  std::int64_t seq = 0, item_rows = 0;
  std::size_t chinese = 0;
  for (const SaidMessage& said : messages) {
    MessageRow row;
    row.seq = ++seq;
    row.session = said.session;
    row.message = said.message;
    std::vector<ItemRow> items;
    add_message_items(limits, row, items);
    for (ItemRow& item : items) {
      item.row = ++item_rows;
      if (embedder != nullptr && item.model != kWordsOnly)
        item.vector = embedder->embed(item.item.text, EmbedUse::kPassage, Deadline()).value_or({});
      memory.ids[item.row] = said.message.id.str();
      WEFT_CHECK(memory.index.add(item));
    }
    chinese += language_of(said.message.content) == Language::kChinese ? 1 : 0;
  }
  memory.language = chinese * 2 > messages.size() ? Language::kChinese : Language::kEnglish;
  return {};
}

RecallQuery query_for(const EvalMemory& memory, const std::string& text, Embedder* embedder) {
  RecallQuery query;
  query.text = text;
  query.kinds = {ItemKind::kMessage};
  if (embedder != nullptr)
    query.vector =
        embedder->embed(text_to_embed(text, memory.index.speakers()), EmbedUse::kQuery, Deadline()).value_or({});
  return query;
}

std::vector<std::string> messages_of(const EvalMemory& memory, const std::vector<ScoredRow>& rows) {
  std::vector<std::string> ids;
  for (const ScoredRow& row : rows)
    if (const std::string& id = memory.ids.at(row.row); std::find(ids.begin(), ids.end(), id) == ids.end())
      ids.push_back(id);
  return ids;
}

}  // namespace weft
