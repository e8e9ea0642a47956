#include "eval/reader.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/prompts.h"
#include "base/strings.h"
#include "flow/context/fence.h"
#include "model/message_reader.h"
#include "text/cues.h"
#include "text/json.h"
#include "text/markup.h"
#include "text/token_counter.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kNames{"woven", "oracle", "bm25", "whole"};
constexpr std::size_t kWoven = 0, kOracle = 1, kWhole = 3;
constexpr std::int64_t kAnswerTokens = 512;
constexpr std::chrono::minutes kPatience{5};  // for one call
constexpr std::size_t kVerdictBytes = 16 * 1024;
constexpr const char* kVerdictSchema =
    R"({"type":"object","required":["reason","verdict"],"additionalProperties":false,"properties":{
"reason":{"type":"string"},"verdict":{"type":"string","enum":["CORRECT","WRONG"]}}})";

const char* language_name(const LabelledQuestion& question) {
  return language_of(question.query) == Language::kChinese ? "zh" : "en";
}

std::vector<std::string> compared_words(std::string_view text) {
  const std::string plain = normalize(text);
  std::vector<std::string> words;
  std::string word;
  const auto end = [&] {
    if (!word.empty() && word != "a" && word != "an" && word != "the") words.push_back(word);
    word.clear();
  };
  for (std::size_t at = 0; at < plain.size();) {
    const char32_t c = next_code_point(plain, at);
    const auto icu = static_cast<UChar32>(c);
    if (is_cjk(c)) {
      end();
      append_code_point(word, c);
      end();
    } else if (u_isalnum(icu) != 0 || (U_GET_GC_MASK(icu) & U_GC_M_MASK) != 0) {
      append_code_point(word, c);
    } else if (u_ispunct(icu) == 0) {
      end();  // a blank or a sign; punctuation within a word is left out
    }
  }
  end();
  return words;
}

/// The accepted answers. A question for a list accepts one answer: the whole list.
std::vector<std::string> expected_answers(const LabelledQuestion& question) {
  if (!question.answer.empty()) return {question.answer};
  if (question.category != "list" || question.answers.empty()) return question.answers;
  std::string all;
  for (const std::string& one : question.answers) all += (all.empty() ? "" : ", ") + one;
  return {all};
}

std::string expected_in_words(const LabelledQuestion& question) {
  std::string text;
  for (const std::string& one : expected_answers(question)) text += (text.empty() ? "" : " / ") + one;
  return text;
}

bool holds_expected(const LabelledQuestion& question, const std::string& given) {
  const auto holds = [&](const std::string& one) { return contains_answer(given, one); };
  if (!question.answer.empty()) return holds(question.answer);
  if (question.category == "list") return std::ranges::all_of(question.answers, holds);
  return std::ranges::any_of(question.answers, holds);
}

/// The system prompt in the question's language.
std::string instructions_for(const Reading& reading) {
  constexpr std::string_view kToday = "{today}";
  const LabelledQuestion& question = reading.question;
  std::string text(shipped_prompt("eval_reader", language_name(question)).text);
  const std::string today = day_in_words(question.asked.value_or(reading.last), language_of(question.query), true);
  if (const auto at = text.find(kToday); at != std::string::npos) text.replace(at, kToday.size(), today);
  return text;
}

/// The prompt that Weft built, behind the instructions.
std::vector<Message> woven_messages(const Reading& reading) {
  std::vector<Message> messages = reading.woven;
  const std::string instructions = instructions_for(reading);
  if (!messages.empty() && messages.front().role == Role::kSystem)
    messages.front().content = instructions + "\n\n" + messages.front().content;
  else
    messages.insert(messages.begin(), make_message(Role::kSystem, instructions));
  return messages;
}

/// The same form for the other ways: instructions, then the quoted messages and the question as the user's message.
std::vector<Message> messages_from(const Reading& reading, std::vector<const Item*> evidence) {
  in_reading_order(evidence);
  std::vector<MemoryLine> lines;
  for (const Item* item : evidence) {
    MemoryLine line;
    line.item = item;
    line.follows = !lines.empty() && lines.back().item->session == item->session &&
                   lines.back().item->position + 1 == item->position;
    lines.push_back(line);
  }
  std::string text = fence_memories(lines, language_of(reading.question.query));
  if (!text.empty()) text += "\n\n";
  return {make_message(Role::kSystem, instructions_for(reading)),
          make_message(Role::kUser, text + reading.question.query)};
}

