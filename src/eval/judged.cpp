#include "eval/judged.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/strings.h"
#include "eval/facts.h"
#include "eval/json_lines.h"
#include "flow/historian/absolutise.h"
#include "text/json.h"
#include "text/time_expressions.h"
#include "text/words.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::size_t kEarlier = 6;  // messages, as three blocks hold them

struct Judged {
  std::string word;
  std::vector<std::string> means;
};

struct Case {
  std::string source, dialogue;
  std::size_t turn = 0;
  Time spoken;
  std::vector<Judged> judged;
  std::vector<std::string> open;
};

Result<Case> read_case(const Json& json) {
  try {
    Case out{json.at("source").get<std::string>(),
             json.at("dialogue").get<std::string>(),
             json.at("turn").get<std::size_t>(),
             {},
             {},
             {}};
    WEFT_TRY(out.spoken, parse_time(json.at("spoken").get<std::string>()));
    for (const Json& one : json.at("judged"))
      out.judged.push_back({one.at("word").get<std::string>(), one.at("means").get<std::vector<std::string>>()});
    for (const Json& one : json.value("open", Json::array()))
      out.open.push_back(one.is_string() ? one.get<std::string>() : one.at("word").get<std::string>());
    return out;
  } catch (const Json::exception& error) {
    return invalid_argument(error.what(), R"(each line needs "source", "dialogue", "turn", "spoken", "judged")");
  }
}

bool tells_time(const Judged& judged) {
  return std::any_of(judged.means.begin(), judged.means.end(), [](const std::string& meaning) {
    const std::string bare = meaning.substr(meaning.starts_with("~") ? 1 : 0, 4);
    return bare.size() == 4 && std::all_of(bare.begin(), bare.end(), [](char c) { return c >= '0' && c <= '9'; });
  });
}

struct Days {
  std::int64_t from = 0, to = 0;  ///< days since 1970, end exclusive
};

std::int64_t day_number(int year, unsigned month, unsigned day) {
  using namespace std::chrono;
  return sys_days(std::chrono::year(year) / month / day).time_since_epoch().count();
}

// "2026", "2026-05", "2026-W07", "2026-05-04…", "2026-SU", "2026-Q3".
std::optional<Days> days_of_date(std::string_view date) {
  const auto number = [&](std::size_t at, std::size_t length) {
    return date.size() >= at + length ? std::atoi(std::string(date.substr(at, length)).c_str()) : 0;
  };
  const int year = number(0, 4);
  const auto months = [&](int first, int count) {
    const int last = first + count - 1;
    return Days{day_number(year, static_cast<unsigned>(first), 1),
                day_number(year + last / 12, static_cast<unsigned>(last % 12 + 1), 1)};
  };
  if (date.size() == 4) return months(1, 12);
  if (date.size() < 7) return std::nullopt;
  const std::string_view rest = date.substr(5);
  if (rest.starts_with("W")) {
    const std::int64_t fourth = day_number(year, 1, 4), monday = fourth - (fourth + 3) % 7;
    return Days{monday + (number(6, 2) - 1) * 7, monday + number(6, 2) * 7};
  }
  if (rest.starts_with("Q")) return months(number(6, 1) * 3 - 2, 3);
  constexpr std::array<std::pair<std::string_view, int>, 4> kSeasons{{{"SP", 3}, {"SU", 6}, {"FA", 9}, {"WI", 12}}};
  for (const auto& [season, first] : kSeasons)
    if (rest == season) return months(first, 3);
  if (date.size() == 7) return months(number(5, 2), 1);
  const std::int64_t day = day_number(year, static_cast<unsigned>(number(5, 2)), static_cast<unsigned>(number(8, 2)));
  return Days{day, day + 1};
}

/// The year and month in which a season begins that is exactly these days: three months, or from a solstice or an
/// equinox to the next, which fall on the 20th to 24th. Nothing for other days.
std::optional<std::pair<int, unsigned>> season_of(const Days& days) {
  using namespace std::chrono;
  const year_month_day begin{sys_days(std::chrono::days(days.from))}, end{sys_days(std::chrono::days(days.to))};
  const auto turns = [](const year_month_day& at) { return at.day() >= day(20) && at.day() <= day(24); };
  const bool months = begin.day() == day(1) && end.day() == day(1);
  if (!months && !(turns(begin) && turns(end))) return std::nullopt;
  const year_month first = begin.year() / begin.month();
  if (static_cast<unsigned>(begin.month()) % 3 != 0 || end.year() / end.month() != first + std::chrono::months(3))
    return std::nullopt;
  return std::pair(static_cast<int>(begin.year()), static_cast<unsigned>(begin.month()));
}

