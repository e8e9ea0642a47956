#include "ports/templates/template.h"

#include <jinja/lexer.h>
#include <jinja/parser.h>
#include <jinja/runtime.h>

#include <algorithm>
#include <exception>
#include <set>

#include "ports/templates/jinja_value.h"
#include "ports/templates/meter.h"
#include "ports/templates/nodes.h"
#include "ports/templates/source_check.h"
#include "text/utf8.h"

namespace weft {
namespace {

using templates::Fault;

constexpr std::size_t kMaxSource = 256 * 1024;
// Steps that entering a scope takes, whatever the template.
constexpr std::size_t kScopeCost = 12;

// The engine moves what it reads to "\n"; positions count from there.
std::string with_plain_line_ends(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n') continue;
    out += source[i] == '\r' ? '\n' : source[i];
  }
  return out;
}

Error as_error(const std::string& name, const std::string& source, const Fault& fault) {
  std::string place = "template '" + name + "'";
  if (fault.at != Fault::kNowhere) place += ", line " + std::to_string(templates::line_of(source, fault.at));
  return {fault.code, place + ": " + fault.message, {}};
}

// The engine's lexer says where it stopped only as a caret under a piece of the source: "…\n   ^".
std::size_t caret_of(const std::string& source, const std::string& words) {
  const std::size_t begin = words.find("\n..."), end = words.rfind("...\n");
  if (begin == std::string::npos || end == std::string::npos || end < begin + 4) return Fault::kNowhere;
  const std::size_t spaces = words.size() - (end + 4) - 1;
  if (spaces < 3) return Fault::kNowhere;
  std::string piece = words.substr(begin + 4, end - begin - 4);
  for (std::size_t at = 0; (at = piece.find("↵", at)) != std::string::npos;) piece.replace(at, 3, "\n");
  const std::size_t found = source.find(piece);
  return found == std::string::npos ? Fault::kNowhere : found + (spaces - 3);
}

std::string first_line(const std::string& words) { return words.substr(0, words.find('\n')); }

}  // namespace

struct Template::State {
  std::string name, source;
  jinja::program program;
  std::set<std::string> names;
};

Result<Template> Template::compile(std::string name, std::string_view source) {
  if (source.size() > kMaxSource)
    return too_large("template '" + name + "': over " + std::to_string(kMaxSource) + " bytes");
  if (const auto broken = find_invalid_utf8(source)) {
    return invalid_argument("template '" + name + "': not UTF-8 at byte " + std::to_string(*broken));
  }
  auto state = std::make_shared<State>();
  state->name = std::move(name);
  state->source = with_plain_line_ends(source);
  jinja::lexer_result read;
  try {
    jinja::lexer lexer;
    read = lexer.tokenize(state->source);
    templates::check_tokens(read);
    state->program = jinja::parse_from_tokens(read);
    state->names = templates::guard_nodes(state->program);
    return Template(std::move(state));
  } catch (const Fault& fault) {
    return as_error(state->name, state->source, fault);
  } catch (const jinja::lexer_exception& failure) {
    return as_error(state->name, state->source,
                    {ErrorCode::kInvalidArgument, first_line(failure.what()), caret_of(state->source, failure.what())});
  } catch (const std::exception& failure) {
    return as_error(state->name, state->source,
                    {ErrorCode::kInvalidArgument, first_line(failure.what()), templates::find_broken_tag(read)});
  }
}

Result<std::string> Template::render(const Value& variables, const std::vector<ReadyText>& ready,
                                     const TemplateLimits& limits) const {
  const State& state = *state_;
  try {
    templates::Meter meter(limits, kScopeCost + state.names.size() / 2);
    jinja::context context;
    if (const ValueObject* members = variables.object()) {
      for (const auto& [name, member] : *members) {
        if (mentions(name)) context.set_val(name, templates::to_jinja(member));
      }
    }
    for (const ReadyText& text : ready) {
      const std::string name(text.name);
      if (mentions(name)) context.set_val(name, templates::escaped_text(std::string(text.text)));
    }
    std::string out;
    for (const jinja::statement_ptr& node : state.program.body) out += templates::as_markup(node->execute(context));
    if (out.size() > limits.max_output) {
      throw Fault{ErrorCode::kTooLarge, "its output is over " + std::to_string(limits.max_output) + " bytes"};
    }
    if (find_invalid_utf8(out)) return repair_utf8(out);
    return out;
  } catch (const Fault& fault) {
    return as_error(state.name, state.source, fault);
  } catch (const std::exception& failure) {
    return as_error(state.name, state.source, {ErrorCode::kInvalidArgument, first_line(failure.what())});
  }
}

bool Template::mentions(std::string_view variable) const { return state_->names.count(std::string(variable)) > 0; }

}  // namespace weft
