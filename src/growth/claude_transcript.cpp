#include "growth/claude_transcript.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "text/json.h"
#include "text/typed_words.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLargestLine = 32 * 1024 * 1024;
constexpr std::size_t kDeepestLine = 256;

constexpr std::string_view kCommandOutput = "<local-command-std";

std::string text_at(const Json& object, const char* name) { return text_of(member(object, name)); }

bool flag(const Json& object, const char* name) {
  const Json& at = member(object, name);
  return at.is_boolean() && at.get<bool>();
}

// Whether the text begins with one of the elements in which a slash command is told.
bool is_command(std::string_view text) { return trimmed(text).starts_with("<command-"); }

bool is_local_output(std::string_view text) { return trimmed(text).starts_with(kCommandOutput); }

/// A message of the person, without what the program adds to it.
struct Cleaner {
  std::map<std::string, std::size_t>& left_out;

  std::string typed(const std::string& text) const {
    std::string words = typed_prompt(text);
    if (words.empty() && !trimmed(text).empty()) ++left_out["text of the program"];
    return words;
  }

  // Outputs hold reminders, too.
  Json output(Json block) const {
    if (!block.contains("content")) return block;
    Json& content = block["content"];
    if (content.is_string()) content = without_reminders(content.get_ref<const std::string&>());
    if (!content.is_array()) return block;
    std::string text;
    for (const Json& part : content) {
      const std::string one = text_at(part, "text");
      if (text_at(part, "type") != "text" && !part.is_string()) {
        ++left_out[text_at(part, "type") + " in an output"];
        continue;
      }
      const std::string kept = without_reminders(part.is_string() ? text_of(part) : one);
      if (!kept.empty()) text += (text.empty() ? "" : "\n") + kept;
    }
    content = std::move(text);
    return block;
  }

  Json users(const Json& content) const {
    if (content.is_string()) return typed(content.get<std::string>());
    Json kept = Json::array();
    for (const Json& block : content) {
      const std::string type = text_at(block, "type");
      if (type == "tool_result") {
        kept.push_back(output(block));
      } else if (type == "text") {
        if (std::string words = typed(text_at(block, "text")); !words.empty())
          kept.push_back({{"type", "text"}, {"text", std::move(words)}});
      } else {
        ++left_out[type.empty() ? "unknown part" : type];
      }
    }
    return kept;
  }

  Json models(const Json& content) const {
    if (content.is_string()) return content;
    Json kept = Json::array();
    for (const Json& block : content) {
      const std::string type = text_at(block, "type");
      const std::string text = text_at(block, "text");
      const std::string_view words = trimmed(text);
      const bool says_nothing = type == "text" && (words == "(no content)" || words == "No response requested.");
      if ((type == "text" && !says_nothing) || type == "thinking" || type == "redacted_thinking" || type == "tool_use")
        kept.push_back(block);
      else
        ++left_out[says_nothing ? "text of the program" : type.empty() ? "unknown part" : type];
    }
    return kept;
  }
};

// The user's line that holds `content`, made of a line of another type.
Json as_user(const Json& line, const char* former, const Json& content) {
  Json user = line;
  user.erase(former);
  user["type"] = "user";
  user["message"] = {{"role", "user"}, {"content", content}};
  return user;
}

// What was typed while the model was at work is an attachment, never a line of the user.
std::optional<Json> queued_prompt(const Json& line) {
  const Json& attachment = member(line, "attachment");
  if (text_at(attachment, "type") != "queued_command" || flag(attachment, "isMeta")) return std::nullopt;
  const std::string mode = text_at(attachment, "commandMode"), from = text_at(member(attachment, "origin"), "kind");
  if ((!mode.empty() && mode != "prompt") || (!from.empty() && from != "human")) return std::nullopt;
  return as_user(line, "attachment", member(attachment, "prompt"));
}