bool same_days(const Days& told, std::string_view meaning) {
  const bool about = meaning.starts_with("~");
  if (about) meaning.remove_prefix(1);
  const auto slash = meaning.find('/');
  auto from = days_of_date(meaning.substr(0, slash));
  if (!from) return false;
  std::vector<Days> readings{*from};
  if (slash != std::string_view::npos) {
    const auto last = days_of_date(meaning.substr(slash + 1));
    if (!last) return false;
    readings = {{from->from, last->from}, {from->from, last->to}};
  }
  return std::any_of(readings.begin(), readings.end(), [&](const Days& days) {
    // A season may be reckoned by its months or by the sun: by definition the same one.
    if (const auto season = season_of(days); season && season == season_of(told)) return true;
    if (about) return told.from < days.to + 1 && days.from - 1 < told.to;
    return told.from == days.from && told.to == days.to;
  });
}

std::string plain_name(std::string_view name) {
  std::string out = lowered(name);
  for (const std::string_view lead : {"the user's ", "用户的", "the ", "a ", "my ", "your ", "our "})
    if (out.starts_with(lead)) out = out.substr(lead.size());
  for (const std::string_view end : {"'s", "’s", "'"})
    if (out.ends_with(end)) out.resize(out.size() - end.size());
  return out;
}

// One of the names, or a wording that holds one as a whole: "the user's brother Tom" for "Tom".
bool same_person(std::string_view told, std::string_view meaning) {
  const std::string a = plain_name(told), b = plain_name(meaning);
  if (a == b) return true;
  const auto holds = [](const std::string& whole, const std::string& part) {
    const auto at = whole.find(part);
    if (part.empty() || at == std::string::npos) return false;
    if (static_cast<unsigned char>(part[0]) >= 0x80) return true;
    const bool begins = at == 0 || whole[at - 1] == ' ';
    const bool ends = at + part.size() == whole.size() || whole[at + part.size()] == ' ';
    return begins && ends;
  };
  return holds(a, b) || holds(b, a);
}

class Judge {
 public:
  explicit Judge(const JudgedOptions& options) : options_(options), dialogues_(options.data) {}

  Status add(const Case& one) {
    WEFT_TRY(const SaidDialogue* dialogue, dialogues_.find(one.source, one.dialogue, one.turn));
    const SaidTurn& message = (*dialogue)[one.turn];
    const Speech speech = speech_of(*dialogue, one);
    const Absolute told = absolutise(message.text, speech);
    std::vector<bool> used(told.changes.size());
    for (const Judged& judged : one.judged) {
      const bool time = tells_time(judged);
      JudgedCounts& counts = report_.by_source[set_of_source(one.source)][time ? 0 : 1];
      const auto at = place_of(told, used, judged.word, time);
      if (at == used.size() && !time && told_before(one, judged, told, message.text)) {
        ++counts.right;
        continue;
      }
      if (at == used.size()) {
        miss(one, "none ", judged, {}, message.text);
        ++counts.open;
        continue;
      }
      used[at] = true;
      const Change& change = told.changes[at];
      const bool right = fits(one, judged, change);
      ++(!change.sure ? counts.open : right ? counts.right : counts.wrong);
      if (!change.sure || !right) miss(one, change.sure ? "WRONG" : "some ", judged, change, message.text);
    }
    for (std::size_t i = 0; i < used.size(); ++i) {
      const Change& change = told.changes[i];
      const bool person = change.kind == ChangeKind::kPerson;
      if (used[i] || !change.sure || !(person || change.kind == ChangeKind::kTime)) continue;
      // Said twice, judged once.
      const bool again = std::any_of(one.judged.begin(), one.judged.end(), [&](const Judged& judged) {
        return lowered(judged.word) == lowered(change.what) && fits(one, judged, change);
      });
      if (again) continue;
      const bool open = std::any_of(one.open.begin(), one.open.end(),
                                    [&](const std::string& word) { return touches(change.what, word); });
      // Words that were left unjudged on purpose have no right meaning: only persons must not be guessed there.
      if (open && !person) continue;
      ++report_.by_source[set_of_source(one.source)][person ? 1 : 0].unjudged;
      miss(one, "EXTRA", {change.what, {}}, change, message.text);
    }
    return {};
  }

  JudgedReport take() { return std::move(report_); }

 private:
  static bool fits(const Case& one, const Judged& judged, const Change& change) {
    const bool time = tells_time(judged);
    return std::any_of(judged.means.begin(), judged.means.end(), [&](const std::string& meaning) {
      return time ? same_time(one.spoken, change, meaning) : same_person(change.by, meaning);
    });
  }

  // Beside the first pronoun of a sentence it is told whom those that follow mean.
  static bool told_before(const Case& one, const Judged& judged, const Absolute& told, std::string_view text) {
    return std::any_of(told.changes.begin(), told.changes.end(), [&](const Change& change) {
      if (change.kind != ChangeKind::kPerson || !change.sure || !fits(one, judged, change)) return false;
      std::size_t end = text.size();
      for (const std::string_view mark : {". ", "! ", "? ", "。", "！", "？", "\n"})
        end = std::min(end, text.find(mark, change.end));
      const std::string rest = " " + lowered(text.substr(change.end, end - change.end)) + " ";
      const std::string word = lowered(judged.word);
      const auto at = rest.find(word);
      if (at == std::string::npos) return false;
      const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
      return static_cast<unsigned char>(word[0]) >= 0x80 || (!letter(rest[at - 1]) && !letter(rest[at + word.size()]));
    });
  }

