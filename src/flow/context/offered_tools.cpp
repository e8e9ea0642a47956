#include "flow/context/offered_tools.h"

#include <algorithm>

#include "flow/compaction/key_facts.h"
#include "text/small_talk.h"

namespace weft {
namespace {

// A tool is clearly needed where it has half of what the best one has by words, or stands out among all by its vector.
constexpr double kClearWords = 0.5, kClearVector = 1.5;
constexpr std::size_t kMostNew = 3;  // for one input
constexpr std::size_t kRoom = 2;     // for later needs, so that nothing has to go for them

// "parser.py" is a file, whatever the sentence calls it: in the words of tools' descriptions.
std::string with_kinds(std::string_view text) {
  bool file = false, url = false;
  for (const KeyFact& fact : key_facts(text)) {
    file = file || fact.kind == FactKind::kPath;
    url = url || fact.kind == FactKind::kUrl;
  }
  std::string out(text);
  if (file) out += "\nfile 文件";
  if (url) out += "\nweb page url 网页";
  return out;
}

bool is_clear(const ToolChoice& choice) {
  return std::any_of(choice.signals.begin(), choice.signals.end(), [](const Signal& signal) {
    return (signal.name == "words" && signal.share >= kClearWords) ||
           (signal.name == "vector" && signal.value >= kClearVector);
  });
}

class Offer {
 public:
  Offer(OfferedTools& offered, const ToolIndex& index, const ToolNeed& need, const ToolIndex::Models& models,
        const Deadline& deadline)
      : offered_(offered), index_(index), need_(need), models_(models), deadline_(deadline) {}

  // What the input alone speaks for, and the best for all that is said. Room is left for what turns out to be needed.
  void begin(const ToolBounds& bounds) {
    const std::size_t most = bounds.most;
    const std::size_t first = std::max(bounds.least, most - std::min(most, kRoom));
    add_used();
    const std::string input = with_kinds(need_.input);
    add_needed(input, most);
    for (const ToolChoice& choice : choose(need_.task + "\n" + need_.step + "\n" + input, most)) {
      if (offered_.tools.size() >= first) break;
      add(choice.index, choice.score);
    }
  }

  void go_on() {
    add_used();
    add_needed(with_kinds(need_.input), kMostNew);
    if (!need_.step.empty()) add_needed(with_kinds(need_.step), 1);
  }

  void fill_up(std::size_t least) {
    for (std::size_t i = 0; i < index_.tools().size() && offered_.tools.size() < least; ++i) add(i, 0);
  }

  // The order of the others stays.
  void bound(std::size_t most) {
    auto& tools = offered_.tools;
    while (tools.size() > most) {
      const auto first = std::min_element(tools.begin(), tools.end(), [](const OfferedTool& a, const OfferedTool& b) {
        if (a.used != b.used) return b.used;
        return a.needed != b.needed ? a.needed < b.needed : a.score < b.score;
      });
      if (first->used) break;
      tools.erase(first);
    }
  }

 private:
  std::vector<ToolChoice> choose(const std::string& text, std::size_t most) const {
    return index_.choose(text, most, {}, models_, deadline_).ranked;
  }

  void add_needed(const std::string& text, std::size_t most) {
    if (text.empty() || is_empty_talk(text)) return;
    for (const ToolChoice& choice : choose(text, most))
      if (is_clear(choice)) add(choice.index, choice.score).needed = offered_.inputs;
  }

  void add_used() {
    for (std::size_t i = 0; i < index_.tools().size(); ++i) {
      if (!need_.in_use.contains(index_.tools()[i].name)) continue;
      OfferedTool& tool = add(i, 0);
      tool.used = true;
      tool.needed = offered_.inputs;
    }
  }

  OfferedTool& add(std::size_t index, double score) {
    auto& tools = offered_.tools;
    const auto known =
        std::find_if(tools.begin(), tools.end(), [index](const OfferedTool& one) { return one.index == index; });
    if (known != tools.end()) return *known;
    return tools.emplace_back(OfferedTool{index, score, offered_.inputs, false});
  }

  OfferedTools& offered_;
  const ToolIndex& index_;
  const ToolNeed& need_;
  const ToolIndex::Models& models_;
  const Deadline& deadline_;
};

}  // namespace

void offer_tools(OfferedTools& offered, const std::string& list_digest, const ToolIndex& index, const ToolNeed& need,
                 const ToolBounds& bounds, const ToolIndex::Models& models, const Deadline& deadline) {
  const std::string origin = list_digest + (need.task.empty() ? "\n" + need.input : need.task);
  const bool same = offered.origin == origin;
  if (!same) offered = OfferedTools{origin, 0, {}};
  ++offered.inputs;
  Offer offer(offered, index, need, models, deadline);
  if (same)
    offer.go_on();
  else
    offer.begin(bounds);
  offer.bound(bounds.most);
  offer.fill_up(bounds.least);
}

}  // namespace weft
