// conversations.json of ChatGPT: each conversation is a tree of messages, of which the leaf that was shown last is
// named. What people saw is taken: messages, what was said aloud, canvases. What nobody saw is counted: calls of tools
// and what they gave, thoughts, settings, hidden messages; so are pictures, files and branches that were given up.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/strings.h"
#include "surface/imports/foreign_readers.h"
#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::json;

// Sources and links stand in a text as names between two marks that no font shows.
std::string without_marks(const std::string& text) {
  constexpr std::string_view kBegin = "\xEE\x88\x80", kEnd = "\xEE\x88\x81";  // U+E200, U+E201
  std::string out;
  std::size_t at = 0;
  for (;;) {
    const auto begin = text.find(kBegin, at);
    const auto end = begin == std::string::npos ? begin : text.find(kEnd, begin);
    if (end == std::string::npos) return out + text.substr(at);
    out.append(text, at, begin - at);
    at = end + kEnd.size();
  }
}

// How a part that is no text is called; a part of an unknown type by that type.
std::string kind_of_part(const std::string& type) {
  if (type.find("image") != std::string::npos) return "image";
  if (type.find("video") != std::string::npos) return "video";
  if (type.find("audio") != std::string::npos) return "audio";
  return fmt::format("unknown part \"{}\"", type);
}

// The text of a message's content in whatever form: parts, of which some may be no text, or one text.
std::string text_of_content(const Json& content, ChatReader* into) {
  std::string text;
  for (const Json& part : list_in(content, "parts")) {
    const std::string said = part.is_string() ? part.get<std::string>() : text_of(member(part, "text"));
    append_part(text, said);
    if (said.empty() && part.is_object() && into != nullptr)
      into->leave_out(kind_of_part(text_of(member(part, "content_type"))));
  }
  if (text.empty()) text = text_of(member(content, "text"));
  return without_marks(text);
}

// What the kind of a content says of it where it is nothing that was said; empty for what may be said.
std::string_view unsaid_kind(const std::string& type) {
  if (type == "thoughts" || type == "reasoning_recap") return "thought";
  if (type == "user_editable_context") return "custom instructions";
  if (type == "model_editable_context") return "memory of the application";
  if (type == "code") return "tool call";
  if (type == "execution_output" || type.starts_with("tether_") || type == "computer_output") return "tool output";
  return type == "system_error" ? "error message" : std::string_view();
}

// A canvas is a document beside the conversation, written by calls of a tool whose arguments are JSON.
std::string text_of_canvas(const std::string& arguments) {
  const Json json = lenient_json<Json>(arguments);
  std::string text = text_of(member(json, "content"));
  for (const Json& update : list_in(json, "updates")) append_part(text, text_of(member(update, "replacement")));
  if (trimmed(text).empty()) return {};
  const std::string name = text_of(member(json, "name"));
  return fmt::format("[canvas{}{}]\n{}", name.empty() ? "" : ": ", name, text);
}

bool is_hidden(const Json& message) {
  const Json& weight = member(message, "weight");
  return member(member(message, "metadata"), "is_visually_hidden_from_conversation") == true ||
         (weight.is_number() && weight.get<double>() == 0);
}

void leave_out_files(const Json& message, ChatReader& into) {
  for (const Json& one : list_in(member(message, "metadata"), "attachments")) {
    std::string type = text_of(member(one, "mime_type"));
    if (type.empty()) type = text_of(member(one, "mimeType"));
    // A picture is a part of the message, too.
    if (!type.starts_with("image/")) into.leave_out("file", text_of(member(one, "name")));
  }
}

// What a message is where it is not said by anybody, or not to be seen; empty for what is taken.
std::string kind_left_out(const Json& message, const std::string& role) {
  const Json& content = member(message, "content");
  if (member(member(message, "metadata"), "is_user_system_message") == true) return "custom instructions";
  // Calls of a canvas are code, too, but what they write is shown.
  const std::string to = text_of(member(message, "recipient"));
  if (role == "assistant" && to.starts_with("canmore.")) return "canvas";
  if (const auto kind = unsaid_kind(text_of(member(content, "content_type"))); !kind.empty()) return std::string(kind);
  if (role == "tool") return "tool output";
  if (role == "system") return "system message";
  if (role != "user" && role != "assistant") return fmt::format("message of \"{}\"", role);
  if (is_hidden(message)) return "hidden message";
  return to.empty() || to == "all" ? std::string() : "tool call";
}

void read_message(const Json& message, const std::string& id, ChatReader& into) {
  if (!message.is_object()) return;
  const std::string role = text_of(member(member(message, "author"), "role"));
  const Json& content = member(message, "content");
  std::string kind = kind_left_out(message, role), text;
  if (kind == "canvas") {
    text = text_of_canvas(text_of_content(content, nullptr));
    if (text.empty()) kind = "call of a canvas";
  }
  if (kind.empty()) {
    text = text_of_content(content, &into);
    leave_out_files(message, into);
  } else if (text.empty()) {
    // The applications put empty messages of the system and hidden ones between others.
    const bool may_be_empty = kind == "system message" || kind == "hidden message";
    if (!may_be_empty || !text_of_content(content, nullptr).empty()) into.leave_out(kind);
    if (role == "tool") (void)text_of_content(content, &into);
    return;
  }
  into.add({id, role, {}, std::move(text), foreign_time_of(member(message, "create_time"))});
}

