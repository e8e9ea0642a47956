#include "model/rows.h"
#include "ports/store/row_codec.h"
#include "ports/store/sqlite/tables.h"

namespace weft::sqlite {
namespace {

Status put(Connection& connection, const SessionRow& row) {
  const std::string wrong = "the session \"" + row.session.str() + "\" was changed by another writer";
  {
    Statement kept = connection.prepare("SELECT version FROM sessions WHERE scope=? AND session=?");
    kept.bind(row.scope).bind(row.session);
    const std::int64_t version = kept.step() ? kept.integer(0) : 0;
    WEFT_CHECK(kept.status());
    if (version != row.version) return conflict(wrong, "read it again");
  }
  return connection
      .prepare(
          "INSERT OR REPLACE INTO sessions (scope,session,head,open_topic,open_block,system,resent,version) VALUES "
          "(?,?,?,?,?,?,?,?)")
      .bind(row.scope)
      .bind(row.session)
      .bind(row.head)
      .bind(row.open_topic.str())
      .bind(row.open_block.str())
      .bind(row.system)
      .bind(static_cast<std::int64_t>(row.resent))
      .bind(row.next_version())
      .run();
}

Status put(Connection& connection, const MessageRow& row, const std::string& extra) {
  const Time time = row.message.time.value_or(Time{});
  return connection
      .prepare(
          "INSERT INTO messages "
          "(seq,scope,session,id,parent,digest,role,name,time,zone,content,extra,tokens,block,active,chain,sender_id) "
          "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
      .bind(row.seq)
      .bind(row.scope)
      .bind(row.session)
      .bind(row.message.id.str())
      .bind(row.parent)
      .bind(static_cast<std::int64_t>(row.digest))
      .bind(static_cast<std::int64_t>(row.message.role))
      .bind(row.message.name)
      .bind(time.ms)
      .bind(static_cast<std::int64_t>(time.offset_minutes))
      .bind(row.message.content)
      .bind(extra)
      .bind(row.tokens)
      .bind(row.block)
      .bind(static_cast<std::int64_t>(row.active))
      .bind(static_cast<std::int64_t>(row.chain))
      .bind(row.message.sender_id)
      .run();
}

Status put(Connection& connection, const BlockRow& row) {
  return connection
      .prepare(
          "INSERT OR REPLACE INTO blocks "
          "(scope,session,id,topic,status,first_seq,last_seq,tokens,started,last,zone,active) "
          "VALUES (?,?,?,?,?,?,?,?,?,?,?,?)")
      .bind(row.scope)
      .bind(row.session)
      .bind(row.id)
      .bind(row.topic)
      .bind(static_cast<std::int64_t>(row.status))
      .bind(row.first_seq)
      .bind(row.last_seq)
      .bind(row.tokens)
      .bind(row.started.ms)
      .bind(row.last.ms)
      .bind(static_cast<std::int64_t>(row.started.offset_minutes))
      .bind(static_cast<std::int64_t>(row.active))
      .run();
}

Status put(Connection& connection, const TopicRow& row) {
  return connection
      .prepare(
          "INSERT OR REPLACE INTO topics "
          "(scope,session,id,status,reason,tokens,blocks,started,last,zone,touched,trace,lead,done) "
          "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
      .bind(row.scope)
      .bind(row.session)
      .bind(row.id)
      .bind(static_cast<std::int64_t>(row.status))
      .bind(static_cast<std::int64_t>(row.reason))
      .bind(row.tokens)
      .bind(row.blocks)
      .bind(row.started.ms)
      .bind(row.last.ms)
      .bind(static_cast<std::int64_t>(row.started.offset_minutes))
      .bind(row.touched_ms)
      .bind_blob(row.trace)
      .bind(row.lead)
      .bind(static_cast<std::int64_t>(row.done))
      .run();
}

Status put(Connection& connection, const ItemRow& row, const std::string& sources, const std::string& details) {
  return connection
      .prepare(
          "INSERT INTO items "
          "(row,scope,id,kind,session,topic,block,time,zone,position,made_by,role,speaker,active,model,terms,vector,"
          "sources,text,details) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (scope, id) DO UPDATE "
          "SET "
          "kind=excluded.kind, session=excluded.session, topic=excluded.topic, block=excluded.block, "
          "time=excluded.time, "
          "zone=excluded.zone, position=excluded.position, made_by=excluded.made_by, role=excluded.role, "
          "speaker=excluded.speaker, active=excluded.active, model=excluded.model, terms=excluded.terms, "
          "vector=excluded.vector, sources=excluded.sources, text=excluded.text, details=excluded.details")
      .bind(row.row)
      .bind(row.scope)
      .bind(row.item.id.str())
      .bind(static_cast<std::int64_t>(row.item.kind))
      .bind(row.item.session.str())
      .bind(row.item.topic.str())
      .bind(row.item.block.str())
      .bind(row.item.time.ms)
      .bind(static_cast<std::int64_t>(row.item.time.offset_minutes))
      .bind(row.item.position)
      .bind(to_string(row.item.by))
      .bind(static_cast<std::int64_t>(row.role))
      .bind(row.speaker)
      .bind(static_cast<std::int64_t>(row.active))
      .bind(row.model)
      .bind_blob(as_bytes(row.terms))
      .bind_blob(as_bytes(row.vector))
      .bind(sources)
      .bind(row.item.text)
      .bind(details)
      .run();
}

Status put(Connection& connection, const VectorUpdate& update) {
  return connection.prepare("UPDATE items SET vector=?, model=? WHERE row=?")
      .bind_blob(as_bytes(update.vector))
      .bind(update.model)
      .bind(update.row)
      .run();
}

template <class Rows>
Status put_all(Connection& connection, const Rows& rows) {
  for (const auto& row : rows) WEFT_CHECK(put(connection, row));
  return {};
}

// Numbers of erased rows are not given again: ids are made of them.
Status keep_numbers(Connection& connection) {
#define WEFT_LARGER \
  " ON CONFLICT (name) DO UPDATE SET value=max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))"
  WEFT_CHECK(
      connection
          .prepare("INSERT INTO meta (name,value) VALUES (?, (SELECT ifnull(max(seq),0) FROM messages))" WEFT_LARGER)
          .bind(kLastSeqNote)
          .run());
  return connection
      .prepare("INSERT INTO meta (name,value) VALUES (?, (SELECT ifnull(max(row),0) FROM items))" WEFT_LARGER)
      .bind(kLastRowNote)
      .run();
#undef WEFT_LARGER
}

Status erase_message(Connection& connection, std::int64_t seq) {
  WEFT_CHECK(connection.prepare("DELETE FROM messages WHERE seq=?").bind(seq).run());
  return connection.prepare("DELETE FROM log WHERE kind=0 AND body=?").bind(std::to_string(seq)).run();
}

// A scope whose log is empty loses its head and cursors, too, so that no row names it. New logs begin behind its
// numbers: a client that goes on with one of them must not take other entries for those that it has seen.
Status erase_log(Connection& connection, const ScopeKey& scope, const SessionId& session) {
  WEFT_CHECK(connection.prepare("DELETE FROM log WHERE scope=? AND session=?").bind(scope).bind(session).run());
  WEFT_CHECK(
      connection
          .prepare("INSERT INTO meta (name,value) SELECT ?2, seq FROM heads WHERE scope=?1 AND NOT EXISTS (SELECT 1 "
                   "FROM log WHERE scope=?1) ON CONFLICT (name) DO UPDATE SET value=max(CAST(value AS INTEGER), "
                   "excluded.value)")
          .bind(scope)
          .bind(std::string_view(kLastLogNote))
          .run());
  for (const char* sql : {"DELETE FROM cursors WHERE scope=?1 AND NOT EXISTS (SELECT 1 FROM log WHERE scope=?1)",
                          "DELETE FROM heads WHERE scope=?1 AND NOT EXISTS (SELECT 1 FROM log WHERE scope=?1)"})
    WEFT_CHECK(connection.prepare(sql).bind(scope).run());
  return {};
}

Status erase(Connection& connection, const WriteBatch& batch) {
  if (!batch.erased_items.empty() || !batch.erased_messages.empty()) WEFT_CHECK(keep_numbers(connection));
  for (const std::int64_t row : batch.erased_items)
    WEFT_CHECK(connection.prepare("DELETE FROM items WHERE row=?").bind(row).run());
  for (const std::int64_t seq : batch.erased_messages) WEFT_CHECK(erase_message(connection, seq));
  for (const auto& [seq, parent] : batch.message_parents)
    WEFT_CHECK(connection.prepare("UPDATE messages SET parent=? WHERE seq=?").bind(parent).bind(seq).run());
  for (const auto& [scope, session, block] : batch.erased_blocks)
    WEFT_CHECK(connection.prepare("DELETE FROM blocks WHERE scope=? AND session=? AND id=?")
                   .bind(scope)
                   .bind(session)
                   .bind(block)
                   .run());
  for (const auto& [scope, session, topic] : batch.erased_topics)
    for (const char* sql : {"DELETE FROM blocks WHERE scope=? AND session=? AND topic=?",
                            "DELETE FROM topics WHERE scope=? AND session=? AND id=?"})
      WEFT_CHECK(connection.prepare(sql).bind(scope).bind(session).bind(topic).run());
  for (const auto& [scope, session] : batch.blanked_leads)
    WEFT_CHECK(connection
                   .prepare("UPDATE topics SET lead='', trace=x'' WHERE scope=? AND session=? AND (lead<>'' OR "
                            "trace<>x'')")
                   .bind(scope)
                   .bind(session)
                   .run());
  for (const std::string& mark : batch.erased_marks)
    WEFT_CHECK(connection.prepare("DELETE FROM marks WHERE mark=?").bind(mark).run());
  for (const std::string& end : batch.erased_mark_ends)
    WEFT_CHECK(connection.prepare("DELETE FROM marks WHERE substr(mark, -length(?1)) = ?1").bind(end).run());
  for (const auto& [scope, session] : batch.erased_sessions) {
    WEFT_CHECK(connection.prepare("DELETE FROM sessions WHERE scope=? AND session=?").bind(scope).bind(session).run());
    WEFT_CHECK(connection.prepare("DELETE FROM blocks WHERE scope=? AND session=?").bind(scope).bind(session).run());
    WEFT_CHECK(connection.prepare("DELETE FROM topics WHERE scope=? AND session=?").bind(scope).bind(session).run());
    WEFT_CHECK(erase_log(connection, scope, session));
  }
  return {};
}

}  // namespace

RowTexts::RowTexts(const WriteBatch& batch) {
  for (const MessageRow& row : batch.messages) extras.push_back(encode_extra(row.message));
  for (const ItemRow& row : batch.items) {
    sources.push_back(encode_sources(row.item.sources));
    details.push_back(kept_details(row.item));
  }
}

Status apply(Connection& connection, const WriteBatch& batch, const RowTexts& texts) {
  WEFT_CHECK(check_documents(connection, batch));
  WEFT_CHECK(put_all(connection, batch.sessions));
  for (std::size_t i = 0; i < batch.messages.size(); ++i)
    WEFT_CHECK(put(connection, batch.messages[i], texts.extras[i]));
  WEFT_CHECK(put_all(connection, batch.blocks));
  WEFT_CHECK(put_all(connection, batch.topics));
  for (std::size_t i = 0; i < batch.items.size(); ++i)
    WEFT_CHECK(put(connection, batch.items[i], texts.sources[i], texts.details[i]));
  WEFT_CHECK(put_all(connection, batch.vectors));
  for (const auto& [scope, session, topic] : batch.passed_traces)
    WEFT_CHECK(connection.prepare("UPDATE topics SET trace=x'' WHERE scope=? AND session=? AND id=?")
                   .bind(scope)
                   .bind(session)
                   .bind(topic)
                   .run());
  for (const auto& [seq, block] : batch.message_blocks) {
    WEFT_CHECK(connection.prepare("UPDATE messages SET block=? WHERE seq=?").bind(block).bind(seq).run());
  }
  for (const auto& [seq, active] : batch.message_active) {
    WEFT_CHECK(
        connection.prepare("UPDATE messages SET active=? WHERE seq=?").bind(std::int64_t{active}).bind(seq).run());
  }
  for (const auto& [row, active] : batch.item_active) {
    WEFT_CHECK(connection.prepare("UPDATE items SET active=? WHERE row=?").bind(std::int64_t{active}).bind(row).run());
  }
  for (const std::string& mark : batch.marks) {
    WEFT_CHECK(connection.prepare("INSERT OR IGNORE INTO marks (mark) VALUES (?)").bind(mark).run());
  }
  for (const std::string& mark : batch.claimed_marks)
    WEFT_CHECK(connection.prepare("INSERT INTO marks (mark) VALUES (?)").bind(mark).run());
  WEFT_CHECK(put_log(connection, batch));
  WEFT_CHECK(put_jobs(connection, batch));
  WEFT_CHECK(erase(connection, batch));
  return put_documents(connection, batch);
}

}  // namespace weft::sqlite
