#include "text/schema_check.h"

// Without it a broken schema ends the program.
#define VALIJSON_USE_EXCEPTIONS 1

#include <exception>
#include <nlohmann/json.hpp>
#include <utility>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "text/json_lookup.h"

namespace weft {

using nlohmann::json;

struct SchemaCheck::State {
  std::string subject;
  json document;  // the schema refers to its parts
  valijson::Schema schema;
};

Result<SchemaCheck> SchemaCheck::compile(std::string_view schema, std::string subject, SchemaUse use) {
  WEFT_TRY(const std::string bounded, bounded_schema(schema, subject, use));
  auto state = std::make_shared<State>();
  state->subject = std::move(subject);
  state->document = json::parse(bounded, nullptr, false);
  try {
    valijson::SchemaParser parser;
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(state->document), state->schema);
  } catch (const std::exception& e) {
    return invalid_argument("the schema of " + state->subject + " cannot be read: " + std::string(e.what()));
  }
  return SchemaCheck(std::move(state));
}

Status SchemaCheck::check(std::string_view text) const {
  if (nests_deeper(text, kDeepestJson))
    return too_large(state_->subject + " is nested deeper than " + std::to_string(kDeepestJson) + " levels");
  json answer;
  try {
    answer = json::parse(text);
  } catch (const json::exception& e) {
    return invalid_argument(state_->subject + " is not JSON: " + std::string(e.what()));
  }
  try {
    valijson::Validator validator;
    valijson::ValidationResults results;
    const valijson::adapters::NlohmannJsonAdapter adapter(answer);
    if (validator.validate(state_->schema, adapter, &results)) return {};
    // The last one is the outermost; the first names the place itself.
    valijson::ValidationResults::Error first;
    if (!results.popError(first)) return invalid_argument(state_->subject + " does not match the schema");
    std::string where;
    for (const std::string& step : first.context) where += step;
    return invalid_argument(state_->subject + " does not match the schema at " + where + ": " + first.description);
  } catch (const std::exception& e) {
    return invalid_argument(state_->subject + " cannot be checked: " + std::string(e.what()));
  }
}

}  // namespace weft
