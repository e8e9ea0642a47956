#include "ports/files/end_summaries.h"

#include <nlohmann/json.hpp>

#include "ports/files/file_system.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& object, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto at = object.find(name);
    if (at == object.end()) continue;
    if (at->is_string()) return at->get<std::string>();
    if (at->is_number_integer()) return std::to_string(at->get<std::int64_t>());
  }
  return {};
}

// "2026-01-05 10:00" and "2026-01-05 10:00:00" are what programs print by default.
Result<Time> time_of(std::string text) {
  if (text.size() >= 16 && text[10] == ' ') {
    text[10] = 'T';
    if (text.size() == 16) text += ":00";
    if (text.size() == 19) text += "Z";
  }
  return parse_time(text);
}

Status read_time(const Json& object, EndSummary& into) {
  for (const char* name : {"timestamp", "time"}) {
    const auto at = object.find(name);
    if (at == object.end() || at->is_null()) continue;
    if (at->is_number()) {
      into.time = {static_cast<std::int64_t>(at->get<double>() * 1000), 0};
    } else if (at->is_string()) {
      WEFT_TRY(into.time, time_of(at->get<std::string>()));
    } else {
      return invalid_argument(std::string("\"") + name + "\" is neither a text nor a number");
    }
    into.has_time = true;
    return {};
  }
  return {};
}

void read_place(const Json& object, EndSummary& into) {
  const auto at = object.find("location");
  if (at == object.end()) return;
  if (at->is_string()) into.place = at->get<std::string>();
  if (!at->is_object()) return;
  into.place = text_of(*at, {"name"});
  const std::string id = text_of(*at, {"id"});
  if (id.empty()) return;
  (text_of(*at, {"type"}) == "group" ? into.group_id : into.user_id) = id;
}

Result<EndSummary> read_entry(const Json& json) {
  EndSummary entry;
  if (json.is_string()) {
    entry.summary = json.get<std::string>();
  } else if (json.is_object()) {
    entry.summary = text_of(json, {"summary", "action_summary", "content", "text"});
    entry.user_id = text_of(json, {"user_id"});
    entry.group_id = text_of(json, {"group_id"});
    WEFT_CHECK(read_time(json, entry));
    read_place(json, entry);
  } else {
    return invalid_argument("neither a text nor an object");
  }
  if (entry.summary.find_first_not_of(" \t\r\n") == std::string::npos) return invalid_argument("the summary is empty");
  return entry;
}

void take(ReadSummaries& into, std::size_t place, const Json& json) {
  auto entry = read_entry(json);
  if (entry.ok())
    into.entries.emplace_back(place, std::move(entry).value());
  else
    into.skipped.push_back({place, entry.error().message});
}

void read_lines(std::string_view text, ReadSummaries& into) {
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto from = one.find_first_not_of(" \t\r[");
    if (from == std::string_view::npos || one == "]") continue;
    one.remove_prefix(from);
    while (!one.empty() && (one.back() == ',' || one.back() == '\r' || one.back() == ' ')) one.remove_suffix(1);
    if (one.empty() || one == "]") continue;
    const Json json = Json::parse(one, nullptr, false);
    if (json.is_discarded())
      into.skipped.push_back({line, "not JSON"});
    else
      take(into, line, json);
  }
}

Json json_of(const EndSummary& summary) {
  Json json = {{"summary", summary.summary}, {"timestamp", format_time(summary.time)}};
  if (!summary.user_id.empty()) json["user_id"] = summary.user_id;
  if (!summary.group_id.empty()) json["group_id"] = summary.group_id;
  if (!summary.place.empty()) json["location"] = summary.place;
  return json;
}

}  // namespace

ReadSummaries read_summaries(std::string_view text) {
  ReadSummaries read;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const Json json = Json::parse(text, nullptr, false);
  const Json* list = &json;
  if (json.is_object() && json.contains("summaries")) list = &json["summaries"];
  if (list->is_array()) {
    for (std::size_t i = 0; i < list->size(); ++i) take(read, i + 1, (*list)[i]);
  } else {
    read_lines(text, read);
  }
  return read;
}

Status EndSummaries::add(const EndSummary& summary) {
  const std::lock_guard lock(mutex_);
  Json list = Json::array();
  if (auto text = read_file(path_); text.ok()) {
    list = Json::parse(*text, nullptr, false);
    if (!list.is_array())
      return corrupt(path_.string() + " is no JSON array any more",
                     "mend the file or move it away; it is not overwritten");
  } else if (text.error().code != ErrorCode::kNotFound) {
    return text.error();
  }
  list.push_back(json_of(summary));
  return write_file(path_, list.dump(1, ' ', false, Json::error_handler_t::replace) + "\n", true);
}

Result<std::vector<EndSummary>> EndSummaries::recent(const std::string& user_id, const std::string& group_id,
                                                     std::size_t limit) {
  std::string text;
  {
    const std::lock_guard lock(mutex_);
    auto read = read_file(path_);
    if (!read.ok() && read.error().code == ErrorCode::kNotFound) return std::vector<EndSummary>();
    WEFT_TRY(text, std::move(read));
  }
  std::vector<EndSummary> own;
  for (auto& [place, entry] : read_summaries(text).entries) {
    const bool fits =
        group_id.empty() ? entry.group_id.empty() && entry.user_id == user_id : entry.group_id == group_id;
    if (fits) own.push_back(std::move(entry));
  }
  if (own.size() > limit) own.erase(own.begin(), own.end() - static_cast<std::ptrdiff_t>(limit));
  return own;
}

Result<std::size_t> EndSummaries::erase(const std::string& user_id, const std::string& group_id,
                                        const std::optional<Time>& before, bool everything) {
  const std::lock_guard lock(mutex_);
  auto text = read_file(path_);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return std::size_t{0};
  WEFT_CHECK(text.ok() ? Status() : Status(text.error()));
  Json list = Json::parse(*text, nullptr, false);
  if (!list.is_array()) return corrupt(path_.string() + " is no JSON array any more", "mend the file and erase again");
  Json left = Json::array();
  for (Json& one : list) {
    const auto entry = read_entry(one);
    const bool own = entry.ok() && (group_id.empty() ? entry->group_id.empty() && entry->user_id == user_id
                                                     : entry->group_id == group_id);
    const bool goes = own && (everything || (before && entry->has_time && entry->time < *before));
    if (!goes) left.push_back(std::move(one));
  }
  const std::size_t gone = list.size() - left.size();
  if (gone > 0) WEFT_CHECK(write_file(path_, left.dump(1, ' ', false, Json::error_handler_t::replace) + "\n", true));
  return gone;
}

}  // namespace weft
