#include "flow/stream/shift_weights.h"

#include <stdexcept>
#include <string>

#include "text/weight_file.h"

namespace weft {
namespace {

constexpr const char* kForm = "weights/topics.json: a node is [answer] or [signal, left node, threshold, value]";

double number_of(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value.data)) return *number;
  throw std::logic_error(kForm);
}

ShiftTree tree_of(const Value& written) {
  ShiftTree tree;
  const ValueList* nodes = written.list();
  if (nodes == nullptr || nodes->size() != tree.nodes.size()) throw std::logic_error(kForm);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    ShiftTree::Node& node = tree.nodes[i];
    const ValueList* parts = (*nodes)[i].list();
    if (parts == nullptr || (parts->size() != 1 && parts->size() != 4)) throw std::logic_error(kForm);
    node.value = static_cast<float>(number_of(parts->back()));
    if (parts->size() == 1) continue;
    node.signal = static_cast<std::int8_t>(number_of((*parts)[0]));
    node.left = static_cast<std::int8_t>(number_of((*parts)[1]));
    node.threshold = static_cast<float>(number_of((*parts)[2]));
  }
  return tree;
}

ShiftWeights read(const WeightFile& file, const std::string& by) {
  ShiftWeights weights;
  for (const Value& tree : file.list(by + ".trees")) weights.trees.push_back(tree_of(tree));
  weights.cut = file.number(by + ".cut");
  return weights;
}

}  // namespace

const ShiftWeights& shift_weights(bool vectors) {
  static const std::array<ShiftWeights, 2> kShipped = [] {
    const WeightFile file = shipped_weights("topics");
    return std::array{read(file, "words"), read(file, "vectors")};
  }();
  return kShipped[vectors ? 1 : 0];
}

Value written(const std::vector<ShiftTree>& trees) {
  ValueList list;
  for (const ShiftTree& tree : trees) {
    ValueList nodes;
    for (const ShiftTree::Node& node : tree.nodes) {
      const double value = rounded(static_cast<double>(node.value), 4);
      if (node.signal < 0)
        nodes.emplace_back(ValueList{value});
      else
        nodes.emplace_back(
            ValueList{int{node.signal}, int{node.left}, rounded(static_cast<double>(node.threshold), 4), value});
    }
    list.emplace_back(std::move(nodes));
  }
  return list;
}

}  // namespace weft
