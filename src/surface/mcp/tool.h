#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "surface/api/operation.h"
#include "surface/mcp/protocol.h"
#include "surface/mcp/rpc.h"
#include "weft/engine.h"

/// Tools that the server offers.
namespace weft::mcp {

/// What a call does to what is kept, as the protocol's annotations tell it.
enum class ToolHint {
  kReads,     ///< nothing
  kAdds,      ///< something comes to it
  kSets,      ///< something stands otherwise then; again it changes nothing
  kDestroys,  ///< something goes that does not come back by itself
};

/// A form for a person, which the client is to show and send the call again with.
struct InputNeeded {
  std::string key;  ///< names the form among those of the call
  std::string message;
  Value schema;  ///< of what is filled in: an object of texts, numbers and flags
};

/// What a tool gives: its answer, an object; or what it needs before it can.
using ToolAnswer = std::variant<Value, InputNeeded>;

struct Tool {
  std::string name, description;
  Value arguments, answer;  ///< JSON Schemas; `answer` null: not described
  ToolHint hint = ToolHint::kReads;
  Right right = Right::kRead;  ///< that who asks must have
  std::function<Result<ToolAnswer>(Engine& engine, const Exchange& exchange, const Value& arguments)> run;
  std::function<std::string(const Value& answer)> text;  ///< the answer in as few words as will do; null: its JSON
  Value accepted = {};  ///< JSON Schema of all arguments that it takes, also of those that are not offered
};

/// All there are: first those that are offered where nothing else is asked for, `few_tools` of them.
const std::vector<Tool>& all_tools();
std::size_t few_tools();

/// Those that a choice offers. kInvalidArgument, with the names that there are, where it names one that is none.
Result<std::vector<const Tool*>> chosen_tools(const ToolChoice& choice);

/// A tool as a client is told of it.
Value tool_description(const Tool& tool);

/// The tools that are more than an operation: the few that most clients need, and those that ask people.
std::vector<Tool> few_tool_list();
std::vector<Tool> question_tools();

/// A tool made of an operation as it is described, under this name.
Tool tool_of(const Operation& operation, std::string name);

/// What a person did with a form.
struct PersonReply {
  bool accepted = false;  ///< false: they declined it, or closed it
  Value content;          ///< what they filled in, where they accepted
};

/// Puts a form before the user of the client. With a handshake the client is asked and waited for; in the stateless
/// revision the answer comes with the call when it is made again, and until then the form itself is given back.
/// Only for clients that can: `Client::asks_people`.
Result<std::variant<PersonReply, InputNeeded>> ask_person(const Exchange& exchange, InputNeeded form);

/// The tool of that name or alias among those offered. Null where there is none.
const Tool* find_tool(std::span<const Tool* const> tools, std::string_view name);

/// Runs a tool for tools/call: tells the client how long it is at it where the client wants to know, ends it when
/// nobody waits any more, and gives its answer, its failure as the model is to read it, or what it needs of a person.
Reply run_tool(Engine& engine, const Exchange& exchange, const Tool& tool, const Value& arguments);

}  // namespace weft::mcp
