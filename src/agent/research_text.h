#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/research_records.h"

namespace weft {

/// A sentence with the lines that it stands on.
struct SourceSentence {
  std::string text;  ///< line breaks inside it are blanks, or nothing between Chinese characters
  std::int64_t first_line = 0, last_line = 0;
};

/// A text, Markdown or HTML document as a source: front matter (title, date, kind, source), title, and its paragraphs,
/// headings and entries of lists by their lines. `origin` is its path or URL; "source: URL" in the front matter takes
/// its place only for telling who published it. Text that is not UTF-8 is mended. Linear.
FoundSource read_source(std::string origin, std::string_view bytes);

/// HTML as text whose lines are those of the file: tags, scripts and styles are left out, characters written out.
std::string html_as_text(std::string_view html);

/// The sentences of a stretch. A paragraph that is broken over lines is one text.
std::vector<SourceSentence> sentences_of(const FoundPart& part);

/// Whether a sentence speaks to whoever reads it with a model ("ignore your instructions"), instead of telling
/// something. What does so is no claim. By words of both languages, see lexicon/*/safety.txt.
bool orders_the_reader(std::string_view sentence);

}  // namespace weft
