#include "eval/boosted_trees.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "eval/draw.h"

namespace weft {
namespace {

constexpr std::size_t kBins = 64;
constexpr std::size_t kAnswers = 4;

/// A signal's values by number: bin b holds those above `bounds[b - 1]` and not above `bounds[b]`.
struct BinnedColumn {
  std::vector<float> bounds;
  std::vector<std::uint8_t> bins;
};

/// Bounds in few decimals: rounding in the last bits of a vector is not to change a tree.
float rounded(float value) { return std::round(value * 1e4F) / 1e4F; }

BinnedColumn binned(const std::vector<float>& column) {
  BinnedColumn made;
  std::vector<float> sorted = column;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t b = 1; b < kBins; ++b) {
    const std::size_t at = b * sorted.size() / kBins;
    const float below = sorted[at == 0 ? 0 : at - 1];
    // A bound lies between two values, so that 0 and 1 are parted in the middle.
    const auto above = std::upper_bound(sorted.begin(), sorted.end(), below);
    if (above == sorted.end()) break;
    const float bound = rounded((below + *above) / 2);
    if (made.bounds.empty() || bound > made.bounds.back()) made.bounds.push_back(bound);
  }
  for (const float value : column)
    made.bins.push_back(static_cast<std::uint8_t>(std::lower_bound(made.bounds.begin(), made.bounds.end(), value) -
                                                  made.bounds.begin()));
  return made;
}

/// Sums of the loss's first and second derivatives.
struct Sums {
  double gradient = 0, hessian = 0;
  double weight = 0;  // of the rows

  void add(const Sums& other) {
    gradient += other.gradient;
    hessian += other.hessian;
    weight += other.weight;
  }
  Sums without(const Sums& other) const {
    return {gradient - other.gradient, hessian - other.hessian, weight - other.weight};
  }
};

struct Split {
  double gain = 0;
  std::size_t column = 0, bin = 0;
  double left = 0, right = 0;  ///< values
  bool found() const { return gain > 1e-9; }
};

/// An answer that may still be split.
struct Leaf {
  std::size_t node = 0;
  std::vector<std::uint32_t> rows;
  Sums sums;
  double value = 0;
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  Split best;
};

class Booster {
 public:
  Booster(const TrainingRows& rows, const BoostingOptions& options) : rows_(rows), options_(options) {
    for (const auto& column : rows.columns) columns_.push_back(binned(column));
    double borders = 0, all = 0;
    for (std::size_t i = 0; i < rows.border.size(); ++i) {
      all += static_cast<double>(rows.weight[i]);
      borders += rows.border[i] != 0 ? static_cast<double>(rows.weight[i]) : 0;
    }
    base_ = std::log(borders / (all - borders));
    logits_.assign(rows.border.size(), base_);
    gradients_.resize(logits_.size());
    hessians_.resize(logits_.size());
  }

  std::vector<ShiftTree> run() {
    std::vector<ShiftTree> trees;
    while (trees.size() < options_.trees) {
      for (std::size_t i = 0; i < logits_.size(); ++i) {
        const double p = 1 / (1 + std::exp(-logits_[i]));
        const auto weight = static_cast<double>(rows_.weight[i]);
        gradients_[i] = weight * (p - (rows_.border[i] != 0 ? 1 : 0));
        hessians_[i] = weight * p * (1 - p);
      }
      ShiftTree tree = grow();
      for (std::size_t i = 0; i < logits_.size(); ++i) logits_[i] += answer(tree, i);
      if (trees.empty())
        for (auto& node : tree.nodes) node.value += static_cast<float>(base_);
      trees.push_back(tree);
    }
    return trees;
  }

 private:
  double answer(const ShiftTree& tree, std::size_t row) const {
    std::size_t at = 0;
    while (tree.nodes[at].signal >= 0) {
      const auto& node = tree.nodes[at];
      const bool right = rows_.columns[static_cast<std::size_t>(node.signal)][row] > node.threshold;
      at = static_cast<std::size_t>(node.left) + (right ? 1 : 0);
    }
    return static_cast<double>(tree.nodes[at].value);
  }

  double value_of(const Sums& sums, double least, double most) const {
    return std::clamp(-sums.gradient / (sums.hessian + options_.ridge), least, most);
  }
  /// How much the loss falls where `value` is answered.
  double worth(const Sums& sums, double value) const {
    return -(2 * sums.gradient * value + (sums.hessian + options_.ridge) * value * value);
  }

