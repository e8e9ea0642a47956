#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/records.h"

/// Answers that are lists: an object with one member, so that others may come beside it.
namespace weft {

/// Some described things, as an answer.
template <class T>
struct List {
  std::vector<T> all;
};

/// What a list of them is called: "items".
template <class T>
inline constexpr std::string_view kListName = "";
template <>
inline constexpr std::string_view kListName<Item> = "items";
template <>
inline constexpr std::string_view kListName<StoredMessage> = "messages";
template <>
inline constexpr std::string_view kListName<JobInfo> = "jobs";
template <>
inline constexpr std::string_view kListName<UsageRow> = "usage";
template <>
inline constexpr std::string_view kListName<ProfileVersion> = "versions";
template <>
inline constexpr std::string_view kListName<ProfileSummary> = "profiles";
template <>
inline constexpr std::string_view kListName<StateVersion> = "versions";
template <>
inline constexpr std::string_view kListName<Quest> = "quests";
template <>
inline constexpr std::string_view kListName<LoreEntry> = "lore";
template <>
inline constexpr std::string_view kListName<Compaction> = "compactions";
template <>
inline constexpr std::string_view kListName<EraseReceipt> = "receipts";
template <>
inline constexpr std::string_view kListName<GroupTrace> = "groups";
template <>
inline constexpr std::string_view kListName<Preference> = "preferences";
template <>
inline constexpr std::string_view kListName<AgentRun> = "runs";
template <>
inline constexpr std::string_view kListName<BusEvent> = "events";

/// {"items":[…]}
template <class T>
std::string list_json(std::span<const T> all) {
  JsonWriter out;
  out.begin('{');
  out.name(kListName<T>);
  out.begin('[');
  for (const T& one : all) record<T>().write(one, out);
  out.end(']');
  out.end('}');
  return out.take();
}

template <class T>
std::string list_json(const std::vector<T>& all) {
  return list_json(std::span<const T>(all));
}

}  // namespace weft
