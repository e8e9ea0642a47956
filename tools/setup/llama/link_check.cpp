// Links every object of the libraries that set-up installs; see CMakeLists.txt. Never run.

#include <llama.h>

#include "json-schema-to-grammar.h"

int main() {
  llama_backend_init();
  return json_schema_to_grammar(common_json::parse("{}")).empty() ? 1 : 0;
}
