#include "ports/store/postgres/postgres_store.h"

#include <map>
#include <utility>

#include "base/clock.h"
#include "model/rows.h"
#include "ports/store/postgres/row_readers.h"
#include "ports/store/row_codec.h"

namespace weft::postgres {
namespace {

template <class Enum>
std::int64_t number(Enum value) {
  return static_cast<std::int64_t>(value);
}

// The entries that a batch appends to the log of one scope, in their order.
struct Appended {
  std::vector<std::int64_t> kinds;
  std::vector<std::string> sessions, bodies;
};

std::map<ScopeKey, Appended> appended_by(const WriteBatch& batch) {
  std::map<ScopeKey, Appended> all;
  const auto append = [&](const ScopeKey& scope, LogKind kind, const SessionId& session, std::string body) {
    Appended& to = all[scope];
    to.kinds.push_back(number(kind));
    to.sessions.push_back(session.str());
    to.bodies.push_back(std::move(body));
  };
  for (const MessageRow& row : batch.messages)
    append(row.scope, LogKind::kMessage, row.session, std::to_string(row.seq));
  for (const LogEntry& entry : batch.log) append(entry.scope, entry.kind, entry.session, entry.body);
  return all;
}

bool removes_items(const WriteBatch& batch) { return !batch.erased_items.empty(); }

// The statements of a batch, as they are collected.
class Statements {
 public:
  explicit Statements(const WriteBatch& batch) : batch_(batch) {}

  void lock_heads(const std::set<ScopeKey>& scopes) {
    if (scopes.empty()) return;
    const auto logged = appended_by(batch_);
    std::vector<std::string> keys;
    std::vector<std::int64_t> entries;
    for (const ScopeKey& scope : scopes) {
      keys.push_back(scope.str());
      const auto at = logged.find(scope);
      entries.push_back(at == logged.end() ? 0 : static_cast<std::int64_t>(at->second.kinds.size()));
    }
    // A new log begins behind the numbers of those that were erased whole.
#define WEFT_PG_FIRST "coalesce((SELECT value::text::bigint FROM weft.meta WHERE name=$4),0)"
    add("INSERT INTO weft.heads AS h (scope, seq, removed, version) SELECT s, n+" WEFT_PG_FIRST
        ", nextval('weft.versions'), nextval('weft.versions') FROM unnest($1::text[], $2::bigint[]) AS u(s, n) "
        "ON CONFLICT (scope) DO UPDATE SET seq=h.seq+EXCLUDED.seq-" WEFT_PG_FIRST
        ", before=h.version, version=nextval('weft.versions'), removed=CASE WHEN $3=1 THEN h.version ELSE h.removed "
        "END "
        "RETURNING scope, version, before")
        .bind(keys)
        .bind(entries)
        .bind(std::int64_t{removes_items(batch_)})
        .bind(kLastLogNote);
#undef WEFT_PG_FIRST
  }

  void check_documents() {
    for (const auto& [key, version] : batch_.expected_documents)
      add("SELECT weft.expect(coalesce((SELECT max(version) FROM weft.documents WHERE scope=$1 AND kind=$2 AND "
          "id=$3),0)=$4, $5)")
          .bind(key.scope)
          .bind(key.kind)
          .bind(key.id)
          .bind(version)
          .bind(key.kind + " \"" + key.id + "\" has changed meanwhile");
  }

  void put(const SessionRow& row) {
    add("SELECT weft.expect(coalesce((SELECT version FROM weft.sessions WHERE scope=$1 AND session=$2),0)=$3, $4)")
        .bind(row.scope)
        .bind(row.session)
        .bind(row.version)
        .bind("the session \"" + row.session.str() + "\" was changed by another writer");
    add("INSERT INTO weft.sessions (scope,session,head,open_topic,open_block,system,resent,version) VALUES "
        "($1,$2,$3,$4,$5,$6,$7,$8) ON CONFLICT (scope,session) DO UPDATE SET head=EXCLUDED.head, "
        "open_topic=EXCLUDED.open_topic, open_block=EXCLUDED.open_block, system=EXCLUDED.system, "
        "resent=EXCLUDED.resent, version=EXCLUDED.version")
        .bind(row.scope)
        .bind(row.session)
        .bind(row.head)
        .bind(row.open_topic)
        .bind(row.open_block)
        .bind(row.system)
        .bind(std::int64_t{row.resent})
        .bind(row.next_version());
  }