/// The nodes of a conversation and which follows which: by their parents, or by what these say of their children.
class Tree {
 public:
  explicit Tree(const Json& mapping) : mapping_(mapping) {
    for (const auto& [id, node] : mapping.items()) {
      if (const std::string parent = text_of(member(node, "parent")); mapping.contains(parent)) link(id, parent);
      for (const Json& child : list_in(node, "children"))
        if (const std::string name = text_of(child); mapping.contains(name)) link(name, id);
    }
  }

  bool linked() const { return !parents_.empty(); }

  /// From the first node to this one.
  std::vector<std::string> branch_to(std::string at) const {
    std::vector<std::string> branch;
    std::set<std::string> seen;
    while (!at.empty() && mapping_.contains(at) && seen.insert(at).second) {
      branch.push_back(at);
      at = parent_of(at);
    }
    std::reverse(branch.begin(), branch.end());
    return branch;
  }

  std::string parent_of(const std::string& id) const {
    const auto known = parents_.find(id);
    return known == parents_.end() ? text_of(member(mapping_.at(id), "parent")) : known->second;
  }

  /// Where no leaf is named: the one whose branch has the newest message, and of several, or without times, the longest
  /// branch. Looks at each node once.
  std::string last_leaf() const {
    std::map<std::string, Rank> ranks;
    std::string best;
    for (const auto& [id, node] : mapping_.items()) {
      if (has_children_.contains(id)) continue;
      std::vector<std::string> unranked;
      std::string at = id;
      while (mapping_.contains(at) && ranks.emplace(at, Rank()).second) {
        unranked.push_back(at);
        at = parent_of(at);
      }
      Rank rank = mapping_.contains(at) ? ranks[at] : Rank();
      for (auto one = unranked.rbegin(); one != unranked.rend(); ++one) {
        const Time time = foreign_time_of(member(member(mapping_.at(*one), "message"), "create_time"));
        rank = ranks[*one] = {std::max(rank.first, time.ms), rank.second + 1};
      }
      if (best.empty() || ranks[id] > ranks[best]) best = id;
    }
    return best;
  }

 private:
  using Rank = std::pair<std::int64_t, std::size_t>;  // the newest time of a branch, and its length

  void link(const std::string& child, const std::string& parent) {
    parents_.emplace(child, parent);
    has_children_.insert(parent);
  }

  const Json& mapping_;
  std::map<std::string, std::string> parents_;
  std::set<std::string> has_children_;
};

// Text of messages that stand on no branch that was shown.
void leave_out_rest(const Json& mapping, const std::vector<std::string>& taken, ChatReader& into) {
  const std::set<std::string> shown(taken.begin(), taken.end());
  for (const auto& [id, node] : mapping.items()) {
    const Json& message = member(node, "message");
    const std::string role = text_of(member(member(message, "author"), "role"));
    if (shown.contains(id) || !message.is_object() || !kind_left_out(message, role).empty()) continue;
    if (!text_of_content(member(message, "content"), nullptr).empty())
      into.leave_out("message of a branch that was given up");
  }
}

void read_tree(const Json& conversation, ChatReader& into) {
  const Json& mapping = member(conversation, "mapping");
  const Tree tree(mapping);
  if (!tree.linked() && mapping.size() > 1) {
    for (const auto& [id, node] : mapping.items()) read_message(member(node, "message"), id, into);
    return into.finish(ChatOrder::kByTime);
  }
  std::string leaf = text_of(member(conversation, "current_node"));
  if (!mapping.contains(leaf)) leaf = tree.last_leaf();
  const auto branch = tree.branch_to(leaf);
  if (branch.empty()) into.complain("its messages hang together nowhere");
  if (!branch.empty())
    if (const std::string before = tree.parent_of(branch.front()); !before.empty())
      into.complain("its beginning is missing, before the message " + before.substr(0, 40));
  for (const std::string& id : branch) read_message(member(mapping.at(id), "message"), id, into);
  leave_out_rest(mapping, branch, into);
  into.finish(ChatOrder::kAsGiven);
}

}  // namespace

void read_chatgpt(const Json& conversation, std::size_t number, ForeignFile& file) {
  ForeignChat chat{text_of(member(conversation, "conversation_id")),
                   text_of(member(conversation, "title")),
                   foreign_time_of(member(conversation, "create_time")),
                   {}};
  if (chat.id.empty()) chat.id = text_of(member(conversation, "id"));
  if (chat.time.ms == 0) chat.time = foreign_time_of(member(conversation, "update_time"));
  ChatReader into(file, number, std::move(chat));
  for (const char* mark : {"is_do_not_remember", "is_temporary_chat"})
    if (const Json& given = member(conversation, mark); given == true || given == "true" || given == 1)
      return into.leave_out("conversation that its owner marked as not to be remembered");
  if (member(conversation, "mapping").is_object()) return read_tree(conversation, into);
  const Json& messages = member(conversation, "messages");
  if (!messages.is_array()) return into.complain("it has another form than conversations of ChatGPT");
  for (const Json& message : messages) read_message(message, text_of(member(message, "id")), into);
  into.finish(ChatOrder::kByTime);
}

}  // namespace weft