  static bool touches(const std::string& what, const std::string& word) {
    return what.find(word) != std::string::npos || word.find(what) != std::string::npos;
  }

  static Person person_of(const SaidTurn& message, bool chinese) {
    if (!message.name.empty()) return {"", message.name};
    if (message.role == "assistant") return {"", chinese ? "助手" : "the assistant"};
    return {"", chinese ? "用户" : "the user"};
  }

  static Speech speech_of(const SaidDialogue& dialogue, const Case& one) {
    const SaidTurn& message = dialogue[one.turn];
    const bool chinese = language_of(message.text) == Language::kChinese;
    Speech speech;
    speech.name_speakers = false;
    speech.sender = person_of(message, chinese);
    speech.time = one.spoken;
    std::set<std::string> named;
    for (std::size_t i = one.turn > kEarlier ? one.turn - kEarlier : 0; i <= one.turn; ++i) {
      if (!dialogue[i].name.empty() && named.insert(dialogue[i].name).second)
        speech.participants.push_back({"", dialogue[i].name});
      if (i == one.turn || dialogue[i].text.empty()) continue;
      speech.earlier.push_back({person_of(dialogue[i], chinese).name, dialogue[i].text});
    }
    if (named.size() < 2)
      speech.addressee = person_of({message.role == "assistant" ? "user" : "assistant", "", ""}, chinese);
    return speech;
  }

  static std::size_t place_of(const Absolute& told, const std::vector<bool>& used, const std::string& word, bool time) {
    std::size_t at = 0;
    for (; at < used.size(); ++at) {
      const Change& change = told.changes[at];
      if (used[at] || (change.kind == ChangeKind::kTime) != time) continue;
      const std::string a = lowered(change.what), b = lowered(word);
      if (time ? touches(a, b) : a == b) break;
    }
    return at;
  }

  // What is told is read as a stranger would: by itself.
  static bool same_time(Time spoken, const Change& change, const std::string& meaning) {
    for (const TimeExpression& time : find_time_expressions(change.by, spoken)) {
      if (!time.from_ms || !time.to_ms) continue;
      const auto day = [&](std::int64_t ms, bool end) {
        const std::int64_t local = ms + spoken.offset_minutes * std::int64_t{60'000} - (end ? 1 : 0);
        return local / kDayMs + (end ? 1 : 0);
      };
      return same_days({day(*time.from_ms, false), std::max(day(*time.to_ms, true), day(*time.from_ms, false) + 1)},
                       meaning);
    }
    return false;
  }

  void miss(const Case& one, const std::string& kind, const Judged& judged, const Change& change,
            const std::string& text) {
    const auto& sets = options_.explain;
    if (std::find(sets.begin(), sets.end(), set_of_source(one.source)) == sets.end()) return;
    std::string line = kind + " " + judged.word + " = ";
    for (const std::string& meaning : judged.means) line += meaning + "; ";
    line += "told: " + (change.sure ? change.by : std::string("several")) + " | ";
    const auto at = text.find(judged.word);
    const std::size_t from = at == std::string::npos || at < 160 ? 0 : at - 160;
    line += text.substr(from, 260);
    std::replace(line.begin(), line.end(), '\n', ' ');
    report_.misses.push_back(std::move(line));
  }

  const JudgedOptions& options_;
  SaidDialogues dialogues_;
  JudgedReport report_;
};

}  // namespace

Result<JudgedReport> eval_judged(const std::vector<std::string>& files, const JudgedOptions& options) {
  Judge judge(options);
  for (const std::string& path : files) {
    WEFT_CHECK(each_json_line(path, [&](const Json& json, std::size_t) -> Status {
      WEFT_TRY(const auto one, read_case(json));
      return judge.add(one);
    }));
  }
  return judge.take();
}

std::string to_json(const JudgedReport& report) {
  nlohmann::ordered_json json;
  std::array<JudgedCounts, 2> sum;
  const auto write = [](const JudgedCounts& counts) {
    return nlohmann::ordered_json{{"right", counts.right},
                                  {"none_or_candidates", counts.open},
                                  {"wrong", counts.wrong},
                                  {"unjudged", counts.unjudged}};
  };
  for (const auto& [set, counts] : report.by_source) {
    json["by_set"][set] = {{"times", write(counts[0])}, {"persons", write(counts[1])}};
    for (std::size_t i = 0; i < 2; ++i) {
      sum[i].right += counts[i].right;
      sum[i].open += counts[i].open;
      sum[i].wrong += counts[i].wrong;
      sum[i].unjudged += counts[i].unjudged;
    }
  }
  json["times"] = write(sum[0]);
  json["persons"] = write(sum[1]);
  if (!report.misses.empty()) json["misses"] = report.misses;
  return write_json(json);
}

}  // namespace weft