  void put(const MessageRow& row) {
    const Time time = row.message.time.value_or(Time{});
    add("INSERT INTO weft.messages (seq,scope,session,id,parent,digest,role,name,time,zone,content,extra,tokens,block,"
        "active,chain,sender_id) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17)")
        .bind(row.seq)
        .bind(row.scope)
        .bind(row.session)
        .bind(row.message.id)
        .bind(row.parent)
        .bind(static_cast<std::int64_t>(row.digest))
        .bind(number(row.message.role))
        .bind(row.message.name)
        .bind(time.ms)
        .bind(std::int64_t{time.offset_minutes})
        .bind(row.message.content)
        .bind(encode_extra(row.message))
        .bind(row.tokens)
        .bind(row.block)
        .bind(std::int64_t{row.active})
        .bind(static_cast<std::int64_t>(row.chain))
        .bind(row.message.sender_id);
  }

  void put(const BlockRow& row) {
    add("INSERT INTO weft.blocks (scope,session,id,topic,status,first_seq,last_seq,tokens,started,last,zone,active) "
        "VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12) ON CONFLICT (scope,session,id) DO UPDATE SET "
        "topic=EXCLUDED.topic, status=EXCLUDED.status, first_seq=EXCLUDED.first_seq, last_seq=EXCLUDED.last_seq, "
        "tokens=EXCLUDED.tokens, started=EXCLUDED.started, last=EXCLUDED.last, zone=EXCLUDED.zone, "
        "active=EXCLUDED.active")
        .bind(row.scope)
        .bind(row.session)
        .bind(row.id)
        .bind(row.topic)
        .bind(number(row.status))
        .bind(row.first_seq)
        .bind(row.last_seq)
        .bind(row.tokens)
        .bind(row.started.ms)
        .bind(row.last.ms)
        .bind(std::int64_t{row.started.offset_minutes})
        .bind(std::int64_t{row.active});
  }

  void put(const TopicRow& row) {
    add("INSERT INTO weft.topics "
        "(scope,session,id,status,reason,tokens,blocks,started,last,zone,touched,trace,lead,done)"
        " VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14) ON CONFLICT (scope,session,id) DO UPDATE SET "
        "status=EXCLUDED.status, reason=EXCLUDED.reason, tokens=EXCLUDED.tokens, blocks=EXCLUDED.blocks, "
        "started=EXCLUDED.started, last=EXCLUDED.last, zone=EXCLUDED.zone, touched=EXCLUDED.touched, "
        "trace=EXCLUDED.trace, lead=EXCLUDED.lead, done=EXCLUDED.done")
        .bind(row.scope)
        .bind(row.session)
        .bind(row.id)
        .bind(number(row.status))
        .bind(number(row.reason))
        .bind(row.tokens)
        .bind(row.blocks)
        .bind(row.started.ms)
        .bind(row.last.ms)
        .bind(std::int64_t{row.started.offset_minutes})
        .bind(row.touched_ms)
        .bind_bytes(row.trace)
        .bind(row.lead)
        .bind(std::int64_t{row.done});
  }

  void put(const ItemRow& row) {
    add("INSERT INTO weft.items "
        "(number,scope,id,kind,session,topic,block,time,zone,position,made_by,role,speaker,active,"
        "model,terms,vector,sources,text,details,version) VALUES "
        "($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,"
        "$17,$18,$19,$20,(SELECT version FROM weft.heads WHERE scope=$21)) ON CONFLICT (scope, id) DO UPDATE SET "
        "kind=EXCLUDED.kind, session=EXCLUDED.session, topic=EXCLUDED.topic, block=EXCLUDED.block, time=EXCLUDED.time, "
        "zone=EXCLUDED.zone, position=EXCLUDED.position, made_by=EXCLUDED.made_by, role=EXCLUDED.role, "
        "speaker=EXCLUDED.speaker, active=EXCLUDED.active, model=EXCLUDED.model, terms=EXCLUDED.terms, "
        "vector=EXCLUDED.vector, sources=EXCLUDED.sources, text=EXCLUDED.text, details=EXCLUDED.details, "
        "version=EXCLUDED.version")
        .bind(row.row)
        .bind(row.scope)
        .bind(row.item.id)
        .bind(number(row.item.kind))
        .bind(row.item.session)
        .bind(row.item.topic)
        .bind(row.item.block)
        .bind(row.item.time.ms)
        .bind(std::int64_t{row.item.time.offset_minutes})
        .bind(row.item.position)
        .bind(to_string(row.item.by))
        .bind(number(row.role))
        .bind(row.speaker)
        .bind(std::int64_t{row.active})
        .bind(row.model)
        .bind_bytes(as_bytes(row.terms))
        .bind_bytes(as_bytes(row.vector))
        .bind(encode_sources(row.item.sources))
        .bind(row.item.text)
        .bind(kept_details(row.item))
        .bind(row.scope);
  }

