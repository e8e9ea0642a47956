// Beliefs and questions, as facets: each function is one of the service that has the subject.
#include "engine/adaptation.h"
#include "engine/answers.h"
#include "engine/services.h"
#include "weft/engine.h"

namespace weft {

using Request = RequestContext;

Beliefs Engine::beliefs(const Caller& caller) const { return {services(), caller}; }
Questions Engine::questions(const Caller& caller) const { return {services(), caller}; }

Result<std::vector<Belief>> Beliefs::list() const {
  return call([&](const Services& in, const Request& request) { return in.beliefs->beliefs(request); });
}
Result<Belief> Beliefs::confirm(const std::string& dimension, const std::string& value) const {
  return call([&](const Services& in, const Request& request) {
    return in.beliefs->confirm_belief(request, dimension, value);
  });
}
Result<Belief> Beliefs::reject(const std::string& dimension, const std::string& value) const {
  return call(
      [&](const Services& in, const Request& request) { return in.beliefs->reject_belief(request, dimension, value); });
}
Result<std::size_t> Beliefs::forget(const std::string& dimension, const std::string& value) const {
  return call(
      [&](const Services& in, const Request& request) { return in.beliefs->forget_belief(request, dimension, value); });
}
Result<std::vector<Belief>> Beliefs::learn_edit(const std::string& before, const std::string& after,
                                                const std::string& source) const {
  return call([&](const Services& in, const Request& request) {
    return in.beliefs->learn_edit(request, before, after, source);
  });
}
Result<std::vector<std::string>> Beliefs::problems() const {
  return call([&](const Services& in, const Request& request) { return in.beliefs->belief_problems(request); });
}

Result<std::vector<Question>> Questions::list() const {
  return call([&](const Services& in, const Request& request) { return in.questions->questions(request); });
}
Result<Question> Questions::ask(const Question& question) const {
  return call([&](const Services& in, const Request& request) { return in.questions->ask(request, question); });
}
Result<std::optional<Question>> Questions::next() const {
  return call([&](const Services& in, const Request& request) { return in.questions->next_question(request); });
}
Result<Question> Questions::answer(const std::string& id, const std::string& text, const std::string& arguments) const {
  return call(
      [&](const Services& in, const Request& request) { return in.questions->answer(request, id, text, arguments); });
}
Result<Question> Questions::withdraw(const std::string& id) const {
  return call([&](const Services& in, const Request& request) { return in.questions->withdraw(request, id); });
}

}  // namespace weft
