#include "growth/question_queue.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "base/strings.h"
#include "growth/preference_signs.h"
#include "model/growth_records.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::int64_t kMinuteMs = 60'000;
constexpr std::int64_t kEnoughMessages = 40;
constexpr double kHardly = 0.25;
constexpr std::size_t kShown = 80;
constexpr std::size_t kLongestQuestion = 8000, kLongestAnswer = 100'000;
constexpr std::string_view kReleased = "released ";

bool is_open(const Question& one) { return one.stage == QuestionStage::kQueued || one.stage == QuestionStage::kAsked; }

// Urgent ones first, of these the ones that are easy to answer, of these the oldest.
bool comes_before(const Question& a, const Question& b) {
  if (a.urgency != b.urgency) return a.urgency > b.urgency;
  if (a.choices.empty() != b.choices.empty()) return !a.choices.empty();
  return a.created < b.created;
}

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

// With its time, since a number comes again where the question that had it was erased.
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

Result<std::unique_ptr<QuestionQueue>> QuestionQueue::open(FileSystem& files, const GrowthFiles& places,
                                                           const Clock& clock, const AdaptationSettings& settings,
                                                           Activity activity) {
  std::unique_ptr<QuestionQueue> queue(
      new QuestionQueue(files, places.questions(), clock, settings, std::move(activity)));
  // The file is made when there is something to keep.
  if (files.read(queue->path_).ok()) WEFT_CHECK(queue->open_log());
  return queue;
}

Status QuestionQueue::open_log() {
  if (log_) return {};
  WEFT_TRY(log_, LineLog::open(files_, path_, [this](std::string_view line) { replay(line); }));
  return {};
}

void QuestionQueue::replay(std::string_view line) {
  if (line.starts_with(kReleased)) {
    released_.emplace(line.substr(kReleased.size()));
    return;
  }
  auto read = parse_record<Question>(line, path_.filename().string());
  if (!read.ok()) {
    log_warning("questions.read", read.error().message);  // a line that somebody changed takes no other with it
    return;
  }
  const auto digits = read->id.find_first_of("0123456789");
  if (digits != std::string::npos) last_id_ = std::max<std::int64_t>(last_id_, std::atoll(read->id.c_str() + digits));
  if (!is_open(*read)) released_.erase(read->id);
  all_[read->id] = std::move(read).value();
}

// Written first: what a caller is told is on disk.
Status QuestionQueue::keep(const Question& question) {
  WEFT_CHECK(open_log());
  WEFT_CHECK(log_->append(to_json(question)));
  if (!is_open(question)) released_.erase(question.id);
  all_[question.id] = question;
  return {};
}

Result<Question> QuestionQueue::ask(Question question) {
  if (trimmed(question.text).empty() || question.owner.empty())
    return invalid_argument("question: it needs a text and an owner");
  if (question.text.size() > kLongestQuestion) return too_large("question: its text is too long", "ask one thing");
  const std::lock_guard lock(mutex_);
  for (const auto& [id, one] : all_)
    if (is_open(one) && one.owner == question.owner && one.text == question.text && one.run == question.run) return one;
  question.id = fmt::format("q{:06}", ++last_id_);
  question.stage = QuestionStage::kQueued;
  question.created = clock_.now();
  question.asked = question.answered = {};
  question.answer.clear();
  if (question.expires.ms == 0) {
    question.expires = question.created;
    question.expires.ms += settings_.answer_minutes * kMinuteMs;
  }
  WEFT_CHECK(keep(question));
  return question;
}

Question* QuestionQueue::best(const std::string& owner, bool urgent_only) {
  Question* found = nullptr;
  for (auto& [id, one] : all_) {
    if (one.owner != owner || one.stage != QuestionStage::kQueued) continue;
    if (urgent_only ? one.urgency != Grade::kHigh : !released_.contains(id)) continue;
    if (found == nullptr || comes_before(one, *found)) found = &one;
  }
  return found;
}

bool QuestionQueue::batch_is_due(const std::string& owner) const {
  std::int64_t waiting = 0;
  bool long_ago = false;
  for (const auto& [id, one] : all_) {
    if (one.owner != owner || one.stage != QuestionStage::kQueued) continue;
    ++waiting;
    long_ago = long_ago || clock_.now().ms - one.created.ms >= settings_.batch_minutes * kMinuteMs;
  }
  return waiting > 0 && (long_ago || waiting >= settings_.batch);
}

Status QuestionQueue::release(const std::string& owner) {
  for (const auto& [id, one] : all_) {
    if (one.owner != owner || one.stage != QuestionStage::kQueued || released_.contains(id)) continue;
    WEFT_CHECK(log_->append(std::string(kReleased) + id));
    released_.insert(id);
  }
  return {};
}

