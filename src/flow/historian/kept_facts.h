#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// What a rewritten text must still hold of its draft: numbers, dates and times digit by digit, words with digits in
/// them (ids), addresses, quotations, names, and those of `names` that the draft has. In the order of the draft, each
/// once.
std::vector<std::string> facts_to_keep(std::string_view draft, const std::vector<std::string>& names);

/// Those of the facts that the text does not hold.
std::vector<std::string> missing_facts(const std::vector<std::string>& facts, std::string_view text);

/// Numbers, dates, ids and names of a text that `said` does not hold, in digits or in words. Months may be named where
/// `said` has their number.
std::vector<std::string> added_facts(std::string_view said, const std::vector<std::string>& names,
                                     std::string_view text);

}  // namespace weft
