#include "growth/question_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/log.h"
#include "base/strings.h"
#include "growth/growth_files.h"
#include "growth/preference_signs.h"
#include "model/growth_records.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::int64_t kMinuteMs = 60'000;
constexpr std::int64_t kEnoughMessages = 40;
constexpr double kHardly = 0.25;
constexpr std::size_t kShown = 80;
constexpr std::size_t kLongestAnswer = 100'000;
constexpr const char* kLast = "last";  ///< the id of an owner's number

// Urgent ones first, of these the ones that are easy to answer, of these the oldest.
bool comes_before(const Question& a, const Question& b) {
  if (a.urgency != b.urgency) return a.urgency > b.urgency;
  if (a.choices.empty() != b.choices.empty()) return !a.choices.empty();
  return a.created < b.created;
}

std::string id_of(std::int64_t number) { return fmt::format("q{:06}", number); }

Error no_question(const std::string& id) {
  return not_found("question: there is no question \"" + preview(id, kShown) + "\"", "`weft question list` shows them");
}

// `asked`: ids of questions that are known to be made of erased messages.
bool comes_of(const Question& question, const ErasedMessages& gone, const std::set<std::string>& asked) {
  if (question.owner != gone.scope.str()) return false;
  if (gone.everything || asked.contains(question.id)) return true;
  if (gone.before && question.created < *gone.before) return true;
  const SessionId talk(kQuestionTalk);
  if (gone.has(talk, asked_message(question).str()) || gone.has(talk, answer_message(question).str())) return true;
  const bool of_session = gone.messages.contains(SessionId(question.session.empty() ? question.run : question.session));
  return of_session && gone.repeats(question.text + "\n" + question.why + "\n" + question.answer);
}

}  // namespace

bool is_open(const Question& question) {
  return question.stage == QuestionStage::kQueued || question.stage == QuestionStage::kAsked;
}

// With its time, since numbers come again where all of an owner was erased.
MessageId asked_message(const Question& question) {
  return MessageId(question.id + "." + std::to_string(question.created.ms) + ".asked");
}
MessageId answer_message(const Question& question) {
  return MessageId(question.id + "." + std::to_string(question.created.ms) + ".answer");
}

void ActivityHours::count(Time time) {
  offset_minutes = time.offset_minutes;
  const std::int64_t minutes = time.ms / kMinuteMs + time.offset_minutes;
  ++messages[static_cast<std::size_t>(((minutes / 60) % 24 + 24) % 24)];
}

bool ActivityHours::is_quiet(Time now) const {
  std::int64_t all = 0;
  for (const std::int64_t count : messages) all += count;
  if (all < kEnoughMessages) return false;
  const auto hour = static_cast<std::size_t>(((now.ms / kMinuteMs + offset_minutes) / 60 % 24 + 24) % 24);
  const std::int64_t around = messages[(hour + 23) % 24] + messages[hour] + messages[(hour + 1) % 24];
  return static_cast<double>(around) < kHardly * 3 * static_cast<double>(all) / 24;
}

template <>
const Record<WaitingQuestion>& record<WaitingQuestion>() {
  static const auto made = Record<WaitingQuestion>("WaitingQuestion", "", RecordUse::kBoth)
                               .spread(&WaitingQuestion::question, record<Question>())
                               .field("released", &WaitingQuestion::released, "it may be asked", {.sparse = true});
  return made;
}

template <>
const Record<QuestionNumber>& record<QuestionNumber>() {
  static const auto made = Record<QuestionNumber>("QuestionNumber", "", RecordUse::kBoth)
                               .field("last", &QuestionNumber::last, "the number of the newest question");
  return made;
}

QuestionQueue::QuestionQueue(Store& store, const Clock& clock, const AdaptationSettings& settings, Activity activity)
    : store_(store),
      clock_(clock),
      settings_(settings),
      activity_(std::move(activity)),
      waiting_(store, kKind),
      past_(store, "question_past"),
      numbers_(store, "question_number") {}