Result<std::optional<Question>> QuestionQueue::next(const std::string& owner) {
  const bool quiet = settings_.quiet_hours && activity_ && activity_(owner).is_quiet(clock_.now());
  const std::lock_guard lock(mutex_);
  const Time now = clock_.now();
  for (const auto& [id, one] : all_)
    if (one.owner == owner && one.stage == QuestionStage::kAsked && one.expires > now) return std::optional(one);
  Question* found = best(owner, true);
  if (found == nullptr && !quiet) {
    if (best(owner, false) == nullptr && batch_is_due(owner)) WEFT_CHECK(release(owner));
    found = best(owner, false);
  }
  if (found == nullptr || found->expires <= now) return std::optional<Question>();
  Question asked = *found;
  asked.stage = QuestionStage::kAsked;
  asked.asked = now;
  WEFT_CHECK(keep(asked));
  return std::optional(asked);
}

Result<const Question*> QuestionQueue::open_question(const std::string& owner, const std::string& id) const {
  const auto at = all_.find(id);
  if (at == all_.end() || at->second.owner != owner) return no_question(id);
  if (!is_open(at->second))
    return conflict("question " + id + " is " + std::string(to_string(at->second.stage)) + " already");
  return &at->second;
}

Result<Question> QuestionQueue::answered(const std::string& owner, const std::string& id,
                                         const std::string& text) const {
  if (trimmed(text).empty()) return invalid_argument("question " + id + ": the answer is empty");
  if (text.size() > kLongestAnswer) return too_large("question " + id + ": the answer is too long");
  WEFT_TRY(const Question* open, open_question(owner, id));
  Question made = *open;
  if (made.expires <= clock_.now()) return conflict("question " + id + " has expired");
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
  const std::lock_guard lock(mutex_);
  return answered(owner, id, text);
}

Result<Question> QuestionQueue::answer(const std::string& owner, const std::string& id, const std::string& text) {
  const std::lock_guard lock(mutex_);
  WEFT_TRY(const Question made, answered(owner, id, text));
  WEFT_CHECK(keep(made));
  return made;
}

Status QuestionQueue::settle(const std::string& id, const std::string& text, bool timed_out) {
  const std::lock_guard lock(mutex_);
  const auto at = all_.find(id);
  if (at == all_.end() || !is_open(at->second)) return {};
  Question settled = at->second;
  settled.stage = timed_out ? QuestionStage::kExpired : QuestionStage::kAnswered;
  if (!timed_out) settled.answer = text, settled.answered = clock_.now();
  return keep(settled);
}

Result<Question> QuestionQueue::find(const std::string& owner, const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto at = all_.find(id);
  if (at == all_.end() || at->second.owner != owner) return no_question(id);
  return at->second;
}

Result<Question> QuestionQueue::withdraw(const std::string& owner, const std::string& id) {
  const std::lock_guard lock(mutex_);
  WEFT_TRY(const Question* open, open_question(owner, id));
  Question gone = *open;
  gone.stage = QuestionStage::kWithdrawn;
  WEFT_CHECK(keep(gone));
  return gone;
}

Result<std::vector<Question>> QuestionQueue::expire() {
  const std::lock_guard lock(mutex_);
  std::vector<Question> over;
  for (const auto& [id, one] : all_)
    if (is_open(one) && one.expires <= clock_.now()) over.push_back(one);
  for (Question& one : over) {
    one.stage = QuestionStage::kExpired;
    WEFT_CHECK(keep(one));
  }
  return over;
}

std::optional<Time> QuestionQueue::next_expiry() const {
  const std::lock_guard lock(mutex_);
  std::optional<Time> next;
  for (const auto& [id, one] : all_)
    if (is_open(one) && (!next || one.expires < *next)) next = one.expires;
  return next;
}

std::vector<Question> QuestionQueue::questions(const std::string& owner) const {
  const std::lock_guard lock(mutex_);
  std::vector<Question> own;
  for (const auto& [id, one] : all_)
    if (one.owner == owner) own.push_back(one);
  return own;
}

std::vector<Question> QuestionQueue::made_of(const ErasedMessages& gone, const std::set<std::string>& asked) const {
  const std::lock_guard lock(mutex_);
  std::vector<Question> made;
  for (const auto& [id, one] : all_)
    if (comes_of(one, gone, asked)) made.push_back(one);
  return made;
}

// The file is written anew: what a question was asked as, and how it was answered, stands in several lines.
Status QuestionQueue::erase(const ErasedMessages& gone, const std::set<std::string>& asked) {
  const std::lock_guard lock(mutex_);
  std::string kept;
  std::map<std::string, Question> others;
  for (const auto& [id, one] : all_) {
    if (comes_of(one, gone, asked)) continue;
    kept += to_json(one) + "\n";
    if (released_.contains(id)) kept += std::string(kReleased) + id + "\n";
    others[id] = one;
  }
  if (others.size() == all_.size()) return {};
  log_.reset();
  WEFT_CHECK(write_file(files_, path_, kept, true));
  all_ = std::move(others);
  std::erase_if(released_, [this](const std::string& id) { return !all_.contains(id); });
  return {};
}

}  // namespace weft
