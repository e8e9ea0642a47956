#pragma once

#include <span>
#include <string>
#include <vector>

#include "agent/research_book.h"
#include "agent/research_model.h"

namespace weft {

/// The questions that a question is made of: parts that stand between "and", commas and question marks of their own
/// each get the matter they are about ("cost, safety and history of the bridge"). One entry, the question itself, where
/// it has no parts. Both languages.
std::vector<std::string> parts_of_question(const std::string& question);

/// An outline without a model: the question's own parts, else the headings below which the sources speak of it, those
/// of several sources first. At most `most`; the question itself where nothing offers itself.
std::vector<OutlinePoint> floor_outline(const std::string& question, std::span<const NumberedSource> sources,
                                        std::size_t most);

/// The words of a question that say what it is about, as a query for a search by words. Empty where these are all of
/// its words.
std::string words_to_search(const std::string& question);

}  // namespace weft