// Each line of the log is a question as it was from then on, or names one whose batch is being asked. A question whose
// id another one has in the store gets a new number.
Status QuestionQueue::take_former_log(FileSystem& files, const std::filesystem::path& path) {
  constexpr std::string_view kReleased = "released ";
  std::map<std::string, WaitingQuestion> all;  // by id
  const auto take = [&](std::string_view line) {
    if (line.starts_with(kReleased)) {
      if (const auto at = all.find(std::string(line.substr(kReleased.size()))); at != all.end())
        at->second.released = true;
      return true;
    }
    auto read = parse_record<Question>(line, path.filename().string());
    if (!read.ok() || read->owner.empty() || read->id.empty()) return false;
    all[read->id].question = std::move(read).value();
    return true;
  };
  const auto keep = [&]() -> Status {
    std::map<ScopeKey, std::int64_t> last;
    for (const auto& [id, one] : all) {
      const auto digits = id.find_first_of("0123456789");
      std::int64_t& number = last[ScopeKey(one.question.owner)];
      if (digits != std::string::npos) number = std::max<std::int64_t>(number, std::atoll(id.c_str() + digits));
    }
    std::map<ScopeKey, std::int64_t> versions;
    for (auto& [owner, number] : last) {
      WEFT_TRY(const auto before, numbers_.find(owner, kLast));
      versions[owner] = before ? before->version : 0;
      if (before) number = std::max(number, before->value.last);
    }
    std::map<ScopeKey, std::vector<Question>> known;
    for (const auto& [owner, number] : last) {
      WEFT_TRY(known[owner], questions(owner.str()));
    }
    WriteBatch batch;
    for (auto& [id, one] : all) {
      Question& question = one.question;
      const ScopeKey owner(question.owner);
      const auto is_it = [&](const Question& other) {
        return other.created == question.created && other.text == question.text;
      };
      const auto has_its_id = [&](const Question& other) { return other.id == question.id; };
      const auto& others = known[owner];
      if (std::any_of(others.begin(), others.end(), is_it)) continue;
      if (std::any_of(others.begin(), others.end(), has_its_id)) question.id = id_of(++last[owner]);
      if (is_open(question))
        waiting_.put(owner, question.id, one, 0, question.created, batch);
      else
        past_.put(owner, question.id, question, 0, question.created, batch);
    }
    for (const auto& [owner, number] : last) numbers_.put(owner, kLast, {number}, versions[owner], clock_.now(), batch);
    return store_.write(batch);
  };
  return weft::take_former_log(files, path, take, keep);
}

void QuestionQueue::put(const Waiting& changed, WriteBatch& batch) const {
  const Question& question = changed.value.question;
  waiting_.put(ScopeKey(question.owner), question.id, changed.value, changed.version, question.created, batch);
}

Status QuestionQueue::end(const Question& ended, WriteBatch with) {
  waiting_.remove(ScopeKey(ended.owner), ended.id, with);
  past_.put(ScopeKey(ended.owner), ended.id, ended, 0, ended.created, with);
  return store_.write(with);
}

Result<std::vector<Question>> QuestionQueue::add_to(WriteBatch& batch, std::vector<Question> questions) const {
  if (questions.empty()) return questions;
  const ScopeKey owner(questions.front().owner);
  for (const Question& question : questions) {
    if (trimmed(question.text).empty() || question.owner.empty())
      return invalid_argument("question: it needs a text and an owner");
    if (question.owner != owner.str()) return invalid_argument("question: several owners in one call");
    if (question.text.size() > kLongestText) return too_large("question: its text is too long", "ask one thing");
  }
  WEFT_TRY(auto waiting, waiting_.latest(owner));
  WEFT_TRY(const auto number, numbers_.find(owner, kLast));
  const std::int64_t before = number ? number->value.last : 0;
  std::int64_t last = before;
  for (Question& question : questions) {
    const auto same = std::find_if(waiting.begin(), waiting.end(), [&](const Waiting& one) {
      return one.value.question.text == question.text && one.value.question.run == question.run;
    });
    if (same != waiting.end()) {
      question = same->value.question;
      continue;
    }
    question.id = id_of(++last);
    question.stage = QuestionStage::kQueued;
    question.created = clock_.now();
    question.asked = question.answered = {};
    question.answer.clear();
    if (question.expires.ms == 0) {
      question.expires = question.created;
      question.expires.ms += settings_.answer_minutes * kMinuteMs;
    }
    waiting.push_back({{question, false}, question.id, 0});
    put(waiting.back(), batch);
  }
  if (last > before) numbers_.put(owner, kLast, {last}, number ? number->version : 0, clock_.now(), batch);
  return questions;
}

