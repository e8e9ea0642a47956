#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/plan.h"

namespace weft {

/// A file of templates/, as the build put it into the library.
struct ShippedTemplate {
  std::string_view id, source;
};

/// The first of `shipped_template_count`, sorted by id. Written by cmake/weft_embed.cmake.
extern const ShippedTemplate shipped_template_list[];
extern const unsigned shipped_template_count;

/// What a template says of itself in the comment at its beginning, a line each:
///
///   {#- Fights: what can hurt comes first.
///       cues: fight, attack, 战斗, 攻击
///       weights: narrative 0.3, lore 0.4, event 0.6 -#}
struct TemplateInfo {
  std::string id;
  std::string about;              ///< the comment's other lines, as one
  std::vector<std::string> cues;  ///< words and phrases of turns that it is for; none: it is chosen by name only
  std::optional<DomainWeight> weights;  ///< of the search for candidates; none: by the words of the turn
};

/// Reads the comment; what cannot be read in it says nothing.
TemplateInfo read_template_info(std::string_view id, std::string_view source);

/// The template whose cues a turn holds most of, what is said now counting twice as much as `last_turn`; null where it
/// holds none. Of those that fit alike the first one.
const TemplateInfo* template_for(std::string_view input, std::string_view last_turn,
                                 const std::vector<TemplateInfo>& templates);

/// The one of that id; null where there is none.
const TemplateInfo* find_template(const std::vector<TemplateInfo>& templates, std::string_view id);

}  // namespace weft