  Split best_split(const Leaf& leaf, const std::vector<std::size_t>& columns) const {
    Split best;
    if (leaf.sums.weight < 2 * options_.min_weight) return best;
    for (const std::size_t column : columns) {
      std::array<Sums, kBins> histogram{};
      for (const std::uint32_t row : leaf.rows) {
        Sums& sums = histogram[columns_[column].bins[row]];
        sums.gradient += gradients_[row];
        sums.hessian += hessians_[row];
        sums.weight += static_cast<double>(rows_.weight[row]);
      }
      Sums left;
      for (std::size_t bin = 0; bin < columns_[column].bounds.size(); ++bin) {
        left.add(histogram[bin]);
        const Sums right = leaf.sums.without(left);
        if (left.weight < options_.min_weight || right.weight < options_.min_weight) continue;
        const double a = value_of(left, leaf.least, leaf.most), b = value_of(right, leaf.least, leaf.most);
        const Slope slope = options_.slopes[column];
        if ((slope == Slope::kRising && a > b) || (slope == Slope::kFalling && a < b)) continue;
        const double gain = worth(left, a) + worth(right, b) - worth(leaf.sums, leaf.value);
        if (gain > best.gain) best = {gain, column, bin, a, b};
      }
    }
    return best;
  }

  std::vector<std::size_t> draw_columns() {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (options_.slopes[i] != Slope::kUnused) all.push_back(i);
    const auto wanted = std::max<std::size_t>(
        1, static_cast<std::size_t>(std::lround(options_.column_share * static_cast<double>(all.size()))));
    for (std::size_t i = 0; i < wanted; ++i) std::swap(all[i], all[i + draw_.below(all.size() - i)]);
    all.resize(wanted);
    return all;
  }

  Leaf root() {
    Leaf leaf;
    const auto share = static_cast<std::size_t>(options_.row_share * 1000);
    for (std::size_t i = 0; i < logits_.size(); ++i)
      if (draw_.below(1000) < share) leaf.rows.push_back(static_cast<std::uint32_t>(i));
    leaf.sums = sums_of(leaf.rows);
    leaf.value = value_of(leaf.sums, leaf.least, leaf.most);
    return leaf;
  }

  Sums sums_of(const std::vector<std::uint32_t>& rows) const {
    Sums sums;
    for (const std::uint32_t row : rows)
      sums.add({gradients_[row], hessians_[row], static_cast<double>(rows_.weight[row])});
    return sums;
  }

  /// The two answers in place of one. Below a monotone question both keep to their side of its middle.
  std::array<Leaf, 2> parted(const Leaf& leaf, std::size_t first_node) const {
    const Split& split = leaf.best;
    std::array<Leaf, 2> sides;
    for (const std::uint32_t row : leaf.rows)
      sides[columns_[split.column].bins[row] > split.bin ? 1 : 0].rows.push_back(row);
    const double middle = (split.left + split.right) / 2;
    const Slope slope = options_.slopes[split.column];
    for (std::size_t side = 0; side < 2; ++side) {
      Leaf& made = sides[side];
      made.node = first_node + side;
      made.sums = sums_of(made.rows);
      made.value = side == 0 ? split.left : split.right;
      made.least = leaf.least;
      made.most = leaf.most;
      if (slope == Slope::kFree) continue;
      (slope == Slope::kRising) == (side == 0) ? made.most = middle : made.least = middle;
    }
    return sides;
  }

  ShiftTree grow() {
    const auto columns = draw_columns();
    ShiftTree tree;
    std::vector<Leaf> leaves{root()};
    leaves[0].best = best_split(leaves[0], columns);
    tree.nodes[0].value = static_cast<float>(options_.rate * leaves[0].value);
    for (std::size_t next = 1; leaves.size() < kAnswers; next += 2) {
      const auto at = std::max_element(leaves.begin(), leaves.end(),
                                       [](const Leaf& a, const Leaf& b) { return a.best.gain < b.best.gain; });
      if (!at->best.found()) break;
      auto& node = tree.nodes[at->node];
      node.signal = static_cast<std::int8_t>(at->best.column);
      node.threshold = columns_[at->best.column].bounds[at->best.bin];
      node.left = static_cast<std::int8_t>(next);
      auto sides = parted(*at, next);
      leaves.erase(at);
      for (Leaf& side : sides) {
        tree.nodes[side.node].value = static_cast<float>(options_.rate * side.value);
        side.best = best_split(side, columns);
        leaves.push_back(std::move(side));
      }
    }
    return tree;
  }

  const TrainingRows& rows_;
  const BoostingOptions& options_;
  std::vector<BinnedColumn> columns_;
  Draw draw_;
  double base_ = 0;
  std::vector<double> logits_, gradients_, hessians_;
};

}  // namespace

std::vector<ShiftTree> fit_trees(const TrainingRows& rows, const BoostingOptions& options) {
  return Booster(rows, options).run();
}

}  // namespace weft
