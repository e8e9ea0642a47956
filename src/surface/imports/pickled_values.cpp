// A pickle is a program for a machine with a stack, whose instructions push values, gather them into containers and
// call functions. Here it has no functions.
#include "surface/imports/pickled_values.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "text/json.h"
#include "text/json_lookup.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostValues = 1'000'000;  // on the stack, and remembered

/// A value, and how many levels of containers it has.
struct Held {
  Json value = {};
  std::size_t depth = 0;
};

class Machine {
 public:
  explicit Machine(std::string_view bytes) : bytes_(bytes) {}

  Result<Json> run() {
    while (at_ < bytes_.size() && sound_ && stack_.size() < kMostValues) {
      const auto code = static_cast<unsigned char>(bytes_[at_++]);
      if (code == '.') return sound_ && !stack_.empty() ? Result<Json>(pop().value) : broken();
      if (!value(code) && !container(code) && !object(code)) break;
    }
    return broken();
  }

 private:
  Error broken() const {
    if (too_deep_)
      return too_large("a pickle is nested deeper than " + std::to_string(kDeepestJson) + " levels, at byte " +
                       std::to_string(at_));
    return corrupt("no pickle that can be read, at byte " + std::to_string(at_));
  }

  // The next bytes; of what is cut off nothing, and the machine stops.
  std::string_view take(std::uint64_t count) {
    sound_ = sound_ && count <= bytes_.size() - at_;
    if (!sound_) return {};
    const auto taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }
  // Little-endian.
  std::uint64_t number(std::size_t bytes) {
    std::uint64_t out = 0;
    const auto taken = take(bytes);
    for (std::size_t i = taken.size(); i-- > 0;) out = out << 8 | static_cast<unsigned char>(taken[i]);
    return out;
  }
  double real() {
    std::uint64_t bits = 0;
    for (const char c : take(8)) bits = bits << 8 | static_cast<unsigned char>(c);
    return std::bit_cast<double>(bits);
  }
  // Of up to eight bytes, with a sign.
  std::int64_t whole(std::size_t bytes) {
    if (bytes > 8) return take(bytes), 0;
    const std::uint64_t read = number(bytes);
    const std::size_t spare = 64 - bytes * 8;
    return bytes == 0 ? 0 : static_cast<std::int64_t>(read << spare) >> spare;
  }

  void push(Json one) { stack_.push_back({std::move(one)}); }
  Held pop() {
    sound_ = sound_ && !stack_.empty();
    if (!sound_) return {};
    Held one = std::move(stack_.back());
    stack_.pop_back();
    return one;
  }
  // What was pushed since the last mark.
  std::vector<Held> gathered() {
    sound_ = sound_ && !marks_.empty() && marks_.back() <= stack_.size();
    if (!sound_) return {};
    const auto from = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<Held> out(std::make_move_iterator(from), std::make_move_iterator(stack_.end()));
    stack_.erase(from, stack_.end());
    marks_.pop_back();
    return out;
  }
  Held* top() { return stack_.empty() ? (sound_ = false, nullptr) : &stack_.back(); }

  // A container gets a part, or not where it would nest too deeply: whoever copies or writes it walks down all levels.
  Json take_in(Held& container, Held part) {
    container.depth = std::max(container.depth, part.depth + 1);
    too_deep_ = too_deep_ || container.depth > kDeepestJson;
    sound_ = sound_ && !too_deep_;
    return std::move(part.value);
  }
  Held list_of(std::vector<Held> parts) {
    Held list{Json::array()};
    for (Held& one : parts) list.value.push_back(take_in(list, std::move(one)));
    return list;
  }

  // Only texts are remembered: containers change after they are, and could be put into each other without end.
  void remember(std::uint64_t place) {
    const Held* one = top();
    if (one != nullptr && one->value.is_string() && memory_.size() < kMostValues) memory_[place] = one->value;
    next_ = place + 1;
  }
  void recall(std::uint64_t place) {
    const auto known = memory_.find(place);
    push(known == memory_.end() ? Json() : known->second);
  }

