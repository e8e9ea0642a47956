#include "ports/store/store.h"

#include "ports/store/postgres/postgres_store.h"
#include "ports/store/sqlite/sqlite_store.h"

namespace weft {

bool WriteBatch::empty() const {
  return sessions.empty() && messages.empty() && blocks.empty() && topics.empty() && items.empty() && vectors.empty() &&
         message_blocks.empty() && message_active.empty() && item_active.empty() && jobs.empty() &&
         claimed_jobs.empty() && finished_jobs.empty() && erased_jobs.empty() && marks.empty() &&
         claimed_marks.empty() && erased_items.empty() && erased_messages.empty() && erased_topics.empty() &&
         erased_blocks.empty() && message_parents.empty() && passed_traces.empty() && erased_sessions.empty() &&
         blanked_leads.empty() && erased_marks.empty() && erased_mark_ends.empty() && documents.empty() &&
         erased_documents.empty() && erased_versions.empty() && log.empty() && cursors.empty();
}

namespace {

Result<std::unique_ptr<Store>> open_named(const std::string& url) {
  constexpr std::string_view kSqlite = "sqlite:";
  if (url == "memory:") return sqlite::SqliteStore::open("");
  if (url.starts_with(kSqlite)) return sqlite::SqliteStore::open(url.substr(kSqlite.size()));
  if (url.starts_with("postgresql://") || url.starts_with("postgres://")) return postgres::PostgresStore::open(url);
  return invalid_argument("store: this URL names no store that this program knows",
                          "use \"sqlite:PATH\", \"memory:\" or \"postgresql://USER@HOST/DATABASE\"");
}

}  // namespace

Result<std::unique_ptr<Store>> open_store(const std::string& url, OnAppend on_append) {
  WEFT_TRY(auto store, open_named(url));
  store->on_append_ = std::move(on_append);
  return store;
}

}  // namespace weft
