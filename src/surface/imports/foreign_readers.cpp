#include "surface/imports/foreign_readers.h"

#include <fmt/format.h>
#include <xxhash.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "base/strings.h"
#include "text/json.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kMostProblems = 100;
constexpr std::size_t kMostPlaces = 5;  // of a tally
constexpr std::size_t kTitleCharacters = 60;
constexpr std::string_view kTimeOfOthers = "message without a time: it has that of the conversation or a neighbour",
                           kNoTime = "message without any time: no date is noted for it";

// Since 1970.
Time time_of_number(double number) {
  constexpr double kSecondsUntilMillis = 1e11;  // the year 5138
  constexpr double kMostMillis = 2.5e14;        // the year 9892
  if (!(number > 0)) return {};
  const double ms = number < kSecondsUntilMillis ? number * 1000 : number;
  return {ms < kMostMillis ? static_cast<std::int64_t>(ms) : 0, 0};
}

// As SillyTavern has written it over the years; month names are English whatever the place of its user.
Time time_as_shown(const std::string& text) {
  for (const char* form : {"%B %d, %Y %I:%M%p", "%Y-%m-%d@%Hh%Mm%Ss", "%Y-%m-%d @%Hh %Mm %Ss", "%Y-%m-%d %H:%M:%S"}) {
    std::tm parts{};
    const char* end = ::strptime(text.c_str(), form, &parts);
    if (end != nullptr) return {std::int64_t{::timegm(&parts)} * 1000, 0};
  }
  return {};
}

}  // namespace

Time foreign_time(std::string_view text) {
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed == std::errc() && end == text.data() + text.size()) return time_of_number(number);
  const auto written = parse_time(text);
  return written.ok() ? *written : time_as_shown(std::string(text));
}

Time foreign_time_of(const nlohmann::json& value) {
  return value.is_number() ? time_of_number(value.get<double>()) : foreign_time(text_of(value));
}

const nlohmann::json& list_in(const nlohmann::json& object, const char* name) {
  static const nlohmann::json kEmpty = nlohmann::json::array();
  const nlohmann::json& found = member(object, name);
  return found.is_array() ? found : kEmpty;
}

void complain(ForeignFile& file, std::string what) {
  if (file.problems.size() < kMostProblems) file.problems.push_back(std::move(what));
}

void tally(std::vector<ForeignTally>& tallies, std::string_view kind, const std::string& where, std::size_t count) {
  auto one =
      std::find_if(tallies.begin(), tallies.end(), [&](const ForeignTally& known) { return known.kind == kind; });
  if (one == tallies.end()) one = tallies.insert(tallies.end(), {std::string(kind), 0, {}});
  one->count += count;
  const bool told = std::find(one->where.begin(), one->where.end(), where) != one->where.end();
  if (!where.empty() && !told && one->where.size() < kMostPlaces) one->where.push_back(where);
}

std::string quoted_file(std::string_view name, std::string_view text) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fmt::format("[file: {}]\n{}\n{}\n{}", name.empty() ? "without a name" : name, fence, trimmed(text, "\r\n"),
                     fence);
}

void append_part(std::string& text, std::string_view part) {
  if (trimmed(part).empty()) return;
  if (!text.empty()) text += '\n';
  text += part;
}

ChatReader::ChatReader(ForeignFile& file, std::size_t number, ForeignChat chat)
    : file_(file), chat_(std::move(chat)), where_(fmt::format("conversation {}", number)) {
  if (!chat_.title.empty()) where_ += fmt::format(" \"{}\"", preview(chat_.title, kTitleCharacters));
}

void ChatReader::leave_out(std::string_view kind, std::string_view name) {
  tally(file_.left_out, kind, name.empty() ? where_ : where_ + ": " + preview(name, kTitleCharacters));
}

// A text that Weft itself takes for a command is no message.
void ChatReader::add(ForeignMessage message) {
  if (trimmed(message.text).empty()) return;
  if (message.role == "user" && trimmed(message.text) == "/save") return leave_out("command of Weft", "/save");
  chat_.messages.push_back(std::move(message));
}

void ChatReader::finish(ChatOrder order) {
  if (chat_.messages.empty()) return tally(file_.left_out, "conversation without text", where_);
  give_ids();
  fill_times();
  if (order == ChatOrder::kByTime)
    std::stable_sort(chat_.messages.begin(), chat_.messages.end(),
                     [](const ForeignMessage& a, const ForeignMessage& b) { return a.time < b.time; });
  file_.chats.push_back(std::move(chat_));
}

// Without an id a message is known by what it says, and when; never by its place, which another export may change.
void ChatReader::give_ids() {
  std::map<std::string, std::size_t> made;
  for (ForeignMessage& message : chat_.messages) {
    if (!message.id.empty()) continue;
    const std::string all =
        message.role + '\n' + message.name + '\n' + std::to_string(message.time.ms) + '\n' + message.text;
    message.id = fmt::format("{:016x}", XXH3_64bits(all.data(), all.size()));
    if (const std::size_t count = ++made[message.id]; count > 1) message.id += fmt::format("-{}", count);
  }
  if (!chat_.id.empty()) return;
  const ForeignMessage& first = chat_.messages.front();
  const std::string all = std::to_string(chat_.time.ms) + '\n' + first.id + '\n' + first.text;
  chat_.id = fmt::format("{:016x}", XXH3_64bits(all.data(), all.size()));
  const auto same = [&](const ForeignChat& other) { return other.id == chat_.id; };
  if (const auto count = std::count_if(file_.chats.begin(), file_.chats.end(), same); count > 0)
    chat_.id += fmt::format("-{}", count + 1);
}

