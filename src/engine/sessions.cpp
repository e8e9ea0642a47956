#include "engine/sessions.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <iterator>

#include "base/strings.h"
#include "flow/stream/conversation.h"
#include "text/small_talk.h"

namespace weft {
namespace {

// Of the keys of a scope's sessions, and of no others.
std::string scope_prefix(const ScopeKey& scope) { return std::to_string(scope.str().size()) + ":" + scope.str(); }

}  // namespace

std::shared_ptr<SessionTable::Entry> SessionTable::entry_of(const Key& key) {
  std::lock_guard lock(mutex_);
  if (const auto at = entries_.find(key); at != entries_.end()) {
    used_.splice(used_.begin(), used_, at->second.second);
    return at->second.first;
  }
  auto entry = std::make_shared<Entry>();
  auto& place = entries_[key];
  try {
    used_.push_front(key);
  } catch (...) {  // each entry has its place in the list, and the other way about
    entries_.erase(key);
    throw;
  }
  place = {entry, used_.begin()};
  // Only entries that nobody holds may go: two copies of one session would overwrite each other.
  for (auto oldest = std::prev(used_.end()); entries_.size() > capacity_ && oldest != used_.begin();) {
    const auto before = std::prev(oldest);
    const auto at = entries_.find(*oldest);
    if (at->second.first.use_count() == 1) {
      entries_.erase(at);
      used_.erase(oldest);
    }
    oldest = before;
  }
  return entry;
}

Status SessionTable::Held::refresh() {
  // Read before the rows: what changes meanwhile is read again next time.
  const std::uint64_t round = table_->round_ + entry_->round;
  if (entry_->restored == round) return {};
  entry_->restored = 0;
  WEFT_TRY(entry_->state, restore_session(table_->store_, entry_->scope, entry_->session));
  entry_->restored = round;
  return {};
}

void SessionTable::forget(const ScopeKey& scope) {
  const std::string begin = scope_prefix(scope);
  const std::lock_guard lock(mutex_);
  for (const auto& [key, place] : entries_)
    if (key.starts_with(begin)) ++place.first->round;
}

Result<SessionTable::Held> SessionTable::hold(const ScopeKey& scope, const SessionId& session) {
  Held held;
  held.table_ = this;
  held.entry_ = entry_of(scope_prefix(scope) + session.str());
  held.lock_ = std::unique_lock(held.entry_->mutex);
  held.entry_->scope = scope;
  held.entry_->session = session;
  WEFT_CHECK(held.refresh());
  return held;
}

namespace {

constexpr std::string_view kPrefix = "chat-";
constexpr std::size_t kMostRows = 32;        // of one beginning that are looked at, the newest ones
constexpr std::size_t kMostCandidates = 4;   // sessions whose whole branch is compared
constexpr std::size_t kSureOfEnd = 4;  // messages in common from which on a history without its beginning may edit
constexpr std::int64_t kAskAgainMs = 10 * 60 * 1000;  // so long a repeated opening asks for another answer

bool is_found_here(const SessionId& session) { return session.str().starts_with(kPrefix); }

bool contains(std::span<const SessionId> sessions, const SessionId& session) {
  return std::find(sessions.begin(), sessions.end(), session) != sessions.end();
}

bool has_answer(std::span<const HistoryMark> marks) {
  return std::any_of(marks.begin(), marks.end(), [](const HistoryMark& mark) { return mark.role == Role::kAssistant; });
}

std::size_t common(std::span<const PathNode> path, std::span<const HistoryMark> marks) {
  std::size_t length = 0;
  while (length < path.size() && length < marks.size() && path[length].digest == marks[length].digest) ++length;
  return length;
}

}  // namespace

Result<SessionId> Conversations::find(const ScopeKey& scope, std::span<const Message> spoken,
                                      std::vector<std::uint64_t> chains, std::span<const SessionId> busy) {
  const Search search{scope, spoken, busy, marks_of(spoken), std::move(chains)};
  WEFT_TRY(const auto begun, by_beginning(search));
  if (begun) return *begun;
  WEFT_TRY(const auto ended, by_end(search));
  if (ended) return *ended;
  return new_session(search);
}

// The longest beginning that is known decides alone: what parts from it earlier has less in common.
Result<std::optional<SessionId>> Conversations::by_beginning(const Search& search) {
  for (std::size_t known = search.chains.size(); known > 0; --known) {
    WEFT_TRY(auto rows, store_.messages().with_chain(search.scope, search.chains[known - 1], kMostRows));
    std::erase_if(
        rows, [&](const MessageRow& row) { return !is_found_here(row.session) || contains(search.busy, row.session); });
    if (rows.empty()) continue;
    WEFT_TRY(auto ends_here, by_head(search, rows));
    if (ends_here) return ends_here;
    std::vector<SessionId> tried;
    for (const MessageRow& row : rows) {
      if (contains(tried, row.session) || tried.size() == kMostCandidates) continue;
      tried.push_back(row.session);
      WEFT_TRY(const bool mine, is_branch_of(search, rows, row, known));
      if (mine) return std::optional(row.session);
    }
    return std::optional<SessionId>();
  }
  return std::optional<SessionId>();
}

// A conversation that ends with what is known of the history goes on with the rest of it.
Result<std::optional<SessionId>> Conversations::by_head(const Search& search, const std::vector<MessageRow>& rows) {
  for (const MessageRow& row : rows) {
    if (!row.active) continue;
    WEFT_TRY(const auto session, store_.streams().session(search.scope, row.session));
    if (session && session->head == row.seq) return std::optional(row.session);
  }
  return std::optional<SessionId>();
}

Result<bool> Conversations::is_branch_of(const Search& search, const std::vector<MessageRow>& rows,
                                         const MessageRow& row, std::size_t known) {
  std::vector<PathNode> path;
  {
    WEFT_TRY(auto held, sessions_.hold(search.scope, row.session));
    path = held->path;
  }
  const std::size_t living = common(path, search.marks);
  // On a branch that was left: another answer to the newest question is chosen again; what was asked stays.
  if (living < known) {
    const auto left = std::span(path).subspan(living);
    return std::none_of(left.begin(), left.end(), [](const PathNode& node) { return node.role == Role::kUser; });
  }
  // Only an answer is left whose question was erased, as its chain shows: the question is asked again.
  if (living > 0 && living + 1 == path.size() && living < search.marks.size()) {
    const PathNode &before = path[living - 1], &answer = path[living];
    const bool is_gap = answer.chain != chained(before.chain, answer.digest);
    if (is_gap && answer.role == Role::kAssistant && search.marks[living].role == Role::kUser) return true;
  }
  switch (relation_of(path, 0, living, search.marks)) {
    case Relation::kSame:
    case Relation::kContinues: return true;
    case Relation::kReplacesReply: {
      if (has_answer(search.marks)) return true;
      return asks_again(search, row.session);
    }
    // Where what stands before it was said more than once, two chats may have begun so, and this is the other one.
    case Relation::kReplacesTurn: return rows.size() == 1;
    case Relation::kOtherReply: {
      WEFT_TRY(const auto newest, store_.messages().recent(search.scope, row.session, 1));
      return !newest.empty() && is_edit_of(search.spoken[living].content, newest.back().message.content);
    }
    case Relation::kOther: break;
  }
  return false;
}

// A call that holds nothing but the opening of a chat which has been answered: another answer is asked for soon after
// the first one. A mere greeting opens another chat.
Result<bool> Conversations::asks_again(const Search& search, const SessionId& session) {
  const bool greeting = std::all_of(search.spoken.begin(), search.spoken.end(),
                                    [](const Message& message) { return is_empty_talk(message.content); });
  if (greeting) return false;
  WEFT_TRY(const auto newest, store_.messages().recent(search.scope, session, 1));
  return !newest.empty() && newest.back().message.time &&
         clock_.now().ms - newest.back().message.time->ms < kAskAgainMs;
}

// Clients drop the oldest messages of a long history, and messages of it may have been erased. Then its last answer
// leads to the conversation, and the messages before it have to be the ones that the conversation has before that
// answer.
Result<std::optional<SessionId>> Conversations::by_end(const Search& search) {
  const auto answer = std::find_if(search.marks.rbegin(), search.marks.rend(),
                                   [](const HistoryMark& mark) { return mark.role == Role::kAssistant; });
  if (answer == search.marks.rend() || search.marks.size() < 2) return std::optional<SessionId>();
  WEFT_TRY(const auto rows, store_.messages().with_digest(search.scope, answer->digest, kMostRows));
  std::vector<std::uint64_t> digests;
  for (const HistoryMark& mark : search.marks) digests.push_back(mark.digest);
  std::vector<SessionId> tried;
  for (const MessageRow& row : rows) {
    if (!is_found_here(row.session) || contains(search.busy, row.session)) continue;
    if (contains(tried, row.session) || tried.size() == kMostCandidates) continue;
    tried.push_back(row.session);
    WEFT_TRY(auto held, sessions_.hold(search.scope, row.session));
    const Alignment alignment = align_history(held->path, digests);
    if (alignment.known < 2) continue;
    const Relation relation = relation_of(held->path, alignment.offset, alignment.known, search.marks);
    const bool goes_on = relation == Relation::kSame || relation == Relation::kContinues;
    const bool replaces = relation == Relation::kReplacesReply || relation == Relation::kReplacesTurn;
    if (goes_on || (replaces && alignment.known >= kSureOfEnd)) return std::optional(row.session);
  }
  return std::optional<SessionId>();
}

// Named after how it begins, so that ids mean something to people who compare them.
Result<SessionId> Conversations::new_session(const Search& search) {
  const std::uint64_t opening = search.chains.empty() ? 0 : search.chains.front();
  const std::string key = search.scope.str() + "\n" + std::to_string(opening);
  const std::string base = fmt::format("{}{:016x}", kPrefix, XXH3_64bits(key.data(), key.size()));
  // Another server may give the same name at this moment.
  if (store_.is_shared()) return SessionId(base + "-" + random_hex(12));
  // As many sessions as begin so are taken; among very many the clock finds a free one at once.
  WEFT_TRY(const auto rows, store_.messages().with_chain(search.scope, opening, kMostRows));
  // Where something was erased nobody knows which numbers were given.
  WEFT_TRY(const std::string erased, store_.note(kLastRowNote));
  const bool few = rows.size() < kMostRows && erased.empty();
  std::size_t number = few ? rows.size() + 1 : static_cast<std::size_t>(clock_.now().ms);
  for (;; ++number) {
    const SessionId id(number <= 1 ? base : fmt::format("{}-{}", base, number));
    if (contains(search.busy, id)) continue;
    WEFT_TRY(const auto taken, store_.streams().session(search.scope, id));
    if (!taken) return id;
  }
}

namespace {

PrefixKept compare(const std::vector<PromptPiece>& now, const std::vector<PromptPiece>& last) {
  PrefixKept kept;
  for (const PromptPiece& piece : last) kept.last_bytes += static_cast<std::int64_t>(piece.text.size());
  for (std::size_t i = 0; i < last.size(); ++i) {
    if (i == now.size()) {
      kept.broken_by = last[i].section;
      break;
    }
    const std::string& a = now[i].text;
    const std::string& b = last[i].text;
    kept.equal_bytes += std::distance(a.begin(), std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first);
    if (a == b) continue;
    // What was there before and is not there now is the cause as much as what came in its place.
    kept.broken_by = now[i].section == last[i].section ? now[i].section : last[i].section + " → " + now[i].section;
    break;
  }
  return kept;
}

}  // namespace

StandingBlocks PromptMemory::blocks(const std::string& session) {
  const std::lock_guard lock(mutex_);
  const auto at = entries_.find(session);
  return at == entries_.end() ? StandingBlocks() : at->second.blocks;
}

PrefixKept PromptMemory::note(const std::string& session, StandingBlocks blocks, std::vector<PromptPiece> prompt) {
  std::lock_guard lock(mutex_);
  auto at = entries_.find(session);
  if (at == entries_.end()) {
    used_.push_front(session);
    at = entries_.emplace(session, Entry{{}, {}, used_.begin()}).first;
    if (entries_.size() > kSessions) {
      entries_.erase(used_.back());
      used_.pop_back();
    }
  } else {
    used_.splice(used_.begin(), used_, at->second.place);
  }
  Entry& entry = at->second;
  const PrefixKept kept = compare(prompt, entry.prompt);
  entry.blocks = std::move(blocks);
  entry.prompt = std::move(prompt);
  return kept;
}

std::vector<std::string> PromptMemory::recalled(const std::string& session) {
  std::vector<std::string> texts;
  for (TurnMemory& one : blocks(session).memories)
    if (!one.memory.text.empty()) texts.push_back(std::move(one.memory.text));
  return texts;
}

void PromptMemory::forget_memories(const std::string& sessions) {
  const std::lock_guard lock(mutex_);
  for (auto& [session, entry] : entries_)
    if (session.starts_with(sessions)) entry.blocks.memories.clear();
}

void PromptMemory::clear() {
  const std::lock_guard lock(mutex_);
  entries_.clear();
  used_.clear();
}

}  // namespace weft
