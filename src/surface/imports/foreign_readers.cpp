#include "surface/imports/foreign_readers.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

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

}  // namespace weft
