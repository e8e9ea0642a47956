#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// Whether a number is changed by an amount or given a value.
enum class QuantityOperation { kAdd, kSet };

/// One change of a number that somebody asks for.
struct QuantityRequest {
  std::string what;   ///< the words that name it, in the form of `normalize`: "hp", "healing potions", 药水
  std::string where;  ///< the words for what holds it, without article: "quiver", 背包; empty: not said
  QuantityOperation operation = QuantityOperation::kAdd;
  double amount = 0;  ///< signed
  bool own = false;   ///< the speaker's: "my gold", "give me", 给我

  friend bool operator==(const QuantityRequest&, const QuantityRequest&) = default;
};

/// The changes of numbers that a message asks for, if it asks for nothing else: "HP -5", "set gold to 30", "give me 3
/// potions and 2 arrows", 把药水加三瓶, 金币减5. Empty for everything else: questions, stories ("I give him three
/// reasons"), estimates (三四瓶), shares (10%), spans of time, requests for text ("give me 3 ideas"), a change of a
/// number with anything more behind it, and messages longer than 400 bytes. Greetings and courtesy around it do not
/// count. Chinese, English and both mixed. Whether there is such a thing is for the caller to see. Linear; safe from
/// any thread.
std::vector<QuantityRequest> quantity_requests(std::string_view text);

}  // namespace weft