double by(double sum, double count) { return count == 0 ? 0 : sum / count; }

}  // namespace

double token_f1(std::string_view given, std::string_view expected) {
  auto own = compared_words(given), wanted = compared_words(expected);
  if (own.empty() || wanted.empty()) return own.empty() && wanted.empty() ? 1 : 0;
  std::ranges::sort(own);
  std::ranges::sort(wanted);
  std::vector<std::string> common;
  std::ranges::set_intersection(own, wanted, std::back_inserter(common));
  return 2 * static_cast<double>(common.size()) / static_cast<double>(own.size() + wanted.size());
}

bool contains_answer(std::string_view given, std::string_view expected) {
  const auto own = compared_words(given), wanted = compared_words(expected);
  return !wanted.empty() && !std::ranges::search(own, wanted).empty();
}

OrderedJson AnswerReader::Answer::json() const {
  OrderedJson json{{"answer", text}, {"tokens", tokens}, {"declined", declined}};
  if (answerable) {
    json["f1"] = f1;
    json["contains"] = contains;
  }
  if (right) json["verdict"] = *right ? "CORRECT" : "WRONG";
  if (!reason.empty()) json["reason"] = reason;
  return json;
}

void AnswerReader::Sums::add(const Answer& answer) {
  questions += 1;
  answerable += answer.answerable ? 1 : 0;
  f1 += answer.f1;
  contains += answer.contains ? 1 : 0;
  declined += answer.declined ? 1 : 0;
  right += answer.right.value_or(false) ? 1 : 0;
  unjudged += answer.right ? 0 : 1;
  tokens += static_cast<double>(answer.tokens);
}

OrderedJson AnswerReader::Sums::json(bool judged) const {
  OrderedJson json{{"questions", questions}};
  if (answerable == questions) {
    json["f1"] = by(f1, questions);
    json["contains"] = by(contains, questions);
  }
  json["declined"] = by(declined, questions);
  if (judged) {
    json["right"] = by(right, questions);
    json["unjudged"] = unjudged;
  }
  json["tokens"] = by(tokens, questions);
  json["failed"] = failed;
  return json;
}

OrderedJson AnswerReader::Scores::json(bool judged) const {
  OrderedJson json;
  for (std::size_t way = 0; way < kWays; ++way) json[std::string(kNames[way])] = ways[way].json(judged);
  OrderedJson& share = json["woven_of_oracle"] = {{"questions", woven.questions}};
  if (woven.answerable == woven.questions) {
    share["f1"] = by(woven.f1, oracle.f1);
    share["contains"] = by(woven.contains, oracle.contains);
  } else {
    share["declined"] = by(woven.declined, oracle.declined);
  }
  if (judged) share["right"] = by(woven.right, oracle.right);
  return json;
}

bool AnswerReader::fits(const std::vector<Message>& messages) const {
  std::int64_t tokens = kAnswerTokens;
  for (const Message& message : messages) {
    const std::int64_t exact = reader_.count_tokens(message.content);
    tokens += exact >= 0 ? exact : estimate_tokens(message.content, TokenMode::kScript);
  }
  return tokens <= window_;
}

Result<std::optional<AnswerReader::Answer>> AnswerReader::ask(const LabelledQuestion& question,
                                                              std::vector<Message> messages) const {
  ChatRequest request;
  request.max_tokens = kAnswerTokens;
  request.messages = std::move(messages);
  const auto reply = reader_.complete(request, Deadline::after(kPatience));
  if (!reply.ok()) {
    const ErrorCode code = reply.error().code;
    if (code == ErrorCode::kPermission || code == ErrorCode::kNotFound || code == ErrorCode::kCancelled)
      return reply.error();
    log_warning("eval.reader", question.id + ": " + reply.error().message);
    return std::optional<Answer>();
  }
  Answer answer;
  answer.text = std::string(trimmed(split_thoughts(reply->message.content).said));
  if (answer.text.empty()) return std::optional<Answer>();
  answer.tokens = reply->prompt_tokens;
  if (answer.tokens == 0)
    for (const Message& message : request.messages)
      answer.tokens += estimate_tokens(message.content, TokenMode::kScript);
  answer.declined = knows_no_answer(answer.text);
  answer.answerable = !question.unanswerable;
  if (answer.answerable) {
    for (const std::string& expected : expected_answers(question))
      answer.f1 = std::max(answer.f1, token_f1(answer.text, expected));
    answer.contains = holds_expected(question, answer.text);
  }
  if (judge_ != nullptr) judge(question, answer);
  return std::optional<Answer>(std::move(answer));
}

