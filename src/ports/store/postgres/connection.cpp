#include "ports/store/postgres/connection.h"

#include <poll.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>

#include "base/threads.h"
#include "text/utf8.h"

namespace weft::postgres {
namespace {

constexpr std::chrono::seconds kWait{10};  // for a free connection

// Defaults for what the URL leaves open: a dead peer is noticed. Time limits of statements are in `kLimits`.
constexpr std::pair<const char*, const char*> kDefaults[] = {
    {"connect_timeout", "10"},   {"keepalives_idle", "15"},     {"keepalives_interval", "5"},
    {"keepalives_count", "3"},   {"tcp_user_timeout", "30000"}, {"application_name", "weft"},
    {"client_encoding", "UTF8"},
};

// Of one transaction only: behind a pooler others have the same server connection later.
#define WEFT_PG_LIMITS "SELECT set_config('lock_timeout', '10s', true), set_config('statement_timeout', '60s', true)"
constexpr const char* kLimits = WEFT_PG_LIMITS;
constexpr const char* kLimitsWithoutFlush = WEFT_PG_LIMITS ", set_config('synchronous_commit', 'off', true)";
#undef WEFT_PG_LIMITS

// Bytes that PostgreSQL takes for no text: a zero, and what is no UTF-8. Each is written as the escape with two
// hexadecimal digits, and so is the escape itself.
constexpr char kEscape = '\x01';
constexpr std::string_view kDigits = "0123456789abcdef";

void escape_into(std::string& safe, char c) {
  const auto byte = static_cast<unsigned char>(c);
  safe += {kEscape, kDigits[byte >> 4], kDigits[byte & 15]};
}

std::string escaped(std::string_view text) {
  constexpr std::string_view kSpecial("\0\x01", 2);
  if (text.find_first_of(kSpecial) == std::string_view::npos && !find_invalid_utf8(text)) return std::string(text);
  std::string safe;
  while (!text.empty()) {
    const auto broken = find_invalid_utf8(text);
    for (const char c : text.substr(0, broken.value_or(text.size()))) {
      if (c == '\0' || c == kEscape)
        escape_into(safe, c);
      else
        safe += c;
    }
    if (!broken) break;
    escape_into(safe, text[*broken]);
    text.remove_prefix(*broken + 1);
  }
  return safe;
}

std::string restored(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == kEscape && i + 2 < text.size();
    if (!is_escape) {
      plain += text[i];
      continue;
    }
    plain += static_cast<char>(kDigits.find(text[i + 1]) << 4 | kDigits.find(text[i + 2]));
    i += 2;
  }
  return plain;
}

// The same text has the same name in each program, since a pooler may share a server connection among them.
std::string name_of(std::string_view sql) { return "weft_" + std::to_string(std::hash<std::string_view>()(sql)); }

template <class T>
void append_number(std::string& bytes, T value) {
  for (int shift = static_cast<int>(sizeof(T)) * 8 - 8; shift >= 0; shift -= 8)
    bytes += static_cast<char>((static_cast<std::uint64_t>(value) >> shift) & 0xff);
}

// The binary form of an array of one dimension.
constexpr std::int32_t kBigintType = 20, kTextType = 25;
std::string array_head(std::int32_t type, std::size_t count) {
  std::string bytes;
  append_number(bytes, std::int32_t{count > 0 ? 1 : 0});
  append_number(bytes, std::int32_t{0});
  append_number(bytes, type);
  if (count == 0) return bytes;
  append_number(bytes, static_cast<std::int32_t>(count));
  append_number(bytes, std::int32_t{1});
  return bytes;
}

std::string first_line(const char* message) {
  const std::string_view text = message == nullptr ? "" : message;
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

Query& Query::bind(std::int64_t value) {
  values_.push_back({std::to_string(value), false});
  return *this;
}

Query& Query::bind(std::string_view text) {
  values_.push_back({escaped(text), false});
  return *this;
}

Query& Query::bind_bytes(std::string_view bytes) {
  values_.push_back({std::string(bytes), true});
  return *this;
}

Query& Query::bind(const std::vector<std::int64_t>& numbers) {
  std::string bytes = array_head(kBigintType, numbers.size());
  for (const std::int64_t number : numbers) {
    append_number(bytes, std::int32_t{8});
    append_number(bytes, number);
  }
  values_.push_back({std::move(bytes), true});
  return *this;
}

Query& Query::bind(const std::vector<std::string>& texts) {
  std::string bytes = array_head(kTextType, texts.size());
  for (const std::string& text : texts) {
    const std::string safe = escaped(text);
    append_number(bytes, static_cast<std::int32_t>(safe.size()));
    bytes += safe;
  }
  values_.push_back({std::move(bytes), true});
  return *this;
}

std::size_t Rows::changed() const { return result_ ? std::strtoull(PQcmdTuples(result_.get()), nullptr, 10) : 0; }

std::int64_t Row::integer(int column) const {
  const auto* bytes = reinterpret_cast<const unsigned char*>(PQgetvalue(result_, place_, column));
  const int size = PQgetlength(result_, place_, column);
  if (size == 0) return 0;
  std::uint64_t value = (bytes[0] & 0x80) != 0 ? ~std::uint64_t{0} : 0;
  if (size == 1) value = 0;  // a boolean
  for (int i = 0; i < size; ++i) value = (value << 8) | bytes[i];
  return static_cast<std::int64_t>(value);
}

std::string_view Row::blob(int column) const {
  return {PQgetvalue(result_, place_, column), static_cast<std::size_t>(PQgetlength(result_, place_, column))};
}

std::string Row::text(int column) const {
  const std::string_view bytes = blob(column);
  return bytes.find(kEscape) == std::string_view::npos ? std::string(bytes) : restored(bytes);
}

Result<std::unique_ptr<Connection>> Connection::open(const std::string& url) {
  char* wrong = nullptr;
  PQconninfoOption* const parsed = PQconninfoParse(url.c_str(), &wrong);
  if (parsed == nullptr) {
    PQfreemem(wrong);  // it may quote the password
    return invalid_argument("store: the connection URI of PostgreSQL cannot be read",
                            "write it as postgresql://USER:PASSWORD@HOST:PORT/DATABASE");
  }
  const AtEnd free_parsed([&] { PQconninfoFree(parsed); });
  // Parameters of the URL, then defaults for those that it leaves out.
  std::vector<const char*> keys, values;
  const auto is_given = [&](const char* key) {
    for (const PQconninfoOption* at = parsed; at->keyword != nullptr; ++at)
      if (std::strcmp(at->keyword, key) == 0) return at->val != nullptr;
    return false;
  };
  for (const PQconninfoOption* at = parsed; at->keyword != nullptr; ++at) {
    if (at->val == nullptr) continue;
    // libpq would show a part of a password with "@" or "/" as host, port or database.
    const std::string_view key = at->keyword, value = at->val;
    const bool is_misread = (key == "port" && value.find_first_not_of("0123456789,") != std::string_view::npos) ||
                            ((key == "host" || key == "dbname") && value.find('@') != std::string_view::npos);
    if (is_misread)
      return invalid_argument("store: the URL of PostgreSQL cannot be read: \"" + std::string(key) + "\" is wrong",
                              "write an \"@\", \":\" or \"/\" within user or password as %40, %3A or %2F");
    keys.push_back(at->keyword);
    values.push_back(at->val);
  }
  for (const auto& [key, value] : kDefaults) {
    if (is_given(key)) continue;
    keys.push_back(key);
    values.push_back(value);
  }
  keys.push_back(nullptr);
  values.push_back(nullptr);
  std::unique_ptr<Connection> connection(new Connection(PQconnectdbParams(keys.data(), values.data(), 0)));
  if (connection->is_broken()) {
    const bool refused = connection->handle_ && PQconnectionNeedsPassword(connection->handle_.get()) != 0;
    const std::string why = first_line(PQerrorMessage(connection->handle_.get()));
    if (refused || why.find("authentication failed") != std::string::npos)
      return permission("store: PostgreSQL refuses the connection: " + why,
                        "check user and password of the store's URL");
    return unavailable("store: PostgreSQL cannot be reached: " + why,
                       "check host, port and database of the store's URL, and that the server runs");
  }
  PQsetNoticeProcessor(connection->handle_.get(), [](void*, const char*) {}, nullptr);
  return connection;
}

Error Connection::failed() {
  is_broken_ = true;
  return unavailable("store: the connection to PostgreSQL is lost: " + first_line(PQerrorMessage(handle_.get())),
                     "try again; nothing that was acknowledged is lost");
}

// By the classes of the standard's codes (appendix A of PostgreSQL's manual).
Error Connection::error_of(const PGresult* result) {
  const char* const field = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const std::string code = field == nullptr ? "" : field;
  const std::string text = "store: " + first_line(PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
  if (code.empty()) return failed();
  const auto is_of = [&](std::string_view begin) { return code.starts_with(begin); };
  if (code == "WEFT1") return conflict(text, "read it again");
  if (is_of("23") || code == "40001" || code == "40P01") return conflict(text, "try again");
  if (code == "25006") return unavailable(text, "the server takes no writes: it is a standby, or set to read only");
  if (is_of("53")) return unavailable(text, "the server is out of space, memory or connections");
  if (code == "55P03" || code == "57014") return unavailable(text, "the server is busy; try again");
  if (is_of("57") || is_of("08")) {
    is_broken_ = true;
    return unavailable(text, "try again; nothing that was acknowledged is lost");
  }
  if (is_of("28") || code == "42501")
    return permission(text, "give the user of the store's URL the rights to this database");
  if (is_of("22")) return invalid_argument(text);
  return internal(text);
}

bool Connection::send(const Query& query) {
  const std::size_t count = query.values_.size();
  std::vector<const char*> values(count);
  std::vector<int> sizes(count), formats(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = query.values_[i].bytes.c_str();
    sizes[i] = static_cast<int>(query.values_[i].bytes.size());
    formats[i] = query.values_[i].is_binary ? 1 : 0;
  }
  constexpr int kBinary = 1;
  if (keeps_statements_)
    return PQsendQueryPrepared(handle_.get(), name_of(query.sql_).c_str(), static_cast<int>(count), values.data(),
                               sizes.data(), formats.data(), kBinary) == 1;
  return PQsendQueryParams(handle_.get(), query.sql_, static_cast<int>(count), nullptr, values.data(), sizes.data(),
                           formats.data(), kBinary) == 1;
}

bool Connection::is_to_prepare(const Query& query) const {
  return keeps_statements_ && !kept_statements_.contains(query.sql_);
}

bool Connection::send_prepare(const Query& query) {
  return PQsendPrepare(handle_.get(), name_of(query.sql_).c_str(), query.sql_, 0, nullptr) == 1;
}

// A pooler has given this client another server connection, on which the statement is not known, or is already.
bool Connection::lost_statements(const PGresult* result) const {
  const char* const code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  constexpr std::string_view kUnknown = "26000", kKnown = "42P05";
  return keeps_statements_ && code != nullptr && (code == kUnknown || code == kKnown);
}

bool Connection::is_done(const Rows& rows) {
  const ExecStatusType status = PQresultStatus(rows.result_.get());
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

Status Connection::run(const char* sql) {
  const Rows rows(PQexec(handle_.get(), sql));
  if (!rows.result_) return failed();
  if (is_done(rows)) return {};
  return error_of(rows.result_.get());
}

// Marks the connection as broken until all results of the request are read. If a function returns early or throws, the
// pool closes the connection instead of using it again.
class Connection::Asking {
 public:
  explicit Asking(Connection& connection) : connection_(connection) { connection_.is_broken_ = true; }
  void is_answered() { connection_.is_broken_ = false; }

 private:
  Connection& connection_;
};

Result<Rows> Connection::run(const Query& query) {
  for (;;) {
    Asking asking(*this);
    const bool prepares = is_to_prepare(query);
    if (!(prepares ? send_prepare(query) : send(query))) return failed();
    Rows rows(PQgetResult(handle_.get()));
    while (PGresult* const more = PQgetResult(handle_.get())) PQclear(more);
    if (!rows.result_) return failed();
    asking.is_answered();
    if (lost_statements(rows.result_.get()))
      keeps_statements_ = false;
    else if (!is_done(rows))
      return error_of(rows.result_.get());
    else if (!prepares)
      return rows;
    else
      kept_statements_.insert(query.sql_);
  }
}

Result<std::vector<Rows>> Connection::run_together(const std::vector<Query>& queries, How how) {
  const bool kept = keeps_statements_;
  auto answers = run_once(queries, how);
  // Nothing was done: the statements were not there.
  return kept && !keeps_statements_ ? run_once(queries, how) : std::move(answers);
}

Result<std::vector<Rows>> Connection::run_once(const std::vector<Query>& queries, How how) {
  struct Step {
    const Query* query;
    bool prepares, is_asked;
  };
  PGconn* const handle = handle_.get();
  Asking asking(*this);
  if (PQenterPipelineMode(handle) != 1) return failed();
  std::vector<Step> steps;
  std::unordered_set<std::string_view> prepared;
  const auto add = [&](const Query& query, bool is_asked) {
    if (is_to_prepare(query) && prepared.insert(query.sql_).second) steps.push_back({&query, true, false});
    steps.push_back({&query, false, is_asked});
  };
  const Query begin("BEGIN"), limits(how.without_flush ? kLimitsWithoutFlush : kLimits), commit("COMMIT");
  add(begin, false);
  if (!how.may_last) add(limits, false);
  for (const Query& query : queries) add(query, true);
  add(commit, false);
  for (const Step& step : steps)
    if (!(step.prepares ? send_prepare(*step.query) : send(*step.query))) return failed();
  if (PQpipelineSync(handle) != 1) return failed();
  std::vector<Rows> answers;
  std::optional<Error> error;
  bool lost = false;
  for (const Step& step : steps) {
    Rows rows(PQgetResult(handle));
    const Rows end(PQgetResult(handle));  // the answers to each statement end with nothing
    if (!rows.result_ || end.result_) return failed();
    // The server skips the statements after a failed one.
    const bool is_passed_over = PQresultStatus(rows.result_.get()) == PGRES_PIPELINE_ABORTED;
    if (!is_done(rows) && !is_passed_over && !error) {
      lost = lost_statements(rows.result_.get());
      error = error_of(rows.result_.get());
    }
    if (step.prepares && is_done(rows)) kept_statements_.insert(step.query->sql_);
    if (step.is_asked) answers.push_back(std::move(rows));
  }
  const Rows sync(PQgetResult(handle));
  const bool is_over = sync.result_ && PQresultStatus(sync.result_.get()) == PGRES_PIPELINE_SYNC;
  if (!is_over || PQexitPipelineMode(handle) != 1) return failed();
  if (PQtransactionStatus(handle) != PQTRANS_IDLE) {
    const Rows undone(PQexec(handle, "ROLLBACK"));
    if (!undone.result_ || !is_done(undone)) return error ? *error : failed();
  }
  if (PQstatus(handle) == CONNECTION_OK) asking.is_answered();
  if (lost) keeps_statements_ = false;
  if (error) return *error;
  return answers;
}

// Nobody has asked it anything, so whatever the server says is its farewell.
bool Connection::is_stale() {
  pollfd socket{PQsocket(handle_.get()), POLLIN, 0};
  return is_broken() || ::poll(&socket, 1, 0) != 0;
}

Result<Pool::Lease> Pool::take() {
  std::unique_lock lock(mutex_);
  const bool in_time = free_again_.wait_for(lock, kWait, [&] { return !free_.empty() || open_ < most_; });
  if (!in_time) return unavailable("store: all connections to PostgreSQL are in use", "try again");
  while (!free_.empty()) {
    std::unique_ptr<Connection> connection = std::move(free_.back());
    free_.pop_back();
    if (!connection->is_stale()) return Lease(*this, std::move(connection));
    --open_;
  }
  ++open_;
  const bool keeps_statements = keeps_statements_;
  lock.unlock();
  Lease lease(*this, nullptr);  // its place is free again where none can be opened
  WEFT_TRY(lease.connection_, Connection::open(url_));
  lease->keep_statements(keeps_statements);
  return lease;
}

void Pool::give_back(std::unique_ptr<Connection> connection) noexcept {
  const std::lock_guard lock(mutex_);
  if (connection && !connection->keeps_statements()) keeps_statements_ = false;
  if (!connection || connection->is_broken())
    --open_;
  else
    free_.push_back(std::move(connection));  // there is room for all
  free_again_.notify_one();
}

Result<Rows> Pool::run(const Query& query) {
  WEFT_TRY(auto connection, take());
  return connection->run(query);
}

}  // namespace weft::postgres
