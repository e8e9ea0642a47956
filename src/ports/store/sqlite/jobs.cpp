// Jobs that wait for the historian.
#include <algorithm>

#include "ports/store/sqlite/tables.h"

namespace weft::sqlite {
namespace {

#define WEFT_JOB_COLUMNS "id,scope,kind,payload,state,attempts,reason,created,not_before"

std::int64_t number(JobState state) { return static_cast<std::int64_t>(state); }

Job read_job(const Statement& at) {
  Job job;
  job.id = JobId(at.text(0));
  job.scope = ScopeKey(at.text(1));
  job.kind = at.text(2);
  job.payload = at.text(3);
  job.state = static_cast<JobState>(at.integer(4));
  job.attempts = static_cast<int>(at.integer(5));
  job.reason = at.text(6);
  job.created_ms = at.integer(7);
  job.not_before_ms = at.integer(8);
  return job;
}

// How many rows the last statement changed.
std::size_t changed(Connection& connection) { return static_cast<std::size_t>(sqlite3_changes64(connection.handle())); }

Status check_hold(Connection& connection, const JobHold& hold) {
  return changed(connection) > 0 ? Status() : not_found("no job " + hold.id.str() + " in work");
}

Status remove(Connection& connection, const JobHold& hold) {
  return connection.prepare("DELETE FROM jobs WHERE id=? AND state=? AND attempts=?")
      .bind(hold.id)
      .bind(number(JobState::kProcessing))
      .bind(std::int64_t{hold.attempt})
      .run();
}

Status move(Connection& connection, const JobHold& hold, JobState to, const std::string& reason,
            std::int64_t not_before_ms) {
  WEFT_CHECK(connection.prepare("UPDATE jobs SET state=?, reason=?, not_before=? WHERE id=? AND state=? AND attempts=?")
                 .bind(number(to))
                 .bind(reason)
                 .bind(not_before_ms)
                 .bind(hold.id)
                 .bind(number(JobState::kProcessing))
                 .bind(std::int64_t{hold.attempt})
                 .run());
  return check_hold(connection, hold);
}

#define WEFT_INTO_JOBS " INTO jobs (" WEFT_JOB_COLUMNS ",lease) VALUES (?,?,?,?,?,?,?,?,?,0)"

Status put(Connection& connection, const char* sql, const Job& job) {
  return connection.prepare(sql)
      .bind(job.id)
      .bind(job.scope)
      .bind(job.kind)
      .bind(job.payload)
      .bind(number(job.state))
      .bind(std::int64_t{job.attempts})
      .bind(job.reason)
      .bind(job.created_ms)
      .bind(job.not_before_ms)
      .run();
}

}  // namespace

Status put_jobs(Connection& connection, const WriteBatch& batch) {
  for (const JobId& id : batch.erased_jobs)
    WEFT_CHECK(connection.prepare("DELETE FROM jobs WHERE id=?").bind(id).run());
  for (const JobHold& hold : batch.finished_jobs) {
    WEFT_CHECK(remove(connection, hold));
    if (changed(connection) == 0) return conflict("job " + hold.id.str() + " is in the hands of another worker");
  }
  for (const Job& job : batch.jobs) WEFT_CHECK(put(connection, "INSERT OR IGNORE" WEFT_INTO_JOBS, job));
  for (const Job& job : batch.claimed_jobs) WEFT_CHECK(put(connection, "INSERT" WEFT_INTO_JOBS, job));
  return {};
}

Result<std::optional<Job>> SqliteJobs::take(std::int64_t now_ms, std::int64_t lease_ms) {
  auto connection = pools_.writer->take();
  const Unflushed unflushed(*connection);
  // First what its holder has lost. One statement finds the job and marks it, so that nobody else takes it, too.
  Statement statement = connection->prepare(
      "UPDATE jobs SET state=1, attempts=attempts+1, lease=?1+?2 WHERE place=coalesce("
      "(SELECT place FROM jobs WHERE state=1 AND lease<=?1 ORDER BY place LIMIT 1),"
      "(SELECT place FROM jobs WHERE state=0 AND not_before<=?1 ORDER BY place LIMIT 1)) RETURNING " WEFT_JOB_COLUMNS);
  statement.bind(now_ms).bind(lease_ms);
  std::optional<Job> job;
  // The change is complete only once the last row was asked for.
  while (statement.step()) job = read_job(statement);
  WEFT_CHECK(statement.status());
  return job;
}

Status SqliteJobs::finish(const JobHold& hold) {
  auto connection = pools_.writer->take();
  const Unflushed unflushed(*connection);
  return remove(*connection, hold);
}

Status SqliteJobs::put_back(const JobHold& hold, const std::string& reason, std::int64_t not_before_ms) {
  auto connection = pools_.writer->take();
  const Unflushed unflushed(*connection);
  return move(*connection, hold, JobState::kPending, reason, not_before_ms);
}

Status SqliteJobs::fail(const JobHold& hold, const std::string& reason) {
  auto connection = pools_.writer->take();
  return move(*connection, hold, JobState::kFailed, reason, 0);
}

Result<std::size_t> SqliteJobs::retry(const JobId& id) {
  auto connection = pools_.writer->take();
  WEFT_CHECK(connection->prepare("UPDATE jobs SET state=0, attempts=0, not_before=0 WHERE state=2 AND (?1='' OR id=?1)")
                 .bind(id)
                 .run());
  return changed(*connection);
}

Status SqliteJobs::release_all() {
  auto connection = pools_.writer->take();
  return connection->run("UPDATE jobs SET state=0 WHERE state=1");
}

Result<bool> SqliteJobs::contains(const JobId& id) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare("SELECT 1 FROM jobs WHERE id=?");
  statement.bind(id);
  const bool there = statement.step();
  WEFT_CHECK(statement.status());
  return there;
}

Result<std::vector<Job>> SqliteJobs::list() {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare("SELECT " WEFT_JOB_COLUMNS " FROM jobs ORDER BY place");
  std::vector<Job> jobs;
  while (statement.step()) jobs.push_back(read_job(statement));
  WEFT_CHECK(statement.status());
  return jobs;
}

Result<JobCounts> SqliteJobs::counts(std::int64_t now_ms) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      "SELECT state, count(*), min(CASE WHEN max(created,not_before)<=? THEN max(created,not_before) END) FROM jobs "
      "GROUP BY state");
  statement.bind(now_ms);
  JobCounts counts;
  while (statement.step()) {
    const auto state = static_cast<JobState>(statement.integer(0));
    std::size_t& count = state == JobState::kPending      ? counts.pending
                         : state == JobState::kProcessing ? counts.processing
                                                          : counts.failed;
    count = static_cast<std::size_t>(statement.integer(1));
    if (state == JobState::kPending && !statement.is_null(2)) counts.waiting_since = statement.integer(2);
  }
  WEFT_CHECK(statement.status());
  return counts;
}

Result<std::optional<std::int64_t>> SqliteJobs::next_due() {
  auto connection = pools_.readers().take();
  Statement statement =
      connection->prepare("SELECT min(CASE state WHEN 0 THEN not_before ELSE lease END) FROM jobs WHERE state<2");
  std::optional<std::int64_t> due;
  if (statement.step() && !statement.is_null(0)) due = statement.integer(0);
  WEFT_CHECK(statement.status());
  return due;
}

}  // namespace weft::sqlite