Result<Question> QuestionQueue::ask(const Question& question) {
  const auto lock = locks_.of(question.owner);
  const std::lock_guard held(*lock);
  std::vector<Question> asked;
  const auto written = store_.transact([&](WriteBatch& batch) -> Status {
    WEFT_TRY(asked, add_to(batch, {question}));
    return {};
  });
  if (!written.ok()) return written.error();
  return std::move(asked.front());
}

Result<std::optional<Question>> QuestionQueue::next(const std::string& owner) {
  const bool always_there = !settings_.quiet_hours || !activity_;
  auto found = next(owner, always_there ? std::optional(false) : std::nullopt);
  if (found.ok() || found.error().code != ErrorCode::kUnavailable) return found;
  return next(owner, activity_(owner).is_quiet(clock_.now()));
}

// Urgent ones at once. The others if a batch is being asked, or one is due and the owner is there: then all that wait
// belong to it.
Result<std::optional<Question>> QuestionQueue::next(const std::string& owner, std::optional<bool> quiet) {
  const auto lock = locks_.of(owner);
  const std::lock_guard held(*lock);
  const Time now = clock_.now();
  WEFT_TRY(auto waiting, waiting_.latest(ScopeKey(owner)));
  std::erase_if(waiting, [&](const Waiting& one) { return one.value.question.expires <= now; });
  Waiting *urgent = nullptr, *best = nullptr, *released = nullptr;
  std::int64_t queued = 0;
  bool long_ago = false;
  const auto better = [](Waiting*& found, Waiting& one) {
    if (found == nullptr || comes_before(one.value.question, found->value.question)) found = &one;
  };
  for (Waiting& one : waiting) {
    const Question& question = one.value.question;
    if (question.stage == QuestionStage::kAsked) return std::optional(question);
    ++queued;
    long_ago = long_ago || now.ms - question.created.ms >= settings_.batch_minutes * kMinuteMs;
    if (question.urgency == Grade::kHigh) better(urgent, one);
    if (one.value.released) better(released, one);
    better(best, one);
  }
  Waiting* found = urgent;
  WriteBatch batch;
  if (found == nullptr) {
    const bool due = released != nullptr || long_ago || queued >= settings_.batch;
    if (best == nullptr || !due) return std::optional<Question>();
    if (!quiet) return unavailable("question: it is not known whether " + owner + " is there");
    if (*quiet) return std::optional<Question>();
    found = released != nullptr ? released : best;
    if (released == nullptr)
      for (Waiting& one : waiting) {
        one.value.released = true;
        if (&one != found) put(one, batch);
      }
  }
  found->value.question.stage = QuestionStage::kAsked;
  found->value.question.asked = now;
  put(*found, batch);
  WEFT_CHECK(store_.write(batch));
  return std::optional(found->value.question);
}

Result<Question> QuestionQueue::open_question(const std::string& owner, const std::string& id) const {
  WEFT_TRY(Question found, find(owner, id));
  if (is_open(found)) return found;
  return conflict("question " + id + " is " + std::string(to_string(found.stage)) + " already");
}

Result<Question> QuestionQueue::with_answer(Question made, const std::string& text) const {
  if (made.expires <= clock_.now()) return conflict("question " + made.id + " has expired");
  const auto chosen = chosen_option(made.choices, text);
  // Where somebody asks for one and gives no choices, any answer is one.
  const bool fixed =
      (made.kind == QuestionKind::kApproval || made.kind == QuestionKind::kUnknownOutcome) && !made.choices.empty();
  if (fixed && !chosen) {
    std::string words;
    for (const std::string& one : made.choices) words += (words.empty() ? "" : ", ") + one;
    return invalid_argument("\"" + preview(text, kShown) + "\" is none of the answers", "use one of: " + words);
  }
  made.answer = chosen ? made.choices[*chosen] : std::string(trimmed(text));
  made.stage = QuestionStage::kAnswered;
  made.answered = clock_.now();
  return made;
}

Result<Question> QuestionQueue::check_answer(const std::string& owner, const std::string& id,
                                             const std::string& text) const {
  if (trimmed(text).empty()) return invalid_argument("question " + id + ": the answer is empty");
  if (text.size() > kLongestAnswer) return too_large("question " + id + ": the answer is too long");
  WEFT_TRY(Question open, open_question(owner, id));
  return with_answer(std::move(open), text);
}