// A message without a time has that of the one before it; the first ones that of the conversation, but not a later one
// than the next message has.
void ChatReader::fill_times() {
  auto& messages = chat_.messages;
  const auto known = std::find_if(messages.begin(), messages.end(), [](const auto& one) { return one.time.ms != 0; });
  Time last = chat_.time;
  if (known != messages.end() && (last.ms == 0 || known->time < last)) last = known->time;
  const auto missing = static_cast<std::size_t>(
      std::count_if(messages.begin(), messages.end(), [](const auto& one) { return one.time.ms == 0; }));
  for (ForeignMessage& message : messages) {
    if (message.time.ms == 0) message.time = last;
    last = message.time;
  }
  if (missing > 0) tally(file_.assumed, last.ms != 0 ? kTimeOfOthers : kNoTime, where_, missing);
}

namespace {

using Json = nlohmann::json;

// A chat of SillyTavern: a line a message, in the order in which they are shown. Of several answers to one message
// ("swipes") the one that is shown stands in "mes"; what was hidden from the model stays out, and is counted.

constexpr JsonLimits kLine{64 * 1024 * 1024, 64};

std::string text_of_line(const Json& line) {
  std::string text = text_of(member(line, "mes"));
  const Json &swipes = member(line, "swipes"), &shown = member(line, "swipe_id");
  if (text.empty() && swipes.is_array() && shown.is_number_unsigned() && shown.get<std::size_t>() < swipes.size())
    text = text_of(swipes[shown.get<std::size_t>()]);
  return text;
}

// A chat is known by what its first line says of it, since its file may be named otherwise each time; without that by
// its first message. A branch has that line of the chat it came from, and is known by its own name.
std::string id_of(const Json& header, std::string_view name) {
  const Json& metadata = member(header, "chat_metadata");
  const std::string who = text_of(member(header, "character_name")), when = text_of(member(header, "create_date"));
  if (!text_of(member(metadata, "main_chat")).empty()) return who + " " + std::filesystem::path(name).stem().string();
  if (std::string known = text_of(member(metadata, "integrity")); !known.empty()) return known;
  return who.empty() || when.empty() ? std::string() : who + " " + when;
}

void leave_out_parts(const Json& line, ChatReader& into) {
  const Json& extra = member(line, "extra");
  for (const auto& [name, kind] : {std::pair{"image", "image"}, {"video", "video"}, {"reasoning", "thought"}})
    if (!text_of(member(extra, name)).empty()) into.leave_out(kind);
  for (const Json& one : list_in(extra, "media"))
    into.leave_out(text_of(member(one, "type")) == "video" ? "video" : "image");
  if (member(extra, "file").is_object()) into.leave_out("file", text_of(member(member(extra, "file"), "name")));
  for (const Json& one : list_in(extra, "files")) into.leave_out("file", text_of(member(one, "name")));
  for (std::size_t i = 1; i < list_in(line, "swipes").size(); ++i) into.leave_out("answer that is not shown");
}

}  // namespace

bool is_sillytavern(const Json& first_line) {
  return first_line.is_object() && (first_line.contains("mes") || first_line.contains("chat_metadata") ||
                                    (first_line.contains("user_name") && first_line.contains("character_name")));
}

ForeignFile read_sillytavern(std::string_view text, std::string_view name) {
  ForeignFile file{"sillytavern", {}, {}, {}, {}, {}};
  const auto lines = lines_of(text);
  const Json first = lenient_json<Json>(lines.empty() ? std::string_view() : lines.front());
  const Json header = first.is_object() && !first.contains("mes") ? first : Json();
  ChatReader into(file, 1, {id_of(header, name), text_of(member(header, "character_name")), {}, {}});
  std::size_t number = 0;
  for (const std::string_view line : lines) {
    ++number;
    if (trimmed(line).empty()) continue;
    const auto json = read_json(line, kLine, fmt::format("line {}", number));
    if (!json.ok() || !json->is_object()) {
      complain(file, json.ok() ? fmt::format("line {}: no JSON object", number) : json.error().message);
      continue;
    }
    if (!(json->contains("mes") || json->contains("swipes"))) continue;
    if (member(*json, "is_system") == true) {
      into.leave_out("hidden message");
      continue;
    }
    leave_out_parts(*json, into);
    into.add({{},
              member(*json, "is_user") == true ? "user" : "assistant",
              text_of(member(*json, "name")),
              text_of_line(*json),
              foreign_time_of(member(*json, "send_date"))});
  }
  into.finish(ChatOrder::kAsGiven);
  return file;
}

// conversations.json of ChatGPT: each conversation is a tree of messages, of which the leaf that was shown last is
// named. What people saw is taken: messages, what was said aloud, canvases. What nobody saw is counted: calls of tools
// and what they gave, thoughts, settings, hidden messages; so are pictures, files and branches that were given up.

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

// A data export of Claude. conversations.json: the messages of a conversation as a list; where an edited message or a
// second answer made branches, each says which one it follows. projects.json: documents that conversations share.
// memories.json: what the application itself remembers. Newer exports have a file for each project and each memory.

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
