#include "text/yaml_value.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "text/utf8.h"

namespace weft {
namespace {

// Thrown through the library, which knows no other way to be stopped; caught below.
struct Refused {
  Error error;
};

// Builds the tree while the library reads, so that what is over a limit is refused before it takes memory.
class TreeBuilder : public YAML::EventHandler {
 public:
  // `lines`, unless null, gets the line of each value.
  TreeBuilder(const YamlLimits& limits, std::string_view what, YamlLines* lines)
      : limits_(limits), what_(what), lines_(lines) {}

  Value take() { return std::move(done_); }
  Error error_at(const YAML::Mark& mark, const std::string& text) const {
    return invalid_argument(what_ + ": line " + std::to_string(std::max(mark.line, 0) + 1) + ": " + text);
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) refuse(mark, "a second document begins");
  }
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark& mark, const std::string&) override { refuse(mark, "anchors are not supported"); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse(mark, "aliases are not supported"); }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (anchor != 0) refuse(mark, "anchors are not supported");
    add(mark, Value());
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    if (anchor != 0) refuse(mark, "anchors are not supported");
    const bool plain = tag == "?" || tag.empty();
    if (!open_.empty() && open_.back().is_map && !open_.back().has_key) return set_key(mark, text);
    const bool null = plain && (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL");
    add(mark, null ? Value() : Value(text));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, false);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, true);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    bool is_map = false, has_key = false;
    std::string key, place;
    std::unordered_set<std::string> seen;
    ValueObject members;
    ValueList list;
  };

  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& text) const {
    throw Refused{error_at(mark, text)};
  }
  void count_node(const YAML::Mark& mark) {
    if (++nodes_ <= limits_.max_nodes) return;
    throw Refused{too_large(what_ + ": line " + std::to_string(mark.line + 1) + ": more than " +
                            std::to_string(limits_.max_nodes) + " values")};
  }
  void set_key(const YAML::Mark& mark, const std::string& key) {
    count_node(mark);
    Open& map = open_.back();
    if (!map.seen.insert(key).second) refuse(mark, "the key \"" + preview(key, 60) + "\" stands there twice");
    map.key = key;
    map.has_key = true;
    note_line(mark);
  }
  // Of the value that comes next. A member has its key's line already.
  std::string place() const {
    if (open_.empty()) return "";
    const Open& in = open_.back();
    if (!in.is_map) return in.place + "[" + std::to_string(in.list.size()) + "]";
    return in.place.empty() ? in.key : in.place + "." + in.key;
  }
  void note_line(const YAML::Mark& mark) {
    if (lines_ != nullptr) lines_->emplace(place(), static_cast<std::size_t>(std::max(mark.line, 0)) + 1);
  }
  void open(const YAML::Mark& mark, YAML::anchor_t anchor, bool is_map) {
    if (anchor != 0) refuse(mark, "anchors are not supported");
    if (open_.size() >= limits_.max_depth) refuse(mark, "nested too deeply");
    if (!open_.empty() && open_.back().is_map && !open_.back().has_key) refuse(mark, "a key must be a word");
    count_node(mark);
    note_line(mark);
    std::string here = lines_ != nullptr ? place() : "";
    open_.emplace_back();
    open_.back().is_map = is_map;
    open_.back().place = std::move(here);
  }
  void close() {
    Open ready = std::move(open_.back());
    open_.pop_back();
    put(ready.is_map ? Value(std::move(ready.members)) : Value(std::move(ready.list)));
  }
  void add(const YAML::Mark& mark, Value value) {
    if (!open_.empty() && open_.back().is_map && !open_.back().has_key) refuse(mark, "a key is missing");
    count_node(mark);
    note_line(mark);
    put(std::move(value));
  }
  void put(Value value) {
    if (open_.empty()) {
      done_ = std::move(value);
    } else if (Open& parent = open_.back(); parent.is_map) {
      parent.members.emplace_back(std::move(parent.key), std::move(value));
      parent.has_key = false;
    } else {
      parent.list.push_back(std::move(value));
    }
  }

  const YamlLimits& limits_;
  std::string what_;
  YamlLines* lines_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
  std::vector<Open> open_;
  Value done_;
};

std::string line_of(std::string_view text, std::size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(byte);
  return "line " + std::to_string(1 + std::count(text.begin(), end, '\n'));
}

Status check_text(std::string_view yaml, const YamlLimits& limits, std::string_view what) {
  const std::string begin = std::string(what) + ": ";
  if (yaml.size() > limits.max_bytes) {
    return too_large(begin + std::to_string(yaml.size()) + " bytes of YAML are more than the " +
                     std::to_string(limits.max_bytes) + " allowed");
  }
  if (const auto byte = find_invalid_utf8(yaml)) {
    return invalid_argument(begin + line_of(yaml, *byte) + ": not UTF-8", "save the file as UTF-8");
  }
  // The library takes some control characters for the end of the text.
  const auto control = std::find_if(yaml.begin(), yaml.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
  if (control == yaml.end()) return {};
  return invalid_argument(begin + line_of(yaml, static_cast<std::size_t>(control - yaml.begin())) +
                          ": a control character");
}

Result<Value> parse(std::string_view yaml, const YamlLimits& limits, std::string_view what, YamlLines* lines) {
  WEFT_CHECK(check_text(yaml, limits, what));
  TreeBuilder builder(limits, what, lines);
  try {
    std::istringstream stream{std::string(yaml)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refused& refused) {
    return refused.error;
  } catch (const YAML::Exception& error) {
    return builder.error_at(error.mark, error.msg);
  } catch (const std::exception& error) {
    return invalid_argument(std::string(what) + ": cannot be read as YAML: " + error.what());
  }
  return builder.take();
}

}  // namespace

Result<Value> parse_yaml_value(std::string_view yaml, const YamlLimits& limits, std::string_view what) {
  return parse(yaml, limits, what, nullptr);
}

Result<YamlTree> parse_yaml_tree(std::string_view yaml, const YamlLimits& limits, std::string_view what) {
  YamlTree tree;
  WEFT_TRY(tree.value, parse(yaml, limits, what, &tree.lines));
  return tree;
}

}  // namespace weft
