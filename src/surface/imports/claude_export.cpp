// A data export of Claude. conversations.json: the messages of a conversation as a list; where an edited message or a
// second answer made branches, each says which one it follows. projects.json: documents that conversations share.
// memories.json: what the application itself remembers. Newer exports have a file for each project and each memory.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/strings.h"
#include "surface/imports/foreign_readers.h"
#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kNoParent = "00000000-0000-4000-8000-000000000000";

// The attribute of an opening tag; empty where it has none.
std::string attribute_of(std::string_view tag, std::string_view name) {
  const std::string begin = fmt::format(" {}=\"", name);
  const auto from = tag.find(begin);
  if (from == std::string_view::npos) return {};
  tag.remove_prefix(from + begin.size());
  return std::string(tag.substr(0, tag.find('"')));
}

// Puts what `make` gives of the title and the content of each element of that name in its place.
std::string replace_tags(std::string_view text, const std::string& name,
                         const std::function<std::string(const std::string& title, std::string_view content)>& make) {
  const std::string begin = "<" + name, end = "</" + name + ">";
  std::string out;
  for (auto from = text.find(begin); from != std::string_view::npos; from = text.find(begin)) {
    const auto inside = text.find('>', from);
    if (inside == std::string_view::npos) break;
    const auto close = std::min(text.find(end, inside), text.size());
    out += text.substr(0, from);
    out += make(attribute_of(text.substr(from, inside - from), "title"), text.substr(inside + 1, close - inside - 1));
    text.remove_prefix(std::min(close + end.size(), text.size()));
  }
  return out.append(text);
}

// A document beside the conversation.
std::string artifact(const std::string& title, std::string_view content) {
  if (trimmed(content).empty()) return {};
  return fmt::format("[artifact{}{}]\n{}", title.empty() ? "" : ": ", title, trimmed(content, "\r\n"));
}

// Former versions wrote artifacts and thoughts between tags of a message's text.
std::string without_tags(const std::string& text, ChatReader& into) {
  const std::string said = replace_tags(text, "antThinking", [&](const std::string&, std::string_view) {
    into.leave_out("thought");
    return std::string();
  });
  return replace_tags(said, "antArtifact", artifact);
}

// Newer ones write artifacts by calls of a tool: whole ones, or a text in the place of another.
std::string artifact_of(const Json& call) {
  if (member(call, "name") != "artifacts") return {};
  const Json& input = member(call, "input");
  std::string content = text_of(member(input, "content"));
  if (content.empty()) content = text_of(member(input, "new_str"));
  return artifact(text_of(member(input, "title")), content);
}

std::string text_of_block(const Json& block, ChatReader& into) {
  const std::string type = text_of(member(block, "type"));
  if (type == "text") return without_tags(text_of(member(block, "text")), into);
  if (type == "tool_use")
    if (std::string text = artifact_of(block); !text.empty()) return text;
  if (type == "tool_use" || type == "tool_result" || type == "image") {
    into.leave_out(type == "tool_use" ? "tool call" : type == "image" ? "image" : "tool output");
  } else if (type == "thinking" || type == "redacted_thinking") {
    into.leave_out("thought");
  } else if (type != "token_budget") {
    if (const std::string text = text_of(member(block, "text")); !text.empty()) return text;
    into.leave_out(fmt::format("unknown part \"{}\"", type));
  }
  return {};
}

// `text` has, for each part that is none, a sentence that the application could not show it; the parts have not.
std::string text_of_message(const Json& message, ChatReader& into) {
  const Json& blocks = list_in(message, "content");
  std::string text;
  for (const Json& block : blocks) append_part(text, text_of_block(block, into));
  if (blocks.empty()) text = without_tags(text_of(member(message, "text")), into);
  for (const Json& one : list_in(message, "attachments")) {
    const std::string name = text_of(member(one, "file_name")), content = text_of(member(one, "extracted_content"));
    if (trimmed(content).empty())
      into.leave_out("file", name);
    else
      append_part(text, quoted_file(name, content));
  }
  const Json& files = list_in(message, "files").empty() ? list_in(message, "files_v2") : list_in(message, "files");
  for (const Json& one : files)
    into.leave_out(member(one, "file_kind") == "image" ? "image" : "file", text_of(member(one, "file_name")));
  return text;
}

struct Branch {
  std::vector<const Json*> messages;
  bool linked = false;
};

