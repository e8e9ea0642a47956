#include "agent/research_book.h"

#include <algorithm>

#include "agent/research_sources.h"

namespace weft {
namespace {

bool has_part(const FoundSource& source, const FoundPart& part) {
  return std::any_of(source.parts.begin(), source.parts.end(),
                     [&](const FoundPart& one) { return one.first_line == part.first_line && one.text == part.text; });
}

}  // namespace

void add_once(std::vector<std::string>& texts, std::string text) {
  if (!text.empty() && std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
}

std::int64_t SourceBook::add(FoundSource found) {
  const auto known = std::find_if(sources_.begin(), sources_.end(),
                                  [&](const FoundSource& one) { return one.origin == found.origin; });
  const auto number = static_cast<std::int64_t>(known - sources_.begin()) + 1;
  if (known == sources_.end()) {
    sources_.push_back(std::move(found));
    return number;
  }
  if (known->title.empty()) known->title = found.title;
  if (known->date.empty()) known->date = found.date;
  if (found.whole && !found.parts.empty()) {
    known->parts = std::move(found.parts);
    known->sketch = std::move(found.sketch);
    known->whole = true;
  } else if (!known->whole) {
    for (FoundPart& part : found.parts)
      if (!has_part(*known, part)) known->parts.push_back(std::move(part));
  }
  return number;
}

void SourceBook::add_all(FoundSources found) {
  for (FoundSource& one : found.sources) add(std::move(one));
}

std::vector<NumberedSource> SourceBook::numbered(ResearchKind kind) const {
  std::vector<NumberedSource> all;
  for (const FoundSource& one : sources_)
    all.push_back({static_cast<std::int64_t>(all.size()) + 1, source_rank(one.kind, kind), &one});
  return all;
}

std::vector<ResearchSource> SourceBook::described() const {
  std::vector<ResearchSource> all;
  for (const FoundSource& one : sources_)
    all.push_back({static_cast<std::int64_t>(all.size()) + 1, one.origin, one.title, one.date, one.kind, one.provenance,
                   one.tool, 0});
  mark_copies({sources_.begin(), sources_.end()}, all);
  return all;
}

const FoundSource* SourceBook::find(std::int64_t number) const {
  return number >= 1 && number <= static_cast<std::int64_t>(sources_.size())
             ? &sources_[static_cast<std::size_t>(number) - 1]
             : nullptr;
}

void Findings::take(Findings other) {
  std::vector<std::int64_t> numbers{0};
  for (const FoundSource& one : other.sources.all()) numbers.push_back(sources.add(one));
  const auto before = static_cast<std::int64_t>(claims.size());
  for (ResearchClaim& claim : other.claims) {
    for (ResearchCitation& one : claim.citations) one.source = numbers[static_cast<std::size_t>(one.source)];
    claims.push_back(std::move(claim));
  }
  for (ResearchDispute& dispute : other.disputes) {
    for (std::int64_t& claim : dispute.claims) claim += before;
    disputes.push_back(std::move(dispute));
  }
  for (auto& one : other.outline) add_once(outline, std::move(one));
  for (auto& one : other.gaps) add_once(gaps, std::move(one));
  for (auto& one : other.methods) add_once(methods, std::move(one));
  for (auto& one : other.notes) add_once(notes, std::move(one));
  if (limit.empty()) limit = other.limit;
  tool_calls += other.tool_calls;
  by_model = by_model || other.by_model;
}

}  // namespace weft
