#include "model/media_tokens.h"

#include <algorithm>

#include "text/json.h"

namespace weft {
namespace {

constexpr std::int64_t kSmallImage = 85;     // OpenAI's "low" detail
constexpr std::int64_t kImage = 1200;        // one of about a megapixel, between the counts of the large providers
constexpr std::int64_t kLeastOther = 256;    // sounds and files tell their length by their bytes only
constexpr std::int64_t kMostOther = 16'384;
constexpr std::int64_t kBytesAToken = 512;

std::int64_t tokens_of_part(std::string_view part) {
  if (!part.starts_with('{')) return 0;
  const std::string_view type = json_member(part, "type");
  if (type.find("text") != std::string_view::npos || type.find("thinking") != std::string_view::npos) return 0;
  if (type.find("tool") != std::string_view::npos || type.find("refusal") != std::string_view::npos) return 0;
  if (type.find("image") != std::string_view::npos) {
    const std::string_view image = json_member(part, "image_url");
    const bool small = image.starts_with('{') && json_member(image, "detail") == R"("low")";
    return small ? kSmallImage : kImage;
  }
  return std::clamp(static_cast<std::int64_t>(part.size()) / kBytesAToken, kLeastOther, kMostOther);
}

}  // namespace

std::int64_t media_tokens(std::string_view raw_message) {
  if (raw_message.find('[') == std::string_view::npos || !raw_message.starts_with('{')) return 0;
  const std::string_view content = json_member(raw_message, "content");
  if (!content.starts_with('[')) return 0;
  std::int64_t tokens = 0;
  for (const std::string_view part : json_elements(content)) tokens += tokens_of_part(part);
  return tokens;
}

}  // namespace weft