  void put(const VectorUpdate& update) {
    add("UPDATE weft.items SET vector=$1, model=$2, version=h.version FROM weft.heads AS h WHERE number=$3 AND "
        "h.scope=items.scope")
        .bind_bytes(as_bytes(update.vector))
        .bind(update.model)
        .bind(update.row);
  }

#define WEFT_PG_INTO_JOBS                                                                                \
  "INSERT INTO weft.jobs (id,scope,kind,payload,state,attempts,reason,created,not_before,lease) VALUES " \
  "($1,$2,$3,$4,$5,$6,$7,$8,$9,0)"
  void put(const char* sql, const Job& job) {
    add(sql)
        .bind(job.id)
        .bind(job.scope)
        .bind(job.kind)
        .bind(job.payload)
        .bind(number(job.state))
        .bind(std::int64_t{job.attempts})
        .bind(job.reason)
        .bind(job.created_ms)
        .bind(job.not_before_ms);
  }

  template <class RowType>
  void put_all(const std::vector<RowType>& rows) {
    for (const RowType& row : rows) put(row);
  }

  void change_rows() {
    for (const auto& [scope, session, topic] : batch_.passed_traces)
      add("UPDATE weft.topics SET trace='' WHERE scope=$1 AND session=$2 AND id=$3")
          .bind(scope)
          .bind(session)
          .bind(topic);
    for (const auto& [seq, block] : batch_.message_blocks)
      add("UPDATE weft.messages SET block=$1 WHERE seq=$2").bind(block).bind(seq);
    for (const auto& [seq, active] : batch_.message_active)
      add("UPDATE weft.messages SET active=$1 WHERE seq=$2").bind(std::int64_t{active}).bind(seq);
    for (const auto& [row, active] : batch_.item_active)
      add("UPDATE weft.items SET active=$1, version=h.version FROM weft.heads AS h WHERE number=$2 AND "
          "h.scope=items.scope")
          .bind(std::int64_t{active})
          .bind(row);
  }

  void put_marks() {
    if (!batch_.marks.empty())
      add("INSERT INTO weft.marks SELECT unnest($1::text[]) ON CONFLICT DO NOTHING").bind(batch_.marks);
    if (!batch_.claimed_marks.empty())
      add("INSERT INTO weft.marks SELECT unnest($1::text[])").bind(batch_.claimed_marks);
  }

  void put_log() {
    const std::int64_t time_ms = batch_.now_ms != 0 ? batch_.now_ms : SystemClock().now().ms;
    for (const auto& [scope, one] : appended_by(batch_))
      add("INSERT INTO weft.log (scope,seq,kind,session,body,time) SELECT h.scope, h.seq-$2+u.place, u.kind, "
          "u.session, "
          "u.body, $3 FROM weft.heads AS h, unnest($4::bigint[], $5::text[], $6::text[]) WITH ORDINALITY AS "
          "u(kind, session, body, place) WHERE h.scope=$1")
          .bind(scope)
          .bind(static_cast<std::int64_t>(one.kinds.size()))
          .bind(time_ms)
          .bind(one.kinds)
          .bind(one.sessions)
          .bind(one.bodies);
    for (const CursorMove& move : batch_.cursors) {
      // The entries that were read may have been erased together with the scope's head.
      add("SELECT weft.expect(coalesce((SELECT seq FROM weft.heads WHERE scope=$1 FOR SHARE),0)>=$2, $3)")
          .bind(move.scope)
          .bind(move.to)
          .bind("the entries that the reader \"" + move.reader + "\" has read were erased");
      add("WITH moved AS (INSERT INTO weft.cursors AS c (reader,scope,seq) SELECT $1::text,$2::text,$4::bigint WHERE "
          "$3::bigint=0 "
          "OR EXISTS (SELECT 1 FROM weft.cursors WHERE reader=$1 AND scope=$2) ON CONFLICT (reader,scope) DO UPDATE "
          "SET "
          "seq=EXCLUDED.seq WHERE c.seq=$3 RETURNING 1) SELECT weft.expect(EXISTS (SELECT 1 FROM moved), $5)")
          .bind(move.reader)
          .bind(move.scope)
          .bind(move.from)
          .bind(move.to)
          .bind("the cursor of the reader \"" + move.reader + "\" is no longer at " + std::to_string(move.from));
    }
  }

