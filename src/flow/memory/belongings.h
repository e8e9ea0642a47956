#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/said_facts.h"

namespace weft {

/// What an English sentence takes for granted that its speaker has: "Do my kids need a visa?" tells of kids, "on my
/// Canon R5" of a camera. Homes, vehicles, instruments, pets, the nearest relatives and products by name, whom "my
/// sister Claire" names; what everybody has (a mother, a phone) is left out. `subject` as for `read_said`. Linear.
std::vector<SaidFact> english_belongings(std::string_view sentence, const std::string& subject);

}  // namespace weft