// A command that the program carries out itself may be a line of the system.
std::optional<Json> told_command(const Json& line) {
  const std::string text = text_at(line, "content");
  if (text_at(line, "subtype") != "local_command" || !is_command(text) || !is_told_command(typed_words(text)))
    return std::nullopt;
  return as_user(line, "content", text);
}

// Why nobody said what the line holds; empty where somebody may have.
std::string why_not_said(const Json& line, bool from_user) {
  if (flag(line, "isMeta")) return "meta";
  if (flag(line, "isCompactSummary") || flag(line, "isVisibleInTranscriptOnly")) return "summary of a compaction";
  const Json& message = member(line, "message");
  if (!from_user)
    return flag(line, "isApiErrorMessage") || text_at(message, "model") == "<synthetic>" ? "error" : std::string();
  const std::string from = text_at(member(line, "origin"), "kind");
  if ((!from.empty() && from != "human") || text_at(line, "promptSource") == "system") return "text of the program";
  return {};
}

// The line with its message cleaned; nothing where nothing of it is left.
std::optional<Json> cleaned(const Json& line, std::map<std::string, std::size_t>& left_out) {
  const std::string type = text_at(line, "type");
  const std::optional<Json> moved = type == "attachment" ? queued_prompt(line)
                                    : type == "system"   ? told_command(line)
                                                         : std::nullopt;
  const bool from_user = type == "user" || moved.has_value();
  Json kept = moved ? *moved : line;
  const Json& content = member(member(kept, "message"), "content");
  if ((!from_user && type != "assistant") || (!content.is_string() && !content.is_array())) {
    ++left_out[type.empty() ? "unknown" : type];
    return std::nullopt;
  }
  if (const std::string why = why_not_said(kept, from_user); !why.empty()) {
    ++left_out[why];
    return std::nullopt;
  }
  const Cleaner clean{left_out};
  Json rest = from_user ? clean.users(content) : clean.models(content);
  if (rest.is_string() ? trimmed(text_of(rest)).empty() : rest.empty()) return std::nullopt;
  kept["message"]["content"] = std::move(rest);
  return kept;
}

bool has_words(const Json& content) {
  if (content.is_string()) return true;
  return std::any_of(content.begin(), content.end(),
                     [](const Json& block) { return text_at(block, "type") == "text"; });
}

std::string whole_text(const Json& content) {
  if (content.is_string()) return text_of(content);
  return content.is_array() && !content.empty() ? text_at(content.front(), "text") : std::string();
}

}  // namespace

std::string typed_prompt(std::string_view prompt) {
  std::string words = typed_words(prompt);
  const bool told = prompt.find("<command-name>") != std::string_view::npos;  // with what the command did
  return is_bare_command(words) && !told ? std::string() : words;
}

/// Which lines are on a branch that was left, and what belongs to whom.
struct ClaudeTranscript::Tree {
  struct Node {
    std::string parent;  ///< empty: it has none
    bool prompt = false;  ///< words of the person
    bool speaks = false;  ///< of a person or a model
    bool sidechain = false;
    std::string session;
  };

  std::unordered_map<std::string, Node> nodes;
  std::unordered_set<std::string> left;  ///< on a branch that was left
  std::unordered_set<std::string> local;  ///< commands that the program carried out itself
  std::set<std::string> read;
  bool sub_agents = false;  ///< the file is a sub-agent's own
  bool linked = false;  ///< lines name their parents

  explicit Tree(std::string_view lines) {
    std::vector<std::string> order;
    std::string last_command;
    bool begun = false;
    for (const std::string_view whole : lines_of(lines)) {
      const std::string_view line = trimmed(whole);
      if (!line.starts_with('{')) continue;
      if (!check_json(line, {.max_bytes = kLargestLine, .max_depth = kDeepestLine}, "line").ok()) continue;
      const Json json = Json::parse(line, nullptr, false);
      note(json, order, last_command);
      const std::string type = text_at(json, "type");
      if (!begun && (type == "user" || type == "assistant")) {
        begun = true;
        sub_agents = flag(json, "isSidechain");
      }
    }
    if (linked) find_left(order);
  }

