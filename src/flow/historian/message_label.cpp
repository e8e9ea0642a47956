#include "flow/historian/message_label.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace weft {
namespace {

constexpr std::string_view kColon = "：";
constexpr std::size_t kLongestName = 40;  // bytes

// The name up to a colon at the beginning of `text`, which moves behind it; empty where there is none.
std::string take_name(std::string_view& text) {
  const std::size_t colon = text.substr(0, kLongestName + kColon.size()).find(kColon);
  if (colon == std::string_view::npos) return {};
  const std::string_view name = text.substr(0, colon);
  for (const std::string_view mark : {"，", "。", "！", "？", "的", " ", "\n"})
    if (name.find(mark) != std::string_view::npos) return {};
  text.remove_prefix(colon + kColon.size());
  return std::string(name);
}

}  // namespace

MessageLabel message_label(std::string_view text) {
  constexpr auto kSent = std::to_array<std::string_view>({"发给", "发送给", "回复"});
  constexpr auto kReceived = std::to_array<std::string_view>({"来自", "收到"});
  MessageLabel label;
  const auto read = [&](std::string_view lead, bool sent) {
    if (!text.starts_with(lead)) return false;
    std::string_view rest = text.substr(lead.size());
    label.partner = take_name(rest);
    if (label.partner.empty()) return true;
    label.speaker = sent ? take_name(rest) : label.partner;
    if (sent) label.hearer = label.partner;
    return true;
  };
  for (const std::string_view lead : kSent)
    if (read(lead, true)) return label;
  for (const std::string_view lead : kReceived)
    if (read(lead, false)) return label;
  return label;
}

std::vector<EarlierMessage> same_talk(const std::vector<EarlierMessage>& earlier, const MessageLabel& label) {
  if (label.partner.empty()) return earlier;
  std::vector<EarlierMessage> talk;
  std::copy_if(earlier.begin(), earlier.end(), std::back_inserter(talk),
               [&](const EarlierMessage& message) { return message_label(message.text).partner == label.partner; });
  return talk;
}

Voices voices_of(std::string_view text, const std::string& speaker, const std::string& hearer) {
  const MessageLabel label = message_label(text);
  if (label.partner.empty()) return {speaker, hearer};
  return {label.speaker == "我" ? std::string() : label.speaker, label.hearer};
}

}  // namespace weft
