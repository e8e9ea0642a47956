#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/threads.h"
#include "ports/index/scope_index.h"
#include "weft/memory.h"
#include "weft/time.h"

namespace weft {

/// Days of the calendar, since 1970-01-01, both ends inclusive.
struct DayRange {
  std::int32_t from = 0, to = 0;
  friend bool operator==(const DayRange&, const DayRange&) = default;
};

/// A day, month or year that a question names; without a year it means every year.
struct NamedDays {
  std::optional<int> year;
  int from_month = 1, from_day = 1, to_month = 12, to_day = 31;
  friend bool operator==(const NamedDays&, const NamedDays&) = default;
};

/// What a question says of days.
struct DaysAsked {
  /// The dates it names: "17 December 2022", "May 3rd", "in March", "2025-01-18", "in 2021"; "2025年1月18日",
  /// "3月上旬", "十一月初", "5月份". Words that merely look like a month ("may I", "march on") are left out.
  std::vector<NamedDays> named;
  /// Days up to now that are told in relation to it: "yesterday", "last week", "two months ago", "the past ten days";
  /// "昨天", "上周", "三个月前". What is told in months is meant to within half a month. None without a now.
  std::vector<DayRange> relative;
};

/// Reads a question once for both.
DaysAsked days_asked(std::string_view text, std::optional<Time> now);

/// The days meant, in every year between `first` and `last` where no year is named.
std::vector<DayRange> day_ranges(const NamedDays& named, std::int32_t first, std::int32_t last);

/// Days since 1970-01-01 of a date of the Gregorian calendar.
std::int32_t day_number(int year, int month, int day);

/// The year in which a day lies.
int year_of_day(std::int32_t day);

/// A question to one scope's index.
struct RecallQuery {
  std::string text;
  std::vector<float> vector;  ///< of `text_to_embed`, unit length; empty: words alone
  std::size_t top_k = 10;
  std::vector<ItemKind> kinds;  ///< empty: all
  std::optional<Time> from, to;  ///< bounds on the item's time, both inclusive
  std::optional<SessionId> session, not_session;
  std::size_t around = 0;  ///< rows of so many messages before and after each message are given
  std::optional<Time> now;  ///< what "yesterday" is counted from; without it such words only are words
};

/// A question as it is asked of every shelf: read once, whatever is looked through.
struct QueryText {
  struct Word {
    Term term = 0;
    bool chinese = false;
    bool character = false;  ///< a single Chinese one
  };

  std::vector<Word> words;  ///< in order, each once
  std::vector<WordsIndex::QueryTerm> terms;  ///< the same by their numbers, weighted by how often they stand there
  std::vector<NamedDays> days;
  std::vector<DayRange> ranges;  ///< days in relation to now
  bool chinese = false;  ///< mainly
  bool bare = false;  ///< without a word that counts: "of the"
  bool several = false;  ///< of several lines: a text, not a question
  bool personal = false;  ///< speaks of who asks: "my", "we", "我"
};

QueryText read_query(const RecallQuery& query);

/// Which speakers of a shelf a question names: their numbers there. The empty name is nobody.
std::vector<std::uint16_t> named_speakers(const RecallQuery& query, std::span<const std::string> speakers);

/// The question without the names of those who speak in the conversations. A message says its speaker's name nowhere,
/// but its hearer's often, so that with the name the vector of "When did Anna paint?" lies nearest to what others said
/// to Anna: on 997 questions about dialogues the share found among the first five by vectors alone was .15 with names
/// and .44 without. The text itself where little else would be left.
std::string text_to_embed(std::string_view text, std::span<const std::string> speakers);

/// Questions as they were read a moment ago. One prompt searches for the same words several times, from several
/// threads: for memories, lore, stories and events. Safe from any thread.
class QuestionReadings {
 public:
  /// As `read_query` says. A question that was read within the same minute is not read again: what it says of days is
  /// the same until then.
  std::shared_ptr<const QueryText> read(const RecallQuery& query);

  void clear();

 private:
  struct Read {
    std::uint64_t low = 0, high = 0;  ///< hash of the text, which is not kept
    std::int64_t minute = 0;  ///< of its now; -1: it has none
    int offset_minutes = 0;
    std::shared_ptr<const QueryText> as;
  };

  Sync<std::deque<Read>> newest_;
};

}  // namespace weft