  void put_jobs() {
    if (!batch_.erased_jobs.empty())
      add("DELETE FROM weft.jobs WHERE id=ANY($1::text[])").bind(list_of(std::span(batch_.erased_jobs)));
    for (const JobHold& hold : batch_.finished_jobs)
      add("WITH gone AS (DELETE FROM weft.jobs WHERE id=$1 AND state=1 AND attempts=$2 RETURNING 1) SELECT "
          "weft.expect(EXISTS (SELECT 1 FROM gone), $3)")
          .bind(hold.id)
          .bind(std::int64_t{hold.attempt})
          .bind("job " + hold.id.str() + " is in the hands of another worker");
    for (const Job& job : batch_.jobs) put(WEFT_PG_INTO_JOBS " ON CONFLICT (id) DO NOTHING", job);
    for (const Job& job : batch_.claimed_jobs) put(WEFT_PG_INTO_JOBS, job);
  }

  void erase() {
    keep_numbers();
    if (!batch_.erased_items.empty())
      add("DELETE FROM weft.items WHERE number=ANY($1::bigint[])").bind(batch_.erased_items);
    if (!batch_.erased_messages.empty()) {
      add("DELETE FROM weft.messages WHERE seq=ANY($1::bigint[])").bind(batch_.erased_messages);
      std::vector<std::string> bodies;
      for (const std::int64_t seq : batch_.erased_messages) bodies.push_back(std::to_string(seq));
      add("DELETE FROM weft.log WHERE kind=0 AND body=ANY($1::text[])").bind(bodies);
    }
    for (const auto& [seq, parent] : batch_.message_parents)
      add("UPDATE weft.messages SET parent=$1 WHERE seq=$2").bind(parent).bind(seq);
    for (const auto& [scope, session, block] : batch_.erased_blocks)
      add("DELETE FROM weft.blocks WHERE scope=$1 AND session=$2 AND id=$3").bind(scope).bind(session).bind(block);
    for (const auto& [scope, session, topic] : batch_.erased_topics) {
      add("DELETE FROM weft.blocks WHERE scope=$1 AND session=$2 AND topic=$3").bind(scope).bind(session).bind(topic);
      add("DELETE FROM weft.topics WHERE scope=$1 AND session=$2 AND id=$3").bind(scope).bind(session).bind(topic);
    }
    for (const auto& [scope, session] : batch_.blanked_leads)
      add("UPDATE weft.topics SET lead='', trace='' WHERE scope=$1 AND session=$2 AND (lead<>'' OR trace<>'')")
          .bind(scope)
          .bind(session);
    if (!batch_.erased_marks.empty())
      add("DELETE FROM weft.marks WHERE mark=ANY($1::text[])").bind(batch_.erased_marks);
    for (const std::string& end : batch_.erased_mark_ends)
      add("DELETE FROM weft.marks WHERE right(mark, length($1))=$1").bind(end);
    for (const auto& [scope, session] : batch_.erased_sessions) {
      for (const char* sql : {"DELETE FROM weft.sessions WHERE scope=$1 AND session=$2",
                              "DELETE FROM weft.blocks WHERE scope=$1 AND session=$2",
                              "DELETE FROM weft.topics WHERE scope=$1 AND session=$2",
                              "DELETE FROM weft.log WHERE scope=$1 AND session=$2"})
        add(sql).bind(scope).bind(session);
      add("DELETE FROM weft.cursors WHERE scope=$1 AND NOT EXISTS (SELECT 1 FROM weft.log WHERE scope=$1)").bind(scope);
    }
  }

#define WEFT_PG_LARGER \
  " ON CONFLICT (name) DO UPDATE SET value=greatest(meta.value::text::bigint, EXCLUDED.value::text::bigint)::text"
#define WEFT_PG_NOTHING_LEFT                                                                                        \
  "NOT EXISTS (SELECT 1 FROM weft.log WHERE scope=$1) AND NOT EXISTS (SELECT 1 FROM weft.messages WHERE "           \
  "scope=$1) AND NOT EXISTS (SELECT 1 FROM weft.items WHERE scope=$1) AND NOT EXISTS (SELECT 1 FROM weft.sessions " \
  "WHERE scope=$1) AND NOT EXISTS (SELECT 1 FROM weft.documents WHERE scope=$1)"
  // Nothing tells any more that a scope existed of which nothing is left.
  void drop_empty_heads(const std::set<ScopeKey>& scopes) {
    if (batch_.erased_items.empty() && batch_.erased_messages.empty() && batch_.erased_sessions.empty() &&
        batch_.erased_documents.empty())
      return;
    for (const ScopeKey& scope : scopes) {
      add("INSERT INTO weft.meta SELECT $2, seq::text FROM weft.heads WHERE scope=$1 AND " WEFT_PG_NOTHING_LEFT
              WEFT_PG_LARGER)
          .bind(scope)
          .bind(kLastLogNote);
      for (const char* sql : {"DELETE FROM weft.cursors WHERE scope=$1 AND " WEFT_PG_NOTHING_LEFT,
                              "DELETE FROM weft.heads WHERE scope=$1 AND " WEFT_PG_NOTHING_LEFT})
        add(sql).bind(scope);
    }
  }

