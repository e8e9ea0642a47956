#include "eval/recall_metrics.h"

#include <algorithm>
#include <unordered_map>

namespace weft {
namespace {

/// The place of the first message of a group, counted from 0; as many as there are for none.
std::size_t place_of(const std::vector<std::string>& group,
                     const std::unordered_map<std::string, std::size_t>& places) {
  std::size_t best = places.size();
  for (const std::string& id : group)
    if (const auto found = places.find(id); found != places.end()) best = std::min(best, found->second);
  return best;
}

void add_to(RecallScore& sum, const RecallScore& one) {
  sum.questions += one.questions;
  for (std::size_t i = 0; i < sum.recall.size(); ++i) sum.recall[i] += one.recall[i];
  sum.any += one.any;
  sum.all += one.all;
}

RecallScore mean_of(RecallScore sum) {
  if (sum.questions == 0) return sum;
  const auto count = static_cast<double>(sum.questions);
  for (double& value : sum.recall) value /= count;
  sum.any /= count;
  sum.all /= count;
  return sum;
}

}  // namespace

void RecallTally::add(const LabelledQuestion& question, const std::vector<std::string>& ranked) {
  if (question.groups.empty()) return;
  std::unordered_map<std::string, std::size_t> places;
  for (const std::string& id : ranked) places.try_emplace(id, places.size());

  RecallScore one;
  one.questions = 1;
  for (std::size_t i = 0; i < RecallScore::kCuts.size(); ++i) {
    const auto found = std::count_if(question.groups.begin(), question.groups.end(), [&](const auto& group) {
      const std::size_t place = place_of(group, places);
      return place < places.size() && place < RecallScore::kCuts[i];
    });
    one.recall[i] = static_cast<double>(found) / static_cast<double>(question.groups.size());
  }
  one.any = one.recall[0] > 0 ? 1 : 0;
  one.all = one.recall[0] >= 1 ? 1 : 0;
  add_to(all_, one);
  add_to(by_category_[question.category], one);
}

RecallScore RecallTally::mean() const { return mean_of(all_); }

std::map<std::string, RecallScore> RecallTally::mean_by_category() const {
  std::map<std::string, RecallScore> means;
  for (const auto& [category, sum] : by_category_) means[category] = mean_of(sum);
  return means;
}

}  // namespace weft
