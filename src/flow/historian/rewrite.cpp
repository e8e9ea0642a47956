#include "flow/historian/rewrite.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "base/prompts.h"
#include "flow/historian/kept_facts.h"
#include "model/message_reader.h"
#include "text/json.h"
#include "weft/message.h"

namespace weft {
namespace {

using OrderedJson = nlohmann::ordered_json;

// The rules for rewriting in a language.
Prompt rewrite_rules(Language language) {
  return shipped_prompt("rewrite", language == Language::kChinese ? "zh" : "en");
}

// What the role `historian` is asked: the rules in the text's language, then the circumstances and the draft as JSON,
// which is data and no instruction.
std::vector<Message> rewrite_prompt(const RewriteInput& input, const Rewritten& draft) {
  OrderedJson earlier = OrderedJson::array();
  for (const EarlierMessage& said : input.info.earlier)
    earlier.push_back({{"speaker", said.speaker}, {"text", said.text}});
  const OrderedJson data = {
      {"participants", input.names},
      {"said_by", input.info.sender.name},
      {"time", format_time(input.info.time)},
      {"place", input.info.place},
      {"conversation", earlier},
      {"draft",
       {{"did_what", draft.did_what}, {"new_info", draft.new_info}, {"canonical_text", draft.canonical_text}}}};
  return {make_message(Role::kSystem, std::string(rewrite_rules(input.language).text)),
          make_message(Role::kUser, data.dump(2, ' ', false, OrderedJson::error_handler_t::replace))};
}

// Gives an answer back with what is wrong about it.
Message rewrite_again(Language language, const std::string& fault) {
  const bool chinese = language == Language::kChinese;
  return make_message(Role::kUser, (chinese ? "还不行：" : "Not yet: ") + fault +
                                       (chinese ? "。请改正并重新给出整个 JSON 对象。"
                                                : ". Correct it and give the whole JSON object again."));
}

using Json = nlohmann::json;

constexpr const char* kSchema =
    R"({"type":"object","properties":{"did_what":{"type":"string"},"new_info":{"type":"string"},)"
    R"("canonical_text":{"type":"string","minLength":1}},"required":["did_what","new_info","canonical_text"],)"
    R"("additionalProperties":false})";
constexpr std::size_t kLongest = 4;  // times the draft: a model that does not stop is not taken

bool ends_sentence(std::string_view text) {
  for (const std::string_view stop : {".", "!", "?", "。", "！", "？", "”", "\"", "…"})
    if (text.ends_with(stop)) return true;
  return false;
}

// Puts both parts behind the head and moves the places of their annotations along.
void put_together(const RewriteInput& input, Rewritten& written) {
  const bool chinese = input.language == Language::kChinese;
  std::string text = input.head;
  std::vector<TextSpan> annotations;
  const auto add = [&](const std::string& part, const std::vector<TextSpan>& spans) {
    if (part.empty()) return;
    if (!text.empty() && !chinese) text += ' ';
    for (const TextSpan& span : spans) annotations.push_back({text.size() + span.begin, text.size() + span.end});
    text += part;
    if (!ends_sentence(text)) text += chinese ? "。" : ".";
  };
  add(written.did_what, written.did_annotations);
  add(written.new_info, written.info_annotations);
  written.canonical_text = std::move(text);
  written.writing.annotations = std::move(annotations);
}

Rewritten draft_of(const RewriteInput& input, Style style) {
  Rewritten draft;
  const auto word = [style](const std::string& said, Speech speech, std::string& text, std::vector<TextSpan>& spans) {
    if (said.empty()) return;
    speech.style = style;
    Absolute plain = absolutise(said, speech);
    text = std::move(plain.text);
    spans = std::move(plain.annotations);
  };
  word(input.did_what, input.action, draft.did_what, draft.did_annotations);
  word(input.new_info, input.info, draft.new_info, draft.info_annotations);
  put_together(input, draft);
  return draft;
}

struct Answer {
  std::string did_what, new_info, canonical_text;
};

Result<Answer> read_answer(const std::string& text) {
  const Json json = lenient_json<Json>(text);
  if (!json.is_object()) return invalid_argument("the answer is no JSON object");
  Answer answer;
  const auto take = [&json](const char* name, std::string& into) {
    const auto at = json.find(name);
    const bool good = at != json.end() && at->is_string();
    if (good) into = at->get<std::string>();
    return good;
  };
  if (!take("did_what", answer.did_what) || !take("new_info", answer.new_info) ||
      !take("canonical_text", answer.canonical_text))
    return invalid_argument("a field of the answer is missing");
  return answer;
}

std::string listed(const std::vector<std::string>& facts) {
  std::string text;
  for (const std::string& fact : facts) text += " \"" + fact + "\"";
  return text;
}

// Why an answer is not taken; empty: it is. `hits` are the gate's where that was the reason.
std::string fault_of(const RewriteInput& input, const RewriteTerms& terms, const Rewritten& draft, const Answer& answer,
                     std::vector<GateHit>& hits) {
  if (draft.new_info.empty() != answer.new_info.empty()) return "new_info must be empty exactly where the draft's is";
  if (answer.canonical_text.empty() || answer.canonical_text.size() > kLongest * draft.canonical_text.size() + 200)
    return "canonical_text is empty or far longer than the draft";
  const std::string said = input.did_what + "\n" + input.new_info + "\n" + draft.canonical_text;
  struct Part {
    const char* name;
    const std::string& drafted;
    const std::string& given;
  };
  for (const Part& part :
       {Part{"canonical_text", draft.canonical_text, answer.canonical_text},
        Part{"did_what", draft.did_what, answer.did_what}, Part{"new_info", draft.new_info, answer.new_info}}) {
    const auto lost = missing_facts(facts_to_keep(part.drafted, input.names), part.given);
    if (!lost.empty()) return std::string(part.name) + " lacks" + listed(lost);
    const auto added = added_facts(said, input.names, part.given);
    if (!added.empty()) return std::string(part.name) + " adds what nobody said:" + listed(added);
  }
  hits = check(answer.canonical_text, terms.gate, input.names);
  if (hits.empty()) return {};
  std::string fault = "canonical_text still needs its circumstances at";
  for (const GateHit& hit : hits) fault += " \"" + hit.word + "\"";
  return fault;
}

}  // namespace

RewriteTerms rewrite_terms(const Config& config, ChatModel* model) {
  return {model, config.cognitive.gate, static_cast<int>(config.cognitive_historian.rewrite_max_retry)};
}

void leave_out(const RewriteInput& input, std::string Rewritten::* part, Rewritten& written) {
  (written.*part).clear();
  (part == &Rewritten::did_what ? written.did_annotations : written.info_annotations).clear();
  put_together(input, written);
}

Rewritten rewrite(const RewriteInput& input, const RewriteTerms& terms, const Deadline& deadline) {
  Rewritten draft = draft_of(input, terms.gate == GateMode::kLiteral ? Style::kReplace : Style::kAnnotate);
  draft.left = check(draft.canonical_text, terms.gate, input.names);
  if (terms.model == nullptr) return draft;
  ChatRequest request;
  request.json_schema = kSchema;
  request.messages = rewrite_prompt(input, draft);
  for (int tries = 0; tries <= terms.max_rewrites; ++tries) {
    ++draft.model_calls;
    const auto reply = terms.model->complete(request, deadline);
    if (!reply.ok()) {
      ++draft.rejected;
      draft.why_floor = reply.error().message;
      return draft;
    }
    const auto answer = read_answer(reply->message.content);
    std::vector<GateHit> hits;
    draft.why_floor = answer.ok() ? fault_of(input, terms, draft, *answer, hits) : answer.error().message;
    if (draft.why_floor.empty()) {
      draft.did_what = answer->did_what;
      draft.new_info = answer->new_info;
      draft.canonical_text = answer->canonical_text;
      draft.by = MadeBy::kModel;
      draft.did_annotations.clear();
      draft.info_annotations.clear();
      draft.writing = {{}, terms.model->name(), rewrite_rules(input.language).id};
      draft.left.clear();
      return draft;
    }
    ++draft.rejected;
    request.messages.push_back(reply->message);
    request.messages.push_back(rewrite_again(input.language, draft.why_floor));
  }
  return draft;
}

}  // namespace weft
