#include "ports/store/postgres/schema.h"

#include <string>

namespace weft::postgres {
namespace {

constexpr int kOldestServer = 140'000;  // pipelines need 14

// Texts are compared byte by byte, as everywhere else in Weft. Keys and indexes that calls use begin with the scope.
// `heads` has a row for each scope. Its lock orders the writes of a scope.
//   seq      the last number of the scope's log
//   version  grows with each write, across all scopes
//   before   the version before the last write
//   removed  the version just before the last write that deleted items; of a new row a value below `version`, so that
//            indexes are loaded again
constexpr const char* kTables = R"sql(
CREATE SCHEMA IF NOT EXISTS weft;
CREATE DOMAIN weft.word AS text COLLATE "C" NOT NULL;
CREATE SEQUENCE weft.message_numbers;
CREATE SEQUENCE weft.item_numbers;
CREATE SEQUENCE weft.versions;
CREATE TABLE weft.meta (name weft.word PRIMARY KEY, value weft.word);
CREATE TABLE weft.heads (
  scope weft.word PRIMARY KEY, seq bigint NOT NULL, version bigint NOT NULL, before bigint NOT NULL DEFAULT 0,
  removed bigint NOT NULL);
CREATE TABLE weft.sessions (
  scope weft.word, session weft.word, head bigint NOT NULL, open_topic weft.word, open_block weft.word,
  system weft.word, resent bigint NOT NULL, version bigint NOT NULL, PRIMARY KEY (scope, session));
CREATE INDEX sessions_open ON weft.sessions (scope, session) WHERE open_block <> '';
CREATE TABLE weft.messages (
  seq bigint PRIMARY KEY, scope weft.word, session weft.word, id weft.word, parent bigint NOT NULL,
  digest bigint NOT NULL, role bigint NOT NULL, name weft.word, time bigint NOT NULL, zone bigint NOT NULL,
  content weft.word, extra weft.word, tokens bigint NOT NULL, block weft.word, active bigint NOT NULL,
  chain bigint NOT NULL, sender_id weft.word);
CREATE UNIQUE INDEX messages_by_id ON weft.messages (scope, session, id);
CREATE INDEX messages_by_session ON weft.messages (scope, session, seq);
CREATE INDEX messages_by_scope ON weft.messages (scope, id);
CREATE INDEX messages_in_order ON weft.messages (scope, seq);
CREATE INDEX messages_by_block ON weft.messages (scope, session, block, seq);
CREATE INDEX messages_by_chain ON weft.messages (scope, chain, seq);
CREATE INDEX messages_by_digest ON weft.messages (scope, digest, seq);
CREATE INDEX messages_by_member ON weft.messages (scope, sender_id, seq)
  WHERE sender_id <> '' AND left(scope, 6) = 'group:';
CREATE TABLE weft.blocks (
  scope weft.word, session weft.word, id weft.word, topic weft.word, status bigint NOT NULL, first_seq bigint NOT NULL,
  last_seq bigint NOT NULL, tokens bigint NOT NULL, started bigint NOT NULL, last bigint NOT NULL, zone bigint NOT NULL,
  active bigint NOT NULL, PRIMARY KEY (scope, session, id));
CREATE INDEX blocks_by_topic ON weft.blocks (scope, session, topic, first_seq);
CREATE INDEX blocks_in_order ON weft.blocks (scope, session, first_seq);
CREATE INDEX blocks_waiting ON weft.blocks (scope, session, first_seq)
  WHERE topic = '' AND active = 1 AND status <> 0;
CREATE TABLE weft.topics (
  scope weft.word, session weft.word, id weft.word, status bigint NOT NULL, reason bigint NOT NULL,
  tokens bigint NOT NULL, blocks bigint NOT NULL, started bigint NOT NULL, last bigint NOT NULL, zone bigint NOT NULL,
  touched bigint NOT NULL, trace bytea NOT NULL, lead weft.word, done bigint NOT NULL,
  PRIMARY KEY (scope, session, id));
CREATE INDEX topics_open ON weft.topics (scope, session, touched) WHERE status = 0 AND done = 0;
CREATE TABLE weft.items (
  number bigint PRIMARY KEY, scope weft.word, id weft.word, kind bigint NOT NULL, session weft.word, topic weft.word,
  block weft.word, time bigint NOT NULL, zone bigint NOT NULL, position bigint NOT NULL, made_by weft.word,
  role bigint NOT NULL, speaker weft.word, active bigint NOT NULL, model weft.word, terms bytea NOT NULL,
  vector bytea NOT NULL, details weft.word, sources weft.word, text weft.word, version bigint NOT NULL,
  claimed_by weft.word DEFAULT '', claimed_until bigint NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX items_by_id ON weft.items (scope, id);
CREATE INDEX items_in_order ON weft.items (scope, number);
CREATE INDEX items_by_version ON weft.items (scope, version);
CREATE INDEX items_by_session ON weft.items (scope, session, number);
CREATE INDEX items_by_kind ON weft.items (scope, kind, number);
CREATE INDEX items_by_position ON weft.items (scope, session, kind, position);
CREATE INDEX items_without_vector ON weft.items (number) WHERE model = '';
CREATE INDEX items_words_only ON weft.items (number) WHERE model = '-';
CREATE TABLE weft.next_vectors (
  number bigint PRIMARY KEY REFERENCES weft.items ON DELETE CASCADE, model weft.word, vector bytea NOT NULL);
CREATE INDEX next_vectors_by_model ON weft.next_vectors (model);
CREATE TABLE weft.documents (
  scope weft.word, kind weft.word, id weft.word, version bigint NOT NULL, time bigint NOT NULL, zone bigint NOT NULL,
  author weft.word, body weft.word, PRIMARY KEY (scope, kind, id, version));
CREATE INDEX documents_by_time ON weft.documents (kind, scope, time);
CREATE TABLE weft.marks (mark weft.word PRIMARY KEY);
CREATE TABLE weft.jobs (
  place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id weft.word UNIQUE, scope weft.word, kind weft.word,
  payload weft.word, state bigint NOT NULL, attempts bigint NOT NULL, reason weft.word, created bigint NOT NULL,
  not_before bigint NOT NULL, lease bigint NOT NULL, holder weft.word DEFAULT '');
CREATE INDEX jobs_by_state ON weft.jobs (state, place);
CREATE TABLE weft.log (
  scope weft.word, seq bigint NOT NULL, kind bigint NOT NULL, session weft.word, body weft.word, time bigint NOT NULL,
  PRIMARY KEY (scope, seq));
CREATE INDEX log_by_message ON weft.log (body) WHERE kind = 0;
CREATE TABLE weft.programs (program weft.word PRIMARY KEY, embedder weft.word, seen timestamptz NOT NULL);
CREATE TABLE weft.cursors (reader weft.word, scope weft.word, seq bigint NOT NULL, PRIMARY KEY (reader, scope));

CREATE FUNCTION weft.expect(holds boolean, what text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF holds IS NOT TRUE THEN RAISE EXCEPTION '%', what USING ERRCODE = 'WEFT1'; END IF;
END $$;
-- A vector of the next model belongs to the very text it was made from.
CREATE FUNCTION weft.drop_next_vector() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM weft.next_vectors WHERE number = OLD.number;
  RETURN NULL;
END $$;
CREATE TRIGGER next_vector_of_changed AFTER UPDATE OF text ON weft.items FOR EACH ROW
  WHEN (OLD.text IS DISTINCT FROM NEW.text) EXECUTE FUNCTION weft.drop_next_vector();
INSERT INTO weft.meta VALUES ('schema', '1');
)sql";

}  // namespace

Status prepare_schema(Connection& connection) {
  WEFT_TRY(const Rows server, connection.run(Query("SELECT current_setting('server_version_num')::bigint")));
  if (const std::int64_t version = Row(server, 0).integer(0); version < kOldestServer)
    return unavailable("store: the server is PostgreSQL " + std::to_string(version / 10'000),
                       "PostgreSQL 14 or newer is needed");
  WEFT_CHECK(connection.run("BEGIN"));
  // Programs that start together make the tables one after the other.
  constexpr const char* kAlone = "SELECT pg_advisory_xact_lock(hashtext('weft.schema'))";
  const auto prepare = [&]() -> Status {
    WEFT_CHECK(connection.run(kAlone));
    WEFT_TRY(const Rows there, connection.run(Query("SELECT to_regclass('weft.meta') IS NOT NULL")));
    if (Row(there, 0).integer(0) == 0) return connection.run(kTables);
    WEFT_TRY(const Rows kept, connection.run(Query("SELECT value FROM weft.meta WHERE name='schema'")));
    const std::string version = kept.count() > 0 ? Row(kept, 0).text(0) : "";
    if (version == std::to_string(kSchemaVersion)) return {};
    return conflict(
        "store: the database has schema " + version + ", this program needs schema " + std::to_string(kSchemaVersion),
        "use the version of Weft that made the database");
  };
  const Status prepared = prepare();
  WEFT_CHECK(connection.run(prepared.ok() ? "COMMIT" : "ROLLBACK"));
  return prepared;
}

}  // namespace weft::postgres