  bool value(unsigned char code) {
    switch (code) {
      case 0x80: take(1); return true;  // protocol
      case 0x95: take(8); return true;  // frame
      case 0x8c: push(std::string(take(number(1)))); return true;  // texts
      case 'X': push(std::string(take(number(4)))); return true;
      case 0x8d: push(std::string(take(number(8)))); return true;
      case 'C':
        take(number(1));
        push(nullptr);
        return true;  // bytes
      case 'B':
        take(number(4));
        push(nullptr);
        return true;
      case 0x8e:
      case 0x96:
        take(number(8));
        push(nullptr);
        return true;
      case 'G': push(real()); return true;
      case 'K': push(number(1)); return true;
      case 'M': push(number(2)); return true;
      case 'J': push(whole(4)); return true;
      case 0x8a: push(whole(number(1))); return true;
      case 'N': push(nullptr); return true;
      case 0x88: push(true); return true;
      case 0x89: push(false); return true;
      case 0x94: remember(next_); return true;
      case 'q': remember(number(1)); return true;
      case 'r': remember(number(4)); return true;
      case 'h': recall(number(1)); return true;
      case 'j': recall(number(4)); return true;
      default: return false;
    }
  }

  void put(const Held& key, Held one) {
    Held* into = top();
    if (into == nullptr || !into->value.is_object()) return;
    into->value[key.value.is_string() ? key.value.get<std::string>() : write_json(key.value)] =
        take_in(*into, std::move(one));
  }
  void append(std::vector<Held> more) {
    Held* into = top();
    if (into == nullptr || !into->value.is_array()) return;
    for (Held& one : more) into->value.push_back(take_in(*into, std::move(one)));
  }
  void tuple(std::size_t count) {
    std::vector<Held> parts(count);
    while (count > 0) parts[--count] = pop();
    stack_.push_back(list_of(std::move(parts)));
  }

  bool container(unsigned char code) {
    switch (code) {
      case '}': push(Json::object()); return true;
      case ']':
      case ')':
      case 0x8f: push(Json::array()); return true;
      case '(': marks_.push_back(stack_.size()); return true;
      case 's': {
        Held one = pop(), key = pop();
        put(key, std::move(one));
        return true;
      }
      case 'u': {
        std::vector<Held> all = gathered();
        for (std::size_t i = 0; i + 1 < all.size(); i += 2) put(all[i], std::move(all[i + 1]));
        return true;
      }
      case 'a': {
        std::vector<Held> one;
        one.push_back(pop());
        append(std::move(one));
        return true;
      }
      case 'e':
      case 0x90: append(gathered()); return true;
      case 't':
      case 0x91: stack_.push_back(list_of(gathered())); return true;
      case 0x85: tuple(1); return true;
      case 0x86: tuple(2); return true;
      case 0x87: tuple(3); return true;
      case '0': pop(); return true;
      default: return false;
    }
  }

  bool object(unsigned char code) {
    switch (code) {
      case 0x93:
      case 0x81:
      case 'R':  // a class by its names, an object of it, what a function gives
        pop();
        pop();
        push(nullptr);
        return true;
      case 0x92:
        pop();
        pop();
        pop();
        push(nullptr);
        return true;
      case 'c':  // a class by its names, a line each
        for (int i = 0; i < 2; ++i) {
          const auto end = bytes_.find('\n', at_);
          take(end == std::string_view::npos ? bytes_.size() + 1 : end - at_ + 1);
        }
        push(nullptr);
        return true;
      case 'b': {  // an object is its state
        Held state = pop();
        pop();
        stack_.push_back(std::move(state));
        return true;
      }
      default: return false;
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool sound_ = true, too_deep_ = false;
  std::vector<Held> stack_;
  std::vector<std::size_t> marks_;
  std::map<std::uint64_t, Json> memory_;
  std::uint64_t next_ = 0;
};

}  // namespace

Result<nlohmann::json> read_pickle(std::string_view bytes) { return Machine(bytes).run(); }

}  // namespace weft
