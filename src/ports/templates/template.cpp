#include "ports/templates/template.h"

#include <string>

#include "ports/templates/runner.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kMaxSource = 256 * 1024;

// "\n" ends lines, and the last one has no end.
std::string with_plain_line_ends(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n') continue;
    out += source[i] == '\r' ? '\n' : source[i];
  }
  if (source.ends_with('\n')) out.pop_back();
  return out;
}

Error named(const std::string& name, const Error& error) {
  return {error.code, "template '" + name + "', " + error.message, error.hint};
}

}  // namespace

struct Template::State {
  std::string name, source;
  templates::Checked checked;
};

Result<Template> Template::compile(std::string name, std::string_view source) {
  if (source.size() > kMaxSource)
    return too_large("template '" + name + "': over " + std::to_string(kMaxSource) + " bytes");
  if (const auto broken = find_invalid_utf8(source))
    return invalid_argument("template '" + name + "': not UTF-8 at byte " + std::to_string(*broken));
  State state{std::move(name), with_plain_line_ends(source), {}};
  auto checked = templates::check(state.source);
  if (!checked.ok()) return named(state.name, checked.error());
  state.checked = std::move(*checked);
  return Template(std::make_shared<const State>(std::move(state)));
}

Result<std::string> Template::render(const Value& variables, const std::vector<ReadyText>& ready,
                                     const TemplateLimits& limits) const {
  templates::Names names;
  if (const ValueObject* members = variables.object())
    for (const auto& [name, member] : *members) names[name] = {{std::shared_ptr<const Value>(), &member}};
  for (const ReadyText& text : ready)
    if (mentions(text.name)) names[std::string(text.name)] = templates::thing(std::string(text.text), true);
  auto out = templates::run(state_->source, state_->checked, std::move(names), limits);
  if (!out.ok()) return named(state_->name, out.error());
  return find_invalid_utf8(*out) ? repair_utf8(*out) : std::move(*out);
}

bool Template::mentions(std::string_view variable) const { return state_->checked.names.contains(variable); }

}  // namespace weft
