#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/research_records.h"

namespace weft {

/// What kind of source a URL or the path of a file is, by its host, else by the names in it; see lexicon/*/sources.txt.
SourceKind kind_of_origin(std::string_view origin);

/// The kind that a document names for itself ("kind: news"); kOther for what is none. A document's word counts only
/// where it has no address that says something else: anybody can call themselves official.
SourceKind kind_of_word(std::string_view word);

/// How much a kind of source weighs for a kind of research, 0 the most. For a fact official sources come before
/// encyclopaedias, these before news and papers; for a topic papers come before makers' blogs, these before reports and
/// news, and an official source before all of them.
int source_rank(SourceKind source, ResearchKind research);

/// Who is behind a URL: its host without what is below the name that somebody registered ("news.example.co.uk" is
/// "example.co.uk"). Empty for a path.
std::string publisher_of(std::string_view origin);

/// A text as some numbers, by which copies of it, also in parts and with other lines around, are found: hashes of runs
/// of words, of each window the smallest (winnowing: Schleimer, Wilkerson, Aiken 2003).
std::vector<std::uint32_t> text_sketch(std::string_view text);

/// Which share of the smaller of two sketches stands in the other one.
double shared_sketch(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b);

/// Whether one text stands in another as it is, and is so long that two authors do not write it by chance.
bool is_copied_sentence(std::string_view a, std::string_view b);

/// Sets `copy_of` of each source that repeats an earlier one or has its publisher: together they are one witness. What
/// an earlier research left in memory is no witness of its own: it is marked as a copy of itself.
void mark_copies(const std::vector<FoundSource>& found, std::vector<ResearchSource>& sources);

/// The source that stands for this one among witnesses.
std::int64_t witness_of(const ResearchSource& source);

/// The session in which a research is remembered.
inline constexpr std::string_view kResearchSession = "research-";

}  // namespace weft
