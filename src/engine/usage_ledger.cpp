// Accounting for calls of models.
//
// Takes: every call, when it is over. Gives: totals by day, scope, key, role and model, and figures for the metrics.
// Promises: what was noted is in the file before `note_model_call` returns and outlives a killed program; a power cut
//           may take the last lines. A torn last line is left out. Who is forgotten stands in it no longer.
// Costs:    one short write a call, no flush; the file is summed up when it holds many more lines than there are
// totals.
#include "engine/usage_ledger.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "base/log.h"
#include "base/strings.h"
#include "model/records.h"

namespace weft {
namespace {

constexpr std::size_t kLinesBeforeSum = 2000;
constexpr std::size_t kLinesForEachRow = 4;
constexpr std::int64_t kDayMs = std::int64_t{24} * 60 * 60 * 1000;

std::string day_of(Time time) { return format_date({time.ms, 0}); }

constexpr std::array<std::pair<std::string_view, std::string UsageRow::*>, 5> kDimensions{
    {{"day", &UsageRow::day},
     {"scope", &UsageRow::scope},
     {"key", &UsageRow::key},
     {"role", &UsageRow::role},
     {"model", &UsageRow::model}}};

Status check_day(const std::string& day, const char* name) {
  if (day.empty()) return {};
  const auto read = parse_time(day);
  if (read.ok() && day.size() == std::string_view("2026-11-26").size()) return {};
  return invalid_argument(std::string(name) + ": \"" + day.substr(0, 40) + "\" is no day", "write it as 2026-11-26");
}

Status check_query(const UsageQuery& query) {
  WEFT_CHECK(check_day(query.from, "from"));
  WEFT_CHECK(check_day(query.to, "to"));
  for (const std::string& one : query.by)
    if (std::none_of(kDimensions.begin(), kDimensions.end(), [&](const auto& known) { return known.first == one; }))
      return invalid_argument("by: \"" + one.substr(0, 40) + "\" is nothing that totals are told apart by",
                              "day, scope, key, role and model are");
  return {};
}

void add_up(const UsageRow& row, UsageRow& into) {
  into.calls += row.calls;
  into.failed += row.failed;
  into.counted += row.counted;
  into.input_tokens += row.input_tokens;
  into.output_tokens += row.output_tokens;
  into.seconds += row.seconds;
}

double figure(std::int64_t count) { return static_cast<double>(count); }

}  // namespace

UsageLedger::UsageLedger(const Config& config, const Clock& clock, Count count)
    : path_(std::filesystem::path(config.workspace) / "usage.jsonl"),
      rows_per_day_(static_cast<std::size_t>(config.usage.rows_per_day)),
      keep_days_(config.usage.keep_days),
      clock_(clock),
      count_(std::move(count)),
      names_(Names{BoundedNames(static_cast<std::size_t>(config.usage.names)),
                   BoundedNames(static_cast<std::size_t>(config.usage.names)),
                   BoundedNames(static_cast<std::size_t>(config.usage.names))}),
      calls_({"model_calls_total", "Calls of chat models, by what became of them.", {"role", "model", "outcome"}}),
      tokens_({"model_tokens_total", "Tokens of these calls.", {"role", "model", "kind"}}),
      counted_({"model_counted_calls_total",
                "Calls whose tokens were counted here, since the model's server told none.",
                {"role", "model"}}),
      scope_calls_({"user_model_calls_total", "Calls of chat models by whose they were.", {"user", "outcome"}}),
      scope_tokens_({"user_model_tokens_total", "Tokens of these calls.", {"user", "kind"}}),
      key_calls_({"key_model_calls_total", "Calls of chat models by the key they came with.", {"key", "outcome"}}),
      key_tokens_({"key_model_tokens_total", "Tokens of these calls.", {"key", "kind"}}),
      time_({"model_seconds", "Time of calls that were answered, until the end of the answer.", {"role", "model"}}),
      first_token_({"model_first_token_seconds",
                    "Time until the first piece of an answer that was streamed.",
                    {"role", "model"}}) {}

Result<std::unique_ptr<UsageLedger>> UsageLedger::open(const Config& config, const Clock& clock, Count count) {
  std::unique_ptr<UsageLedger> made(new UsageLedger(config, clock, std::move(count)));
  auto kept = made->kept_.lock();
  WEFT_TRY(const bool whole, made->read(*kept));
  WEFT_CHECK(whole && !made->drop_old(*kept) ? made->open_file(*kept) : made->sum_up(*kept));
  return made;
}

// Whether the file is what it would be made anew: each row once, and no line torn.
Result<bool> UsageLedger::read(Kept& kept) {
  const auto text = read_file(path_);
  if (!text.ok() && text.error().code != ErrorCode::kNotFound) return text.error();
  const std::string lines = text.value_or({});
  std::size_t unreadable = 0;
  std::string why;
  for (const std::string_view line : lines_of(lines)) {
    if (line.empty()) continue;
    ++kept.lines;
    const auto row = parse_record<UsageRow>(line, "usage.jsonl", {.max_bytes = line.size() + 1});
    if (row.ok()) {
      add(*row, kept);
      continue;
    }
    ++unreadable;
    why = row.error().message;
  }
  if (unreadable > 0)
    log_warning("usage.read", std::to_string(unreadable) + " lines of " + path_.string() + " cannot be read: " + why);
  return kept.lines == kept.rows.size() && (lines.empty() || lines.ends_with('\n'));
}

bool UsageLedger::drop_old(Kept& kept) const {
  const std::string oldest = day_of({clock_.now().ms - keep_days_ * kDayMs, 0});
  std::erase_if(kept.rows_of_day, [&](const auto& one) { return one.first < oldest; });
  return std::erase_if(kept.rows, [&](const auto& one) { return one.second.day < oldest; }) > 0;
}

// Rows of days that are over their time go; the file holds each row once then.
Status UsageLedger::sum_up(Kept& kept) {
  drop_old(kept);
  std::string text;
  for (const auto& [key, row] : kept.rows) text += to_json(row) + "\n";
  std::error_code none;
  if (!text.empty() || std::filesystem::exists(path_, none)) WEFT_CHECK(write_file(path_, text, true));
  kept.lines = kept.rows.size();
  return open_file(kept);
}

Status UsageLedger::open_file(Kept& kept) const {
  kept.file = FileHandle(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
  return kept.file.open() ? Status() : Status(file_error("opening", path_));
}

// A day has a bounded number of rows: what comes further loses its names, so that nothing of what it cost is lost.
void UsageLedger::add(const UsageRow& row, Kept& kept) const {
  UsageRow own = row;
  const auto key_of = [&own] { return Key(own.day, own.scope, own.key, own.role, own.model); };
  std::size_t& rows = kept.rows_of_day[own.day];
  if (rows >= rows_per_day_ && !kept.rows.contains(key_of())) own.scope = own.key = own.model = "other";
  auto [at, fresh] = kept.rows.try_emplace(key_of(), own);
  if (fresh) {
    ++rows;
    return;
  }
  add_up(own, at->second);
}

void UsageLedger::keep(const UsageRow& row) {
  auto kept = kept_.lock();
  add(row, *kept);
  Status written = write_all(kept->file, to_json(row) + "\n", path_);
  if (written.ok() && ++kept->lines > std::max(kLinesBeforeSum, kLinesForEachRow * kept->rows.size()))
    written = sum_up(*kept);
  const std::string trouble = written.ok() ? "" : written.error().message;
  if (!trouble.empty() && trouble != kept->trouble) log_error("usage.write", trouble);
  kept->trouble = trouble;
}

void UsageLedger::note_model_call(const ModelCall& call) {
  const auto count = [&](std::int64_t told, std::string_view text) {
    return told >= 0 ? told : text.empty() ? 0 : count_(call.model, text);
  };
  UsageRow row{day_of(clock_.now()), call.scope, BoundedNames::shortened(call.key), call.role,
               BoundedNames::shortened(call.model)};
  row.calls = 1;
  row.failed = call.answered() ? 0 : 1;
  row.input_tokens = count(call.input_tokens, call.input_text);
  row.output_tokens = count(call.output_tokens, call.output_text);
  const bool untold =
      (call.input_tokens < 0 && row.input_tokens > 0) || (call.output_tokens < 0 && row.output_tokens > 0);
  row.counted = untold ? 1 : 0;
  row.seconds = call.seconds;
  keep(row);
  tell(call, row);
}

void UsageLedger::tell(const ModelCall& call, const UsageRow& row) {
  // A name that the model's server does not know must not take the place of one that it does.
  const bool known_model = call.outcome != "refused";
  auto names = names_.lock();
  const std::string model = names->models.told(row.model, known_model);
  const std::string scope = names->scopes.told(row.scope), key = names->keys.told(row.key);
  const std::string outcome = call.answered() ? "answered" : "failed";
  calls_.add({row.role, model, call.outcome});
  scope_calls_.add({scope, outcome});
  key_calls_.add({key, outcome});
  for (const auto& [kind, tokens] : {std::pair{"prompt", row.input_tokens}, {"completion", row.output_tokens}}) {
    tokens_.add({row.role, model, kind}, figure(tokens));
    scope_tokens_.add({scope, kind}, figure(tokens));
    key_tokens_.add({key, kind}, figure(tokens));
  }
  if (row.counted > 0) counted_.add({row.role, model});
  if (call.answered()) time_.add({row.role, model}, call.seconds);
  if (call.first_token_seconds >= 0) first_token_.add({row.role, model}, call.first_token_seconds);
}

void UsageLedger::expect(const std::string& role, const std::string& model) {
  const std::string told = names_.lock()->models.told(model);
  calls_.add({role, told, "answered"}, 0);
  for (const char* kind : {"prompt", "completion"}) tokens_.add({role, told, kind}, 0);
}

Result<std::vector<UsageRow>> UsageLedger::usage(const UsageQuery& query) {
  WEFT_CHECK(check_query(query));
  std::map<Key, UsageRow> sums;
  auto kept = kept_.lock();
  for (const auto& [key, row] : kept->rows) {
    if (!query.scope.empty() && row.scope != query.scope) continue;
    if ((!query.from.empty() && row.day < query.from) || (!query.to.empty() && row.day > query.to)) continue;
    UsageRow own;
    for (const auto& [name, member] : kDimensions)
      if (std::find(query.by.begin(), query.by.end(), name) != query.by.end()) own.*member = row.*member;
    const auto at = sums.try_emplace(Key(own.day, own.scope, own.key, own.role, own.model), own).first;
    add_up(row, at->second);
  }
  std::vector<UsageRow> rows;
  for (auto& [key, row] : sums) rows.push_back(std::move(row));
  return rows;
}

Status UsageLedger::erase(const ErasedMessages& gone) {
  if (!gone.everything) return {};
  {
    auto names = names_.lock();
    scope_calls_.drop(gone.scope.str());
    scope_tokens_.drop(gone.scope.str());
    names->scopes.drop(gone.scope.str());
  }
  auto kept = kept_.lock();
  const auto before = std::move(kept->rows);
  kept->rows.clear();
  kept->rows_of_day.clear();
  for (const auto& [key, row] : before) {
    UsageRow own = row;
    if (own.scope == gone.scope.str()) own.scope.clear();
    add(own, *kept);
  }
  return sum_up(*kept);
}

void UsageLedger::write(MetricsText& into, bool names) const {
  for (const CounterFamily* one : {&calls_, &tokens_, &counted_}) one->write(into);
  for (const HistogramFamily* one : {&time_, &first_token_}) one->write(into);
  if (!names) return;
  for (const CounterFamily* one : {&scope_calls_, &scope_tokens_, &key_calls_, &key_tokens_}) one->write(into);
}

}  // namespace weft