  void note(const Json& line, std::vector<std::string>& order, std::string& last_command) {
    const std::string id = text_at(line, "uuid"), type = text_at(line, "type");
    if (id.empty()) return;
    const Json& message = member(line, "message");
    if (type == "assistant") last_command.clear();
    const std::string text = whole_text(member(message, "content"));
    if (type == "user" && is_local_output(text) && !last_command.empty()) local.insert(std::exchange(last_command, {}));
    if (type == "user" && is_command(text)) last_command = is_told_command(typed_words(text)) ? std::string() : id;
    std::map<std::string, std::size_t> uncounted;
    const auto words =
        type == "user" || type == "attachment" || type == "system" ? cleaned(line, uncounted) : std::nullopt;
    const bool prompt = words && has_words((*words)["message"]["content"]);
    Node node{parent_of(line, prompt, order), prompt, type == "user" || type == "assistant" || prompt,
              flag(line, "isSidechain"), text_at(line, "sessionId")};
    if (nodes.try_emplace(id, std::move(node)).second) order.push_back(id);
  }

  // A compaction cuts the chain, and other lines without a parent go on from what stands before them. Only a prompt
  // that has none begins the conversation again.
  std::string parent_of(const Json& line, bool prompt, const std::vector<std::string>& order) {
    for (const char* name : {"parentUuid", "logicalParentUuid"}) {
      std::string parent = text_at(line, name);
      linked = linked || !parent.empty();
      if (!parent.empty()) return parent;
    }
    return order.empty() || (prompt && line.contains("parentUuid")) ? std::string() : order.back();
  }

  void find_left(const std::vector<std::string>& order) {
    std::string before;
    for (const std::string& id : order) {  // where a part of a file begins, what it goes on from is not there
      const std::string parent = nodes[id].parent;
      if (!parent.empty() && !nodes.contains(parent)) nodes[parent] = Node{before, false, false, false, {}};
      before = id;
    }
    std::map<std::string, std::string> newest;
    for (const std::string& id : order)
      if (const Node& node = nodes[id]; node.speaks && (sub_agents || !node.sidechain)) newest[node.session] = id;
    std::unordered_set<std::string> living;
    for (const auto& [session, leaf] : newest)
      for (std::string at = leaf; !at.empty() && living.insert(at).second;) at = nodes[at].parent;
    for (const std::string& id : order) {
      std::unordered_set<std::string> seen;
      std::string at = id;
      while (!at.empty() && !living.contains(at) && !nodes[at].prompt && !left.contains(at) && seen.insert(at).second)
        at = nodes[at].parent;
      const bool was_left = !at.empty() && !living.contains(at) && !seen.contains(at);
      (was_left ? left : living).insert(id);
    }
  }
};

ClaudeTranscript::ClaudeTranscript(std::string_view lines) : tree_(std::make_unique<Tree>(lines)) {}
ClaudeTranscript::~ClaudeTranscript() = default;
ClaudeTranscript::ClaudeTranscript(ClaudeTranscript&&) noexcept = default;
ClaudeTranscript& ClaudeTranscript::operator=(ClaudeTranscript&&) noexcept = default;

std::optional<Json> ClaudeTranscript::said(const Json& line) {
  const std::string id = text_at(line, "uuid");
  const auto leave_out = [this](const char* why) {
    ++left_out_[why];
    return std::nullopt;
  };
  if (flag(line, "isSidechain") && !tree_->sub_agents) return leave_out("side chain");
  if (tree_->left.contains(id)) return leave_out("branch that was left");
  if (tree_->local.contains(id)) return leave_out("command of the program");
  auto kept = cleaned(line, left_out_);
  if (kept && !id.empty() && !tree_->read.insert(id).second) return leave_out("copy");
  return kept;
}

}  // namespace weft