Result<Question> QuestionQueue::answer(const std::string& owner, const std::string& id, const std::string& text,
                                       WriteBatch with) {
  const auto lock = locks_.of(owner);
  const std::lock_guard held(*lock);
  WEFT_TRY(const Question made, check_answer(owner, id, text));
  WEFT_CHECK(end(made, std::move(with)));
  return made;
}

Status QuestionQueue::settle(const std::string& owner, const std::string& id, const std::string& text, bool timed_out,
                             WriteBatch with) {
  const auto lock = locks_.of(owner);
  const std::lock_guard held(*lock);
  WEFT_TRY(const auto found, waiting_.find(ScopeKey(owner), id));
  if (!found) return {};
  Question settled = found->value.question;
  settled.stage = timed_out ? QuestionStage::kExpired : QuestionStage::kAnswered;
  if (!timed_out) settled.answer = text, settled.answered = clock_.now();
  return end(settled, std::move(with));
}

Result<Question> QuestionQueue::find(const std::string& owner, const std::string& id) const {
  WEFT_TRY(auto waits, waiting_.find(ScopeKey(owner), id));
  if (waits) return std::move(waits->value.question);
  WEFT_TRY(auto ended, past_.find(ScopeKey(owner), id));
  if (ended) return std::move(ended->value);
  return no_question(id);
}

Result<Question> QuestionQueue::withdraw(const std::string& owner, const std::string& id) {
  const auto lock = locks_.of(owner);
  const std::lock_guard held(*lock);
  WEFT_TRY(Question open, open_question(owner, id));
  open.stage = QuestionStage::kWithdrawn;
  WEFT_CHECK(end(open));
  return open;
}

Result<std::vector<Question>> QuestionQueue::overdue() const {
  WEFT_TRY(auto all, waiting_.since({}));
  std::vector<Question> over;
  for (Waiting& one : all)
    if (one.value.question.expires <= clock_.now()) over.push_back(std::move(one.value.question));
  return over;
}

Result<std::optional<Time>> QuestionQueue::next_expiry() const {
  WEFT_TRY(const auto all, waiting_.since({}));
  std::optional<Time> next;
  for (const Waiting& one : all)
    if (!next || one.value.question.expires < *next) next = one.value.question.expires;
  return next;
}

Result<std::vector<Question>> QuestionQueue::questions(const std::string& owner) const {
  return newest(owner, KeptRecords<Question>::kAll);
}

Result<std::vector<Question>> QuestionQueue::newest(const std::string& owner, std::size_t others) const {
  WEFT_TRY(auto waiting, waiting_.latest(ScopeKey(owner)));
  WEFT_TRY(auto past, past_.latest(ScopeKey(owner), others));
  std::vector<Question> all;
  for (auto& one : waiting) all.push_back(std::move(one.value.question));
  for (auto& one : past) all.push_back(std::move(one.value));
  const auto place = [](const Question& one) { return std::tuple(one.created.ms, one.id.size(), one.id); };
  std::sort(all.begin(), all.end(), [&](const Question& a, const Question& b) { return place(a) < place(b); });
  return all;
}

Result<std::vector<Question>> QuestionQueue::made_of(const ErasedMessages& gone,
                                                     const std::set<std::string>& asked) const {
  WEFT_TRY(auto all, questions(gone.scope.str()));
  std::erase_if(all, [&](const Question& one) { return !comes_of(one, gone, asked); });
  return all;
}

Status QuestionQueue::erase(const ErasedMessages& gone, const std::set<std::string>& asked) {
  const auto lock = locks_.of(gone.scope.str());
  const std::lock_guard held(*lock);
  WriteBatch batch;
  if (gone.everything) {
    waiting_.remove_all(gone.scope, batch);
    past_.remove_all(gone.scope, batch);
    numbers_.remove_all(gone.scope, batch);
  } else {
    WEFT_TRY(const auto all, made_of(gone, asked));
    for (const Question& one : all) {
      waiting_.remove(gone.scope, one.id, batch);
      past_.remove(gone.scope, one.id, batch);
    }
  }
  return batch.empty() ? Status() : store_.write(batch);
}

}  // namespace weft
