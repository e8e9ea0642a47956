#include "model/records.h"

namespace weft {

std::string to_json(const Summary& summary) { return to_json<Summary>(summary); }
std::string to_json(const Candidate& candidate) { return to_json<Candidate>(candidate); }
std::string to_json(const CompactionReport& report) { return to_json<CompactionReport>(report); }
std::string to_json(const Compaction& compaction) { return to_json<Compaction>(compaction); }

Result<Compaction> parse_compaction(std::string_view json) {
  auto read = parse_record<Compaction>(json, "compaction");
  if (!read.ok() && !read.error().message.starts_with("compaction"))
    return Error{read.error().code, "compaction: " + read.error().message, read.error().hint};
  return read;
}

}  // namespace weft
