// Whether the file is what SQLite wrote, and the mending of what follows from its rows.
#include "ports/store/sqlite/sqlite_store.h"

namespace weft {

Soundness* soundness_of(Store& store) { return dynamic_cast<Soundness*>(&store); }

namespace sqlite {

// A page that cannot be read at all ends the check: that is a finding, and no failure of the call.
Result<std::vector<std::string>> SqliteStore::faults() {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare("PRAGMA integrity_check(100)");
  std::vector<std::string> found;
  while (statement.step())
    if (std::string told = statement.text(0); told != "ok") found.push_back(std::move(told));
  const Status ended = statement.status();
  if (!ended.ok() && ended.error().code != ErrorCode::kCorrupt) return ended.error();
  if (!ended.ok()) found.push_back(ended.error().message);
  return found;
}

Status SqliteStore::rebuild() {
  auto connection = pools_.writer->take();
  return connection->run("REINDEX");
}

}  // namespace sqlite
}  // namespace weft
