// A pickle is a program for a machine with a stack, whose instructions push values, gather them into containers and
// call functions. Here it has no functions.
#include "surface/imports/pickled_values.h"

#include <bit>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostValues = 1'000'000;  // on the stack, and remembered

class Machine {
 public:
  explicit Machine(std::string_view bytes) : bytes_(bytes) {}

  Result<Json> run() {
    while (at_ < bytes_.size() && sound_ && stack_.size() < kMostValues) {
      const auto code = static_cast<unsigned char>(bytes_[at_++]);
      if (code == '.') return sound_ && !stack_.empty() ? Result<Json>(pop()) : broken();
      if (!value(code) && !container(code) && !object(code)) break;
    }
    return broken();
  }

 private:
  Error broken() const { return corrupt("no pickle that can be read, at byte " + std::to_string(at_)); }

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

  void push(Json one) { stack_.push_back(std::move(one)); }
  Json pop() {
    sound_ = sound_ && !stack_.empty();
    if (!sound_) return {};
    Json one = std::move(stack_.back());
    stack_.pop_back();
    return one;
  }
  // What was pushed since the last mark.
  std::vector<Json> gathered() {
    sound_ = sound_ && !marks_.empty() && marks_.back() <= stack_.size();
    if (!sound_) return {};
    const auto from = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<Json> out(std::make_move_iterator(from), std::make_move_iterator(stack_.end()));
    stack_.erase(from, stack_.end());
    marks_.pop_back();
    return out;
  }
  Json* top() { return stack_.empty() ? (sound_ = false, nullptr) : &stack_.back(); }

  // Only texts are remembered: containers change after they are, and could be put into each other without end.
  void remember(std::uint64_t place) {
    const Json* one = top();
    if (one != nullptr && one->is_string() && memory_.size() < kMostValues) memory_[place] = *one;
    next_ = place + 1;
  }
  void recall(std::uint64_t place) {
    const auto known = memory_.find(place);
    push(known == memory_.end() ? Json() : known->second);
  }

  bool value(unsigned char code) {
    switch (code) {
      case 0x80: take(1); return true;                               // protocol
      case 0x95: take(8); return true;                               // frame
      case 0x8c: push(std::string(take(number(1)))); return true;    // texts
      case 'X': push(std::string(take(number(4)))); return true;
      case 0x8d: push(std::string(take(number(8)))); return true;
      case 'C':
        take(number(1));
        push(nullptr);
        return true;         // bytes
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

  void put(Json key, Json one) {
    Json* into = top();
    if (into == nullptr || !into->is_object()) return;
    (*into)[key.is_string() ? key.get<std::string>() : write_json(key)] = std::move(one);
  }
  void append(std::vector<Json> more) {
    Json* into = top();
    if (into == nullptr || !into->is_array()) return;
    for (Json& one : more) into->push_back(std::move(one));
  }
  void tuple(std::size_t count) {
    Json out = Json::array();
    for (std::size_t i = 0; i < count; ++i) out.insert(out.begin(), pop());
    push(std::move(out));
  }

  bool container(unsigned char code) {
    switch (code) {
      case '}': push(Json::object()); return true;
      case ']':
      case ')':
      case 0x8f: push(Json::array()); return true;
      case '(': marks_.push_back(stack_.size()); return true;
      case 's': {
        Json one = pop(), key = pop();
        put(std::move(key), std::move(one));
        return true;
      }
      case 'u': {
        std::vector<Json> all = gathered();
        for (std::size_t i = 0; i + 1 < all.size(); i += 2) put(std::move(all[i]), std::move(all[i + 1]));
        return true;
      }
      case 'a': {
        std::vector<Json> one;
        one.push_back(pop());
        append(std::move(one));
        return true;
      }
      case 'e':
      case 0x90: append(gathered()); return true;
      case 't':
      case 0x91: {
        std::vector<Json> all = gathered();
        push(Json(std::move(all)));
        return true;
      }
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
        Json state = pop();
        pop();
        push(std::move(state));
        return true;
      }
      default: return false;
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool sound_ = true;
  std::vector<Json> stack_;
  std::vector<std::size_t> marks_;
  std::map<std::uint64_t, Json> memory_;
  std::uint64_t next_ = 0;
};

}  // namespace

Result<nlohmann::json> read_pickle(std::string_view bytes) { return Machine(bytes).run(); }

}  // namespace weft
