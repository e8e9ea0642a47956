// The form that every chat template takes. Many refuse a system message that is not the first one, or a second one, and
// some want user and assistant to take turns: so ours go into the caller's own, and into the text of the user.
#include <utility>

#include "flow/context/assembly.h"
#include "model/added_text.h"
#include "model/make_message.h"

namespace weft {
namespace {

bool is_ours(const Placed& one) {
  return one.section != "history" && one.section != "input" && one.section != "system";
}

std::string joined(std::string a, const std::string& b) { return a.empty() ? b : std::move(a) + "\n\n" + b; }

void add_before(Message& message, const std::string& text) {
  const char* const space = message.content.empty() ? "" : "\n\n";
  message = with_text_before(std::move(message), text + space);
}

void add_after(Message& message, const std::string& text) {
  const char* const space = message.content.empty() ? "" : "\n\n";
  message = with_text_after(std::move(message), space + text);
}

class Folder {
 public:
  std::vector<Message> fold(std::vector<Placed> placed) {
    std::size_t at = 0;
    for (; at < placed.size() && placed[at].message.role == Role::kSystem && !placed[at].moves; ++at)
      lead(std::move(placed[at]));
    for (; at < placed.size(); ++at) {
      if (is_ours(placed[at]) && placed[at].message.role != Role::kAssistant)
        waiting_ = joined(std::move(waiting_), placed[at].message.content);
      else
        put(std::move(placed[at].message));
    }
    end();
    return std::move(messages_);
  }

 private:
  void lead(Placed one) {
    if (messages_.empty())
      messages_.push_back(std::move(one.message));
    else
      add_after(messages_.front(), one.message.content);
  }
  void put(Message message) {
    if (message.role == Role::kUser && !waiting_.empty()) add_before(message, std::exchange(waiting_, {}));
    messages_.push_back(std::move(message));
  }
  // What no user's message follows stands at the end of the last output, else in the last thing the user said.
  void end() {
    if (waiting_.empty()) return;
    if (!messages_.empty() && messages_.back().role != Role::kAssistant) return add_after(messages_.back(), waiting_);
    for (auto one = messages_.rbegin(); one != messages_.rend(); ++one)
      if (one->role == Role::kUser) return add_before(*one, waiting_);
    if (messages_.empty() || messages_.front().role != Role::kSystem)
      messages_.insert(messages_.begin(), make_message(Role::kSystem, ""));
    add_after(messages_.front(), waiting_);
  }

  std::vector<Message> messages_;
  std::string waiting_;  // for the next message of the user
};

}  // namespace

std::vector<Message> fold(std::vector<Placed> placed, bool several_system_messages) {
  if (!several_system_messages) return Folder().fold(std::move(placed));
  std::vector<Message> messages;
  for (Placed& one : placed) messages.push_back(std::move(one.message));
  return messages;
}

}  // namespace weft
