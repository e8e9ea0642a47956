#include "flow/context/tool_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "flow/context/tool_names.h"
#include "flow/context/tool_schema.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kMaxField = 16 * 1024;  // bytes; more of a description says nothing new

std::vector<Term> terms_of(std::string_view text) { return index_terms(cut_bytes(text, kMaxField)); }

ToolTerms::Parts parts_of(const ToolInfo& tool) {
  std::string names, descriptions, values;
  for (const ToolParameter& parameter : tool_parameters(tool.parameters)) {
    names += words_of_identifier(cut_bytes(parameter.name, kMaxField)) + ' ';
    descriptions += parameter.description + '\n';
    for (const std::string& value : parameter.values) values += value + ' ';
  }
  return {terms_of(words_of_identifier(cut_bytes(tool.name, kMaxField))), terms_of(tool.description), terms_of(names),
          terms_of(descriptions), terms_of(values)};
}

std::vector<Term> distinct_terms(std::string_view text) {
  std::vector<Term> terms = terms_of(text);
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  return terms;
}

double rarity(std::size_t all, std::size_t with) {
  return std::log(1 + (static_cast<double>(all - with) + 0.5) / (static_cast<double>(with) + 0.5));
}

}  // namespace

ToolTerms::ToolTerms(std::span<const ToolInfo> tools) {
  tools_.reserve(tools.size());
  for (const ToolInfo& tool : tools) tools_.push_back(parts_of(tool));
}

ToolWords::ToolWords(const ToolTerms& terms, const ToolWordWeights& weights)
    : tools_(terms.tools().size()), k1_(weights.k1) {
  const auto& all = terms.tools();
  std::array<double, ToolTerms::kParts> mean{};
  for (const ToolTerms::Parts& parts : all)
    for (std::size_t i = 0; i < parts.size(); ++i) mean[i] += static_cast<double>(parts[i].size());
  const std::array<double, ToolTerms::kParts> weight{weights.name, weights.description, weights.parameter_name,
                                                     weights.parameter_description, weights.value};
  for (std::size_t tool = 0; tool < all.size(); ++tool) {
    for (std::size_t i = 0; i < ToolTerms::kParts; ++i) {
      const std::vector<Term>& part = all[tool][i];
      if (part.empty() || weight[i] <= 0) continue;
      const double usual = mean[i] / static_cast<double>(all.size());
      const double length = 1 - weights.b + weights.b * static_cast<double>(part.size()) / usual;
      for (const Term term : part)
        postings_.push_back({term, static_cast<std::uint32_t>(tool), static_cast<float>(weight[i] / length)});
    }
  }
  std::stable_sort(postings_.begin(), postings_.end(), [](const Posting& a, const Posting& b) {
    return a.term != b.term ? a.term < b.term : a.tool < b.tool;
  });
  std::size_t kept = 0;
  for (const Posting& one : postings_) {
    if (kept > 0 && postings_[kept - 1].term == one.term && postings_[kept - 1].tool == one.tool)
      postings_[kept - 1].count += one.count;
    else
      postings_[kept++] = one;
  }
  postings_.resize(kept);
  postings_.shrink_to_fit();
}

std::span<const ToolWords::Posting> ToolWords::postings_of(Term term) const {
  const auto [begin, end] = std::equal_range(postings_.begin(), postings_.end(), Posting{term, 0, 0},
                                             [](const Posting& a, const Posting& b) { return a.term < b.term; });
  return {begin, end};
}

double ToolWords::most(std::string_view text) const {
  double sum = 0;
  for (const Term term : distinct_terms(text)) sum += rarity(tools_, postings_of(term).size()) * (k1_ + 1);
  return sum;
}

std::vector<float> ToolWords::score(std::string_view text) const {
  std::vector<float> scores(tools_, 0.0f);
  for (const Term term : distinct_terms(text)) {
    const auto found = postings_of(term);
    const auto begin = found.begin(), end = found.end();
    const double weight = rarity(tools_, static_cast<std::size_t>(end - begin)) * (k1_ + 1);
    for (auto at = begin; at != end; ++at)
      scores[at->tool] += static_cast<float>(weight * at->count / (k1_ + at->count));
  }
  return scores;
}

}  // namespace weft
