// conversations.json of Claude: the messages of a conversation as a list; where an edited message or a second answer
// made branches, each says which one it follows.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "surface/imports/foreign_readers.h"
#include "text/json_lookup.h"

namespace weft {
namespace {

using Json = nlohmann::json;

// `text` has, for each part that is none, a sentence that the application could not show it; the parts have not.
std::string text_of_message(const Json& message) {
  const Json& blocks = member(message, "content");
  if (!blocks.is_array() || blocks.empty()) return text_of(member(message, "text"));
  std::string text;
  for (const Json& block : blocks)
    if (member(block, "type") == "text") text += (text.empty() ? "" : "\n") + text_of(member(block, "text"));
  return text;
}

// The branch that was shown last: from its leaf up. Without links between them the messages are one branch.
std::vector<const Json*> branch_of(const Json& conversation) {
  const Json& messages = member(conversation, "chat_messages");
  std::vector<const Json*> all;
  std::map<std::string, const Json*> by_id;
  bool linked = false;
  for (const Json& message : messages) {
    all.push_back(&message);
    by_id[text_of(member(message, "uuid"))] = &message;
    linked = linked || by_id.contains(text_of(member(message, "parent_message_uuid")));
  }
  if (!linked) return all;
  std::string at = text_of(member(conversation, "current_leaf_message_uuid"));
  if (!by_id.contains(at)) at = text_of(member(*all.back(), "uuid"));
  std::vector<const Json*> branch;
  for (auto one = by_id.find(at); one != by_id.end() && branch.size() < all.size(); one = by_id.find(at)) {
    branch.push_back(one->second);
    at = text_of(member(*one->second, "parent_message_uuid"));
  }
  std::reverse(branch.begin(), branch.end());
  return branch;
}

}  // namespace

void read_claude(const Json& conversation, std::size_t number, ForeignFile& file) {
  ForeignChat chat{text_of(member(conversation, "uuid")), text_of(member(conversation, "name")), {}};
  for (const Json* message : branch_of(conversation)) {
    const std::string sender = text_of(member(*message, "sender"));
    if (sender != "human" && sender != "assistant") {
      complain(file, fmt::format("conversation {}: a message of \"{}\"", number, sender));
      continue;
    }
    add(chat, {sender == "human" ? "user" : "assistant",
               {},
               text_of_message(*message),
               foreign_time_of(member(*message, "created_at"))});
  }
  keep(file, std::move(chat), number);
}

}  // namespace weft