void AnswerReader::judge(const LabelledQuestion& question, Answer& answer) const {
  if (answer.declined && question.unanswerable) {
    answer.right = true;
    return;
  }
  ChatRequest request;
  request.json_schema = kVerdictSchema;
  request.max_tokens = kAnswerTokens;
  const OrderedJson data{
      {"question", question.query}, {"expected", expected_in_words(question)}, {"given", answer.text}};
  request.messages = {
      make_message(Role::kSystem, std::string(shipped_prompt("eval_judge", language_name(question)).text)),
      make_message(Role::kUser, write_json(data))};
  const auto reply = judge_->complete(request, Deadline::after(kPatience));
  if (!reply.ok()) {
    log_warning("eval.judge", question.id + ": " + reply.error().message);
    return;
  }
  const auto json =
      read_json(split_thoughts(reply->message.content).said, {.max_bytes = kVerdictBytes, .max_depth = 4}, "verdict");
  if (!json.ok() || !json->is_object()) return;
  const auto text = [&](const char* name) {
    const auto at = json->find(name);
    return at != json->end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  const std::string verdict = text("verdict");
  if (verdict == "CORRECT" || verdict == "WRONG") answer.right = verdict == "CORRECT";
  answer.reason = text("reason");
}

Result<OrderedJson> AnswerReader::read(const std::string& set, const Reading& reading) {
  const LabelledQuestion& question = reading.question;
  Report& report = reports_[set];
  if (!question.unanswerable && expected_answers(question).empty()) {
    ++report.no_answer;
    return OrderedJson();
  }
  std::array<std::vector<Message>, kWays> prompts{woven_messages(reading), messages_from(reading, reading.oracle),
                                                  messages_from(reading, reading.bm25),
                                                  messages_from(reading, reading.whole)};
  Scores& all = question.unanswerable ? report.unanswerable : report.answerable;
  Scores& own = report.by_category[question.category];
  OrderedJson json{{"expected", expected_in_words(question)}};
  std::array<std::optional<Answer>, kWays> answers;
  for (std::size_t way = 0; way < kWays; ++way) {
    if (way == kWhole && !fits(prompts[way])) {
      ++report.whole;
      continue;
    }
    WEFT_TRY(answers[way], ask(question, std::move(prompts[way])));
    for (Scores* scores : {&all, &own}) {
      if (answers[way])
        scores->ways[way].add(*answers[way]);
      else
        scores->ways[way].failed += 1;
    }
    if (answers[way]) json[std::string(kNames[way])] = answers[way]->json();
  }
  for (Scores* scores : {&all, &own}) {
    if (!answers[kWoven] || !answers[kOracle]) continue;
    scores->woven.add(*answers[kWoven]);
    scores->oracle.add(*answers[kOracle]);
  }
  return json;
}

OrderedJson AnswerReader::report(const std::string& set) const {
  OrderedJson json{{"reader", reader_.name()}};
  const bool judged = judge_ != nullptr;
  if (judged) json["judge"] = judge_->name();
  const auto found = reports_.find(set);
  const Report report = found == reports_.end() ? Report() : found->second;
  json["left_out"] = {{"no_answer", report.no_answer}, {"whole", report.whole}};
  json["answerable"] = report.answerable.json(judged);
  json["unanswerable"] = report.unanswerable.json(judged);
  for (const auto& [category, scores] : report.by_category) json["by_category"][category] = scores.json(judged);
  return json;
}

}  // namespace weft
