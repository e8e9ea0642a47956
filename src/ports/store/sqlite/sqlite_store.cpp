#include "ports/store/sqlite/sqlite_store.h"

#include <utility>

#include "model/event_details.h"
#include "ports/store/sqlite/row_codec.h"
#include "ports/store/sqlite/schema.h"

namespace weft {

bool WriteBatch::empty() const {
  return sessions.empty() && messages.empty() && blocks.empty() && topics.empty() && items.empty() && vectors.empty() &&
         message_blocks.empty() && message_active.empty() && item_active.empty() && jobs_done.empty() &&
         erased_items.empty() && erased_messages.empty() && erased_topics.empty() && erased_blocks.empty() &&
         message_parents.empty() && passed_traces.empty() && erased_sessions.empty() && blanked_leads.empty() &&
         erased_jobs.empty() && erased_job_ends.empty() && documents.empty() && erased_documents.empty() &&
         erased_versions.empty();
}

Result<std::unique_ptr<Store>> open_store(const std::string& url) {
  constexpr std::string_view kSqlite = "sqlite:";
  if (url == "memory:") return sqlite::SqliteStore::open("");
  if (url.starts_with(kSqlite)) return sqlite::SqliteStore::open(url.substr(kSqlite.size()));
  return invalid_argument("store: \"" + url + "\" names no store this program knows",
                          "use \"sqlite:PATH\" or \"memory:\"");
}

namespace sqlite {
namespace {

constexpr std::size_t kReaders = 4;

#define WEFT_MESSAGE_COLUMNS \
  "seq,scope,session,id,parent,digest,role,name,time,zone,content,extra,tokens,block,active,chain"
#define WEFT_BRIEF_COLUMNS "seq,scope,session,id,parent,digest,role,name,time,zone,'','',tokens,block,active,chain"
#define WEFT_BLOCK_COLUMNS "scope,session,id,topic,status,first_seq,last_seq,tokens,started,last,zone,active"
#define WEFT_TOPIC_COLUMNS "scope,session,id,status,reason,tokens,blocks,started,last,zone,touched,trace,lead,done"
#define WEFT_ITEM_COLUMNS \
  "row,scope,id,kind,session,topic,block,time,zone,position,made_by,role,speaker,active,model,terms,vector,details,"

MessageRow read_message(const Statement& at) {
  MessageRow row;
  row.seq = at.integer(0);
  row.scope = at.text(1);
  row.session = SessionId(at.text(2));
  row.message.id = MessageId(at.text(3));
  row.parent = at.integer(4);
  row.digest = static_cast<std::uint64_t>(at.integer(5));
  row.message.role = static_cast<Role>(at.integer(6));
  row.message.name = at.text(7);
  row.message.time = Time{at.integer(8), static_cast<std::int32_t>(at.integer(9))};
  row.message.content = at.text(10);
  decode_extra(at.text(11), row.message);
  row.tokens = at.integer(12);
  row.block = BlockId(at.text(13));
  row.active = at.integer(14) != 0;
  row.chain = static_cast<std::uint64_t>(at.integer(15));
  return row;
}

BlockRow read_block(const Statement& at) {
  const auto zone = static_cast<std::int32_t>(at.integer(10));
  return {BlockId(at.text(2)),
          at.text(0),
          SessionId(at.text(1)),
          TopicId(at.text(3)),
          static_cast<BlockStatus>(at.integer(4)),
          at.integer(5),
          at.integer(6),
          at.integer(7),
          Time{at.integer(8), zone},
          Time{at.integer(9), zone},
          at.integer(11) != 0};
}

TopicRow read_topic(const Statement& at) {
  const auto zone = static_cast<std::int32_t>(at.integer(9));
  return {TopicId(at.text(2)),
          at.text(0),
          SessionId(at.text(1)),
          static_cast<TopicStatus>(at.integer(3)),
          static_cast<FlushReason>(at.integer(4)),
          at.integer(5),
          at.integer(6),
          Time{at.integer(7), zone},
          Time{at.integer(8), zone},
          at.integer(10),
          std::string(at.blob(11)),
          at.text(12),
          at.integer(13) != 0};
}

ItemRow read_item(const Statement& at) {
  ItemRow row;
  row.row = at.integer(0);
  row.scope = at.text(1);
  row.item.id = ItemId(at.text(2));
  row.item.kind = static_cast<ItemKind>(at.integer(3));
  row.item.session = SessionId(at.text(4));
  row.item.topic = TopicId(at.text(5));
  row.item.block = BlockId(at.text(6));
  row.item.time = {at.integer(7), static_cast<std::int32_t>(at.integer(8))};
  row.item.position = at.integer(9);
  row.item.by = at.text(10);
  row.role = static_cast<Role>(at.integer(11));
  row.speaker = at.text(12);
  row.active = at.integer(13) != 0;
  row.model = at.text(14);
  row.terms = from_bytes<Term>(at.blob(15));
  row.vector = from_bytes<float>(at.blob(16));
  take_details(at.text(17), row.item);
  row.item.sources = decode_sources(at.text(18));
  row.item.text = at.text(19);
  return row;
}

template <class Read>
auto read_all(Statement& statement, Read read) -> Result<std::vector<decltype(read(statement))>> {
  std::vector<decltype(read(statement))> rows;
  while (statement.step()) rows.push_back(read(statement));
  WEFT_CHECK(statement.status());
  return rows;
}

template <class Read>
auto read_one(Statement& statement, Read read) -> Result<std::optional<decltype(read(statement))>> {
  std::optional<decltype(read(statement))> row;
  if (statement.step()) row = read(statement);
  WEFT_CHECK(statement.status());
  return row;
}

}  // namespace

Result<std::unique_ptr<Store>> SqliteStore::open(const std::string& path) {
  const bool in_memory = path.empty();
  WEFT_TRY(auto connection, Connection::open(in_memory ? ":memory:" : path, true));
  WEFT_CHECK(prepare_schema(*connection));
  auto writer = Pool::share(std::move(connection));
  std::unique_ptr<Pool> readers;
  if (!in_memory) {
    WEFT_TRY(readers, Pool::open(path, kReaders));
  }
  return std::unique_ptr<Store>(new SqliteStore(std::move(writer), std::move(readers)));
}

Status SqliteStore::write(const WriteBatch& batch) {
  if (batch.empty()) return {};
  Waiting mine{&batch, {}, false};
  std::unique_lock lock(queue_mutex_);
  queue_.push_back(&mine);
  queue_moved_.wait(lock, [&] { return mine.done || !committing_; });
  if (mine.done) return mine.status;
  committing_ = true;
  std::vector<Waiting*> group = std::exchange(queue_, {});
  lock.unlock();
  commit_together(group);
  lock.lock();
  committing_ = false;
  for (Waiting* waiting : group) waiting->done = true;
  queue_moved_.notify_all();
  return mine.status;
}

void SqliteStore::commit_together(std::vector<Waiting*>& group) {
  auto connection = writer_->take();
  Status begun = connection->run("BEGIN IMMEDIATE");
  if (begun.ok()) {
    // A savepoint for each, so that one caller's conflict does not undo what the others wrote.
    for (Waiting* waiting : group) {
      waiting->status = connection->run("SAVEPOINT batch");
      if (waiting->status.ok()) waiting->status = apply(*connection, *waiting->batch);
      if (!waiting->status.ok()) (void)connection->run("ROLLBACK TO batch");
      (void)connection->run("RELEASE batch");
    }
    begun = connection->run("COMMIT");
    if (!begun.ok()) (void)connection->run("ROLLBACK");
  }
  if (begun.ok()) return;
  for (Waiting* waiting : group) {
    if (waiting->status.ok()) waiting->status = begun;
  }
}

Result<std::optional<SessionRow>> SqliteStore::session(const std::string& scope, const SessionId& session) {
  auto connection = readers_->take();
  Statement statement = connection->prepare(
      "SELECT scope,session,head,open_topic,open_block,system,resent FROM sessions WHERE scope=? AND session=?");
  statement.bind(scope).bind(session.str());
  return read_one(statement, [](const Statement& at) {
    return SessionRow{at.text(0), SessionId(at.text(1)), at.integer(2), TopicId(at.text(3)), BlockId(at.text(4)),
                      at.text(5), at.integer(6) != 0};
  });
}

Result<std::optional<MessageRow>> SqliteStore::message(const std::string& scope, const SessionId& session,
                                                       const MessageId& id) {
  auto connection = readers_->take();
  Statement statement =
      connection->prepare("SELECT " WEFT_MESSAGE_COLUMNS " FROM messages WHERE scope=? AND session=? AND id=?");
  statement.bind(scope).bind(session.str()).bind(id.str());
  return read_one(statement, read_message);
}

Result<std::vector<MessageRow>> SqliteStore::messages(const std::string& scope, std::span<const MessageId> ids) {
  auto connection = readers_->take();
  std::vector<MessageRow> all;
  for (const MessageId& id : ids) {
    Statement statement =
        connection->prepare("SELECT " WEFT_MESSAGE_COLUMNS " FROM messages WHERE scope=? AND id=? ORDER BY seq");
    statement.bind(scope).bind(id.str());
    WEFT_TRY(auto rows, read_all(statement, read_message));
    std::move(rows.begin(), rows.end(), std::back_inserter(all));
  }
  std::sort(all.begin(), all.end(), [](const MessageRow& a, const MessageRow& b) { return a.seq < b.seq; });
  return all;
}

Result<std::vector<MessageRow>> SqliteStore::branch(const std::string& scope, const SessionId& session, bool brief) {
  auto connection = readers_->take();
  Statement statement = connection->prepare(
      brief ? "SELECT " WEFT_BRIEF_COLUMNS " FROM messages WHERE scope=? AND session=? AND active=1 ORDER BY seq"
            : "SELECT " WEFT_MESSAGE_COLUMNS " FROM messages WHERE scope=? AND session=? AND active=1 ORDER BY seq");
  statement.bind(scope).bind(session.str());
  return read_all(statement, read_message);
}

Result<std::vector<MessageRow>> SqliteStore::with_chain(const std::string& scope, std::uint64_t chain,
                                                        std::size_t limit) {
  auto connection = readers_->take();
  Statement statement = connection->prepare("SELECT " WEFT_BRIEF_COLUMNS
                                            " FROM messages WHERE scope=? AND chain=? ORDER BY seq DESC LIMIT ?");
  statement.bind(scope).bind(static_cast<std::int64_t>(chain)).bind(static_cast<std::int64_t>(limit));
  return read_all(statement, read_message);
}

Result<std::vector<MessageRow>> SqliteStore::with_digest(const std::string& scope, std::uint64_t digest,
                                                         std::size_t limit) {
  auto connection = readers_->take();
  Statement statement = connection->prepare(
      "SELECT " WEFT_BRIEF_COLUMNS " FROM messages WHERE scope=? AND digest=? AND active=1 ORDER BY seq DESC LIMIT ?");
  statement.bind(scope).bind(static_cast<std::int64_t>(digest)).bind(static_cast<std::int64_t>(limit));
  return read_all(statement, read_message);
}

Result<std::vector<MessageRow>> SqliteStore::tree(const std::string& scope, const SessionId& session) {
  auto connection = readers_->take();
  Statement statement =
      connection->prepare("SELECT " WEFT_BRIEF_COLUMNS " FROM messages WHERE scope=? AND session=? ORDER BY seq");
  statement.bind(scope).bind(session.str());
  return read_all(statement, read_message);
}

Result<std::vector<MessageRow>> SqliteStore::recent(const std::string& scope, const SessionId& session,
                                                    std::size_t limit) {
  auto connection = readers_->take();
  Statement statement = connection->prepare(
      "SELECT * FROM (SELECT " WEFT_MESSAGE_COLUMNS
      " FROM messages WHERE scope=? AND session=? AND active=1 ORDER BY seq DESC LIMIT ?) ORDER BY seq");
  statement.bind(scope).bind(session.str()).bind(static_cast<std::int64_t>(limit));
  return read_all(statement, read_message);
}

Result<std::vector<MessageRow>> SqliteStore::range(const std::string& scope, const SessionId& session,
                                                   std::int64_t first, std::int64_t last) {
  auto connection = readers_->take();
  Statement statement = connection->prepare(
      "SELECT " WEFT_MESSAGE_COLUMNS
      " FROM messages WHERE scope=? AND session=? AND seq BETWEEN ? AND ? AND active=1 ORDER BY seq");
  statement.bind(scope).bind(session.str()).bind(first).bind(last);
  return read_all(statement, read_message);
}

Result<std::vector<MessageRow>> SqliteStore::block_messages(const std::string& scope, const SessionId& session,
                                                            const BlockId& block) {
  auto connection = readers_->take();
  Statement statement = connection->prepare("SELECT " WEFT_MESSAGE_COLUMNS
                                            " FROM messages WHERE scope=? AND session=? AND block=? ORDER BY seq");
  statement.bind(scope).bind(session.str()).bind(block.str());
  return read_all(statement, read_message);
}

Result<std::optional<BlockRow>> SqliteStore::block(const std::string& scope, const SessionId& session,
                                                   const BlockId& id) {
  auto connection = readers_->take();
  Statement statement =
      connection->prepare("SELECT " WEFT_BLOCK_COLUMNS " FROM blocks WHERE scope=? AND session=? AND id=?");
  statement.bind(scope).bind(session.str()).bind(id.str());
  return read_one(statement, read_block);
}

Result<std::vector<BlockRow>> SqliteStore::topic_blocks(const std::string& scope, const SessionId& session,
                                                        const TopicId& topic) {
  auto connection = readers_->take();
  Statement statement =
      connection->prepare("SELECT " WEFT_BLOCK_COLUMNS
                          " FROM blocks WHERE scope=? AND session=? AND topic=? AND active=1 ORDER BY first_seq");
  statement.bind(scope).bind(session.str()).bind(topic.str());
  return read_all(statement, read_block);
}

Result<std::vector<BlockRow>> SqliteStore::session_blocks(const std::string& scope, const SessionId& session) {
  auto connection = readers_->take();
  Statement statement = connection->prepare("SELECT " WEFT_BLOCK_COLUMNS
                                            " FROM blocks WHERE scope=? AND session=? AND active=1 ORDER BY first_seq");
  statement.bind(scope).bind(session.str());
  return read_all(statement, read_block);
}

Result<std::optional<TopicRow>> SqliteStore::topic(const std::string& scope, const SessionId& session,
                                                   const TopicId& id) {
  auto connection = readers_->take();
  Statement statement =
      connection->prepare("SELECT " WEFT_TOPIC_COLUMNS " FROM topics WHERE scope=? AND session=? AND id=?");
  statement.bind(scope).bind(session.str()).bind(id.str());
  return read_one(statement, read_topic);
}

Result<std::vector<TopicRow>> SqliteStore::topics(TopicStatus status, bool done) {
  auto connection = readers_->take();
  Statement statement =
      connection->prepare("SELECT " WEFT_TOPIC_COLUMNS " FROM topics WHERE status=? AND done=? ORDER BY rowid");
  statement.bind(static_cast<std::int64_t>(status)).bind(std::int64_t{done});
  return read_all(statement, read_topic);
}

Result<std::vector<std::pair<std::string, SessionId>>> SqliteStore::sessions_with_open_block() {
  auto connection = readers_->take();
  Statement statement = connection->prepare("SELECT scope,session FROM sessions WHERE open_block<>''");
  std::vector<std::pair<std::string, SessionId>> found;
  while (statement.step()) {
    std::string scope = statement.text(0);
    found.emplace_back(std::move(scope), SessionId(statement.text(1)));
  }
  WEFT_CHECK(statement.status());
  return found;
}

Status SqliteStore::scan_items(const std::string& scope, const std::function<void(ItemRow&&)>& take) {
  auto connection = readers_->take();
  Statement statement =
      connection->prepare("SELECT " WEFT_ITEM_COLUMNS "'[]','' FROM items WHERE scope=? ORDER BY row");
  statement.bind(scope);
  while (statement.step()) take(read_item(statement));
  return statement.status();
}

Result<std::vector<ItemRow>> SqliteStore::items(const std::string& scope, std::span<const std::int64_t> rows) {
  auto connection = readers_->take();
  std::vector<ItemRow> found;
  for (const std::int64_t row : rows) {
    Statement statement =
        connection->prepare("SELECT " WEFT_ITEM_COLUMNS "sources,text FROM items WHERE scope=? AND row=?");
    statement.bind(scope).bind(row);
    if (statement.step()) found.push_back(read_item(statement));
    WEFT_CHECK(statement.status());
  }
  return found;
}

Result<std::vector<std::int64_t>> SqliteStore::rows_of(const std::string& scope, std::span<const ItemId> ids) {
  auto connection = readers_->take();
  std::vector<std::int64_t> rows;
  for (const ItemId& id : ids) {
    Statement statement = connection->prepare("SELECT row FROM items WHERE scope=? AND id=?");
    statement.bind(scope).bind(id.str());
    rows.push_back(statement.step() ? statement.integer(0) : 0);
    WEFT_CHECK(statement.status());
  }
  return rows;
}

Result<std::vector<ItemRow>> SqliteStore::items_of_kind(const std::string& scope, ItemKind kind, std::size_t limit) {
  auto connection = readers_->take();
  Statement statement = connection->prepare(
      "SELECT " WEFT_ITEM_COLUMNS "sources,text FROM items WHERE scope=? AND kind=? ORDER BY position, row LIMIT ?");
  statement.bind(scope).bind(static_cast<std::int64_t>(kind)).bind(static_cast<std::int64_t>(limit));
  return read_all(statement, read_item);
}

Result<std::vector<ItemRow>> SqliteStore::items_before(const std::string& scope, const SessionId& session,
                                                       ItemKind kind, std::int64_t position, std::size_t limit) {
  auto connection = readers_->take();
  Statement statement =
      connection->prepare("SELECT * FROM (SELECT " WEFT_ITEM_COLUMNS
                          "sources,text FROM items WHERE scope=? AND session=? AND kind=? AND position<? AND active=1"
                          " ORDER BY position DESC, row DESC LIMIT ?) ORDER BY position, row");
  statement.bind(scope).bind(session.str()).bind(static_cast<std::int64_t>(kind)).bind(position);
  statement.bind(static_cast<std::int64_t>(limit));
  return read_all(statement, read_item);
}

Result<std::vector<ItemRow>> SqliteStore::session_items(const std::string& scope, const SessionId& session) {
  auto connection = readers_->take();
  Statement statement =
      connection->prepare("SELECT " WEFT_ITEM_COLUMNS "sources,'' FROM items WHERE scope=? AND session=? ORDER BY row");
  statement.bind(scope).bind(session.str());
  return read_all(statement, read_item);
}

Result<std::vector<ItemRow>> SqliteStore::unembedded(std::size_t limit) {
  auto connection = readers_->take();
  Statement statement =
      connection->prepare("SELECT " WEFT_ITEM_COLUMNS "sources,text FROM items WHERE model='' ORDER BY row LIMIT ?");
  statement.bind(static_cast<std::int64_t>(limit));
  return read_all(statement, read_item);
}

Status SqliteStore::forget_other_vectors(const std::string& model) {
  auto connection = writer_->take();
  // Noted, so that only a change of the model costs a pass over all items.
  Statement known = connection->prepare("SELECT 1 FROM meta WHERE name='embedder' AND value=?");
  if (known.bind(model).step()) return {};
  WEFT_CHECK(known.status());
  WEFT_CHECK(
      connection->prepare("UPDATE items SET model='', vector=x'' WHERE model NOT IN ('', '-', ?)").bind(model).run());
  return connection->prepare("INSERT OR REPLACE INTO meta VALUES ('embedder', ?)").bind(model).run();
}

Result<bool> SqliteStore::job_done(const std::string& job) {
  auto connection = readers_->take();
  Statement statement = connection->prepare("SELECT 1 FROM jobs_done WHERE job=?");
  statement.bind(job);
  const bool done = statement.step();
  WEFT_CHECK(statement.status());
  return done;
}

Result<std::vector<std::string>> SqliteStore::scopes() {
  auto connection = readers_->take();
  Statement statement = connection->prepare(
      "SELECT scope FROM sessions UNION SELECT scope FROM messages UNION SELECT scope FROM items ORDER BY 1");
  return read_all(statement, [](const Statement& at) { return at.text(0); });
}

Result<std::vector<MessageRow>> SqliteStore::scope_messages(const std::string& scope) {
  std::vector<MessageRow> rows;
  WEFT_CHECK(scan_messages(scope, true, [&](MessageRow&& row) { rows.push_back(std::move(row)); }));
  return rows;
}

Status SqliteStore::scan_messages(const std::string& scope, bool brief, const std::function<void(MessageRow&&)>& take) {
  auto connection = readers_->take();
  Statement statement =
      connection->prepare(brief ? "SELECT " WEFT_BRIEF_COLUMNS " FROM messages WHERE scope=? ORDER BY seq"
                                : "SELECT " WEFT_MESSAGE_COLUMNS " FROM messages WHERE scope=? ORDER BY seq");
  statement.bind(scope);
  while (statement.step()) take(read_message(statement));
  return statement.status();
}

Status SqliteStore::scan_sources(const std::string& scope, const std::function<void(ItemRow&&)>& take) {
  auto connection = readers_->take();
  Statement statement = connection->prepare(
      "SELECT "
      "row,scope,id,kind,session,topic,block,time,zone,position,made_by,role,speaker,active,model,x'',x'',details,"
      "sources,'' FROM items WHERE scope=? ORDER BY row");
  statement.bind(scope);
  while (statement.step()) take(read_item(statement));
  return statement.status();
}

Result<std::vector<ItemRow>> SqliteStore::scope_items(const std::string& scope) {
  std::vector<ItemRow> rows;
  WEFT_CHECK(scan_sources(scope, [&](ItemRow&& row) { rows.push_back(std::move(row)); }));
  return rows;
}

Result<std::vector<SessionId>> SqliteStore::scope_sessions(const std::string& scope) {
  auto connection = readers_->take();
  Statement statement = connection->prepare("SELECT session FROM sessions WHERE scope=? ORDER BY session");
  statement.bind(scope);
  return read_all(statement, [](const Statement& at) { return SessionId(at.text(0)); });
}

Result<std::string> SqliteStore::note(const std::string& name) {
  auto connection = readers_->take();
  Statement statement = connection->prepare("SELECT value FROM meta WHERE name=?");
  statement.bind(name);
  std::string value = statement.step() ? statement.text(0) : std::string();
  WEFT_CHECK(statement.status());
  return value;
}

Status SqliteStore::set_note(const std::string& name, const std::string& value) {
  auto connection = writer_->take();
  return connection->prepare("INSERT OR REPLACE INTO meta VALUES (?, ?)").bind(name).bind(value).run();
}

Result<StoreCounts> SqliteStore::counts() {
  auto connection = readers_->take();
  Statement statement = connection->prepare(
      "SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM items), (SELECT count(*) FROM items WHERE "
      "model=''), "
      "(SELECT ifnull(max(seq),0) FROM messages), (SELECT ifnull(max(row),0) FROM items)");
  StoreCounts counts;
  if (statement.step()) {
    counts = {static_cast<std::uint64_t>(statement.integer(0)), static_cast<std::uint64_t>(statement.integer(1)),
              static_cast<std::uint64_t>(statement.integer(2)), statement.integer(3), statement.integer(4)};
  }
  WEFT_CHECK(statement.status());
  return counts;
}

}  // namespace sqlite
}  // namespace weft
