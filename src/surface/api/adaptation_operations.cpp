// Beliefs of what is preferred, and questions to people.
#include "model/growth_records.h"
#include "surface/api/cursor.h"
#include "surface/api/list_operation.h"

namespace weft {
namespace {

struct ConfirmedBelief {
  std::string dimension, value;
};
struct NamedBelief {
  std::string dimension, value;
};
struct EditedAnswer {
  std::string before, after, source;
};
struct ForgottenBeliefs {
  std::size_t forgotten = 0;
};
struct AskQuestion {
  std::string text, why, fallback, run, session;
  QuestionKind kind = QuestionKind::kKnowledge;
  Grade urgency = Grade::kMedium;
  std::vector<std::string> choices;
};
struct AnswerQuestion {
  std::string answer, arguments;
};

}  // namespace

WEFT_DESCRIBED(NamedBelief);
WEFT_DESCRIBED(ConfirmedBelief);
WEFT_DESCRIBED(EditedAnswer);
WEFT_DESCRIBED(ForgottenBeliefs);
WEFT_DESCRIBED(AskQuestion);
WEFT_DESCRIBED(AnswerQuestion);

template <>
const Record<ConfirmedBelief>& record<ConfirmedBelief>() {
  static const auto made = Record<ConfirmedBelief>("ConfirmBelief", "What holds.", RecordUse::kAsked)
                               .field("dimension", &ConfirmedBelief::dimension, "detail, format, …", {.required = true})
                               .field("value", &ConfirmedBelief::value, "of it", {.required = true});
  return made;
}

template <>
const Record<NamedBelief>& record<NamedBelief>() {
  static const auto made = Record<NamedBelief>("NamedBelief", "Which belief is meant.", RecordUse::kAsked)
                               .field("dimension", &NamedBelief::dimension, "detail, format, …", {.required = true})
                               .field("value", &NamedBelief::value, "empty: the leading one, or all of the dimension");
  return made;
}

template <>
const Record<EditedAnswer>& record<EditedAnswer>() {
  static const auto made =
      Record<EditedAnswer>("EditedAnswer", "What a user made of an answer.", RecordUse::kAsked)
          .field("before", &EditedAnswer::before, "the answer", {.required = true})
          .field("after", &EditedAnswer::after, "what became of it", {.required = true})
          .field("source", &EditedAnswer::source, "SESSION/MESSAGE of the answer; the same one counts once");
  return made;
}

template <>
const Record<ForgottenBeliefs>& record<ForgottenBeliefs>() {
  static const auto made = Record<ForgottenBeliefs>("ForgottenBeliefs", "How many beliefs went.", RecordUse::kTold)
                               .field("forgotten", &ForgottenBeliefs::forgotten, "beliefs");
  return made;
}

template <>
const Record<AskQuestion>& record<AskQuestion>() {
  static const auto made =
      Record<AskQuestion>("AskQuestion", "A question for the user.", RecordUse::kAsked)
          .field("text", &AskQuestion::text, "as it is asked, one question", {.required = true})
          .field("why", &AskQuestion::why, "what it is needed for")
          .field("fallback", &AskQuestion::fallback, "what is done without an answer")
          .field("run", &AskQuestion::run, "that waits for it")
          .field("session", &AskQuestion::session, "of the run")
          .field("kind", &AskQuestion::kind, "what is wanted")
          .field("urgency", &AskQuestion::urgency, "HIGH: now; others in batches and not in quiet hours")
          .field("choices", &AskQuestion::choices, "that are offered");
  return made;
}

template <>
const Record<AnswerQuestion>& record<AnswerQuestion>() {
  static const auto made = Record<AnswerQuestion>("AnswerQuestion", "An answer to a question.", RecordUse::kAsked)
                               .field("answer", &AnswerQuestion::answer,
                                      "letter, number or words of a choice, or free text", {.required = true})
                               .json("arguments", &AnswerQuestion::arguments,
                                     "of a call that is to be approved: in the place of those that were shown",
                                     {.advanced = true}, ValueObject{{"type", "object"}});
  return made;
}

template <>
inline constexpr std::string_view kListName<Belief> = "beliefs";
template <>
inline constexpr std::string_view kListName<Question> = "questions";

namespace {

Result<std::vector<Belief>> get_beliefs(const Call& call) { return call.engine.beliefs(call.context).list(); }

std::string key_of(const Belief& one) { return mark_of(one.dimension + '\n' + one.value); }

Result<Belief> confirm_belief(const Call& call, ConfirmedBelief named) {
  return call.engine.beliefs(call.context).confirm(named.dimension, named.value);
}

Result<Belief> reject_belief(const Call& call, NamedBelief named) {
  return call.engine.beliefs(call.context).reject(named.dimension, named.value);
}

Result<ForgottenBeliefs> forget_belief(const Call& call, NamedBelief named) {
  WEFT_TRY(const auto gone, call.engine.beliefs(call.context).forget(named.dimension, named.value));
  return ForgottenBeliefs{gone};
}

Result<List<Belief>> learn_edit(const Call& call, EditedAnswer edit) {
  WEFT_TRY(auto all, call.engine.beliefs(call.context).learn_edit(edit.before, edit.after, edit.source));
  return List<Belief>{std::move(all)};
}

Result<std::vector<Question>> get_questions(const Call& call) { return call.engine.questions(call.context).list(); }

std::string key_of(const Question& one) { return one.id; }

Result<List<Question>> next_question(const Call& call) {
  WEFT_TRY(const auto next, call.engine.questions(call.context).next());
  List<Question> one;
  if (next) one.all.push_back(*next);
  return one;
}

Result<Question> ask_question(const Call& call, AskQuestion asked) {
  Question question;
  question.text = asked.text;
  question.why = asked.why;
  question.fallback = asked.fallback;
  question.run = asked.run;
  question.session = asked.session;
  question.kind = asked.kind;
  question.urgency = asked.urgency;
  question.choices = asked.choices;
  return call.engine.questions(call.context).ask(question);
}

Result<Question> answer_question(const Call& call, AnswerQuestion given) {
  return call.engine.questions(call.context).answer(call.path("id"), given.answer, given.arguments);
}

Result<Question> withdraw_question(const Call& call) {
  return call.engine.questions(call.context).withdraw(call.path("id"));
}

}  // namespace

std::vector<Operation> adaptation_operations() {
  constexpr Whose kScope = Whose::kScope;
  return {
      list_operation<Belief>("beliefs", "GET /v1/beliefs", "what is believed of the user's preferences", kScope,
                             ListOrder::kAsGiven, get_beliefs, key_of),
      operation("confirm_belief", "POST /v1/beliefs/confirm", "say that a value holds", kScope, confirm_belief),
      operation("reject_belief", "POST /v1/beliefs/reject", "say that it does not", kScope, reject_belief),
      operation("forget_belief", "POST /v1/beliefs/forget", "take a dimension out, or one value", kScope,
                forget_belief),
      operation("learn_edit", "POST /v1/beliefs/edits", "learn from what the user made of an answer", kScope,
                learn_edit),
      list_operation<Question>("questions", "GET /v1/questions", "questions to the user in every stage", kScope,
                               ListOrder::kAsGiven, get_questions, key_of),
      operation("next_question", "GET /v1/questions/next", "the one that stands before the user now, or none", kScope,
                next_question),
      operation("ask_question", "POST /v1/questions", "queue a question", kScope, ask_question),
      operation("answer_question", "POST /v1/questions/{id}", "answer it", kScope, answer_question),
      operation("withdraw_question", "DELETE /v1/questions/{id}", "take it back", kScope, withdraw_question),
  };
}

}  // namespace weft