// The branch that was shown last: from its leaf up. Without links between them the messages are one branch.
Branch branch_of(const Json& conversation, ChatReader& into) {
  Branch branch;
  std::vector<const Json*> all;
  std::map<std::string, const Json*> by_id;
  std::set<std::string> parents;
  for (const Json& message : list_in(conversation, "chat_messages")) {
    all.push_back(&message);
    by_id.emplace(text_of(member(message, "uuid")), &message);
    parents.insert(text_of(member(message, "parent_message_uuid")));
  }
  branch.linked = std::any_of(parents.begin(), parents.end(),
                              [&](const std::string& id) { return !id.empty() && by_id.contains(id); });
  if (!branch.linked) return {std::move(all), false};
  std::string at = text_of(member(conversation, "current_leaf_message_uuid"));
  if (!by_id.contains(at)) {
    Time newest{-1, 0};
    for (const Json* one : all) {
      const std::string id = text_of(member(*one, "uuid"));
      const Time time = foreign_time_of(member(*one, "created_at"));
      if (!parents.contains(id) && time >= newest) newest = time, at = id;
    }
  }
  for (auto one = by_id.find(at); one != by_id.end() && branch.messages.size() < all.size(); one = by_id.find(at)) {
    branch.messages.push_back(one->second);
    at = text_of(member(*one->second, "parent_message_uuid"));
  }
  if (!at.empty() && at != kNoParent) into.complain("its beginning is missing, before the message " + at.substr(0, 40));
  std::reverse(branch.messages.begin(), branch.messages.end());
  for (std::size_t i = branch.messages.size(); i < all.size(); ++i)
    into.leave_out("message of a branch that was given up");
  return branch;
}

void read_conversation(const Json& conversation, ChatReader& into) {
  if (member(conversation, "is_temporary") == true)
    return into.leave_out("conversation that its owner marked as not to be remembered");
  const Branch branch = branch_of(conversation, into);
  for (const Json* message : branch.messages) {
    const std::string sender = text_of(member(*message, "sender"));
    if (sender == "human" || sender == "assistant")
      into.add({text_of(member(*message, "uuid")),
                sender == "human" ? "user" : "assistant",
                {},
                text_of_message(*message, into),
                foreign_time_of(member(*message, "created_at"))});
    else
      into.complain(fmt::format("a message of \"{}\"", sender));
  }
  into.finish(branch.linked ? ChatOrder::kAsGiven : ChatOrder::kByTime);
}

// Each document is what the user handed over when it was added.
void read_project(const Json& project, ChatReader& into) {
  for (const Json& one : list_in(project, "docs")) {
    const std::string name = text_of(member(one, "filename")), content = text_of(member(one, "content"));
    if (trimmed(content).empty())
      into.leave_out("file", name);
    else
      into.add({text_of(member(one, "uuid")),
                "user",
                {},
                quoted_file(name, content),
                foreign_time_of(member(one, "created_at"))});
  }
  if (!text_of(member(project, "prompt_template")).empty()) into.leave_out("custom instructions");
  into.finish(ChatOrder::kByTime);
}

// A note a paragraph; a heading that stands alone leads its paragraph.
void read_memory(const std::string& text, ForeignFile& file) {
  std::string paragraph, heading;
  const auto end_paragraph = [&] {
    const bool is_heading = paragraph.find('\n') == std::string::npos && paragraph.starts_with("**") &&
                            paragraph.ends_with("**") && paragraph.size() > 4;
    if (is_heading)
      heading = paragraph.substr(2, paragraph.size() - 4) + ": ";
    else if (!paragraph.empty())
      file.notes.push_back({heading + paragraph, {}, {}});
    if (!is_heading && !paragraph.empty()) heading.clear();
    paragraph.clear();
  };
  for (const std::string_view line : lines_of(text)) {
    if (trimmed(line).empty())
      end_paragraph();
    else
      append_part(paragraph, trimmed(line));
  }
  end_paragraph();
}

}  // namespace

void read_claude(const Json& element, std::size_t number, ForeignFile& file) {
  if (element.contains("conversations_memory") || element.contains("project_memories")) {
    read_memory(text_of(member(element, "conversations_memory")), file);
    const Json& projects = member(element, "project_memories");
    if (projects.is_object())
      for (const auto& [id, text] : projects.items()) read_memory(text_of(text), file);
    return;
  }
  ForeignChat chat{text_of(member(element, "uuid")),
                   text_of(member(element, "name")),
                   foreign_time_of(member(element, "created_at")),
                   {}};
  ChatReader into(file, number, std::move(chat));
  if (element.contains("docs")) return read_project(element, into);
  if (!member(element, "chat_messages").is_array())
    return into.complain("it has another form than conversations of Claude");
  read_conversation(element, into);
}

}  // namespace weft