  void put_documents() {
    for (const DocumentKey& key : batch_.erased_documents)
      add("DELETE FROM weft.documents WHERE scope=$1 AND ($2='' OR kind=$2) AND ($3='' OR id=$3)")
          .bind(key.scope)
          .bind(key.kind)
          .bind(key.id);
    for (const auto& [key, first] : batch_.erased_versions)
      add("DELETE FROM weft.documents WHERE scope=$1 AND kind=$2 AND id=$3 AND version<$4")
          .bind(key.scope)
          .bind(key.kind)
          .bind(key.id)
          .bind(first);
    for (const DocumentRow& row : batch_.documents)
      add("INSERT INTO weft.documents (scope,kind,id,version,time,zone,author,body) VALUES ($1,$2,$3,$4,$5,$6,$7,$8)")
          .bind(row.scope)
          .bind(row.kind)
          .bind(row.id)
          .bind(row.version)
          .bind(row.time.ms)
          .bind(std::int64_t{row.time.offset_minutes})
          .bind(row.author)
          .bind(row.body);
  }

  std::vector<Query> take() { return std::move(all_); }

 private:
  Query& add(const char* sql) { return all_.emplace_back(sql); }

  // Numbers of erased rows are not told as free again.
  void keep_numbers() {
    if (batch_.erased_items.empty() && batch_.erased_messages.empty()) return;
    add("INSERT INTO weft.meta SELECT $1, coalesce(max(seq),0)::text FROM weft.messages" WEFT_PG_LARGER)
        .bind(kLastSeqNote);
    add("INSERT INTO weft.meta SELECT $1, coalesce(max(number),0)::text FROM weft.items" WEFT_PG_LARGER)
        .bind(kLastRowNote);
  }

  const WriteBatch& batch_;
  std::vector<Query> all_;
};

}  // namespace

std::vector<Query> statements_of(const WriteBatch& batch, const std::set<ScopeKey>& scopes) {
  Statements all(batch);
  all.lock_heads(scopes);
  all.check_documents();
  all.put_all(batch.sessions);
  all.put_all(batch.messages);
  all.put_all(batch.blocks);
  all.put_all(batch.topics);
  all.put_all(batch.items);
  all.put_all(batch.vectors);
  all.change_rows();
  all.put_marks();
  all.put_log();
  all.put_jobs();
  all.erase();
  all.put_documents();
  all.drop_empty_heads(scopes);
  return all.take();
}

std::set<ScopeKey> named_scopes(const WriteBatch& batch) {
  std::set<ScopeKey> scopes;
  const auto add = [&](const auto& rows, auto scope_of) {
    for (const auto& row : rows) scopes.insert(scope_of(row));
  };
  const auto own = [](const auto& row) -> const ScopeKey& { return row.scope; };
  const auto first = [](const auto& row) -> const ScopeKey& { return row.first; };
  const auto of_key = [](const auto& row) -> const ScopeKey& { return row.first.scope; };
  add(batch.sessions, own);
  add(batch.messages, own);
  add(batch.blocks, own);
  add(batch.topics, own);
  add(batch.items, own);
  add(batch.documents, own);
  add(batch.log, own);
  add(batch.passed_traces, own);
  add(batch.erased_blocks, own);
  add(batch.erased_topics, own);
  add(batch.erased_documents, own);
  add(batch.blanked_leads, first);
  add(batch.erased_sessions, first);
  add(batch.expected_documents, of_key);
  add(batch.erased_versions, of_key);
  return scopes;
}

std::vector<std::int64_t> unnamed_messages(const WriteBatch& batch) {
  std::vector<std::int64_t> seqs = batch.erased_messages;
  for (const auto& [seq, block] : batch.message_blocks) seqs.push_back(seq);
  for (const auto& [seq, active] : batch.message_active) seqs.push_back(seq);
  for (const auto& [seq, parent] : batch.message_parents) seqs.push_back(seq);
  return seqs;
}

std::vector<std::int64_t> unnamed_items(const WriteBatch& batch) {
  std::vector<std::int64_t> rows = batch.erased_items;
  for (const auto& [row, active] : batch.item_active) rows.push_back(row);
  for (const VectorUpdate& update : batch.vectors) rows.push_back(update.row);
  return rows;
}

}  // namespace weft::postgres
