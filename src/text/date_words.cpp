#include "text/date_words.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/strings.h"

namespace weft {
namespace {

// Marks what this file makes; no word of a text holds it, because a control character is never part of a word.
constexpr char kMark = '\x01';

PlainWord made(char part, const std::string& value) { return {std::string{kMark, part} + value, WordKind::kNumber}; }

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit<char>);
}

// A number of at most four digits, else -1.
int small_number(std::string_view text) {
  constexpr std::size_t kDigits = 4;
  return all_digits(text) && text.size() <= kDigits ? std::atoi(std::string(text).c_str()) : -1;
}

int month_of(const std::string& word) {
  static const std::unordered_map<std::string_view, int> map = {
      {"january", 1}, {"february", 2}, {"march", 3},     {"april", 4},    {"may", 5},       {"june", 6},
      {"july", 7},    {"august", 8},   {"september", 9}, {"october", 10}, {"november", 11}, {"december", 12},
      {"jan", 1},     {"feb", 2},      {"mar", 3},       {"apr", 4},      {"jun", 6},       {"jul", 7},
      {"aug", 8},     {"sep", 9},      {"sept", 9},      {"oct", 10},     {"nov", 11},      {"dec", 12}};
  const auto entry = map.find(word);
  return entry == map.end() ? 0 : entry->second;
}

// Only beside a number these are months.
bool doubtful_month(const std::string& word) { return word == "may" || word == "march" || word == "mar"; }

int weekday_of(const std::string& word) {
  static const std::unordered_map<std::string_view, int> map = {
      {"monday", 1}, {"tuesday", 2}, {"wednesday", 3}, {"thursday", 4}, {"friday", 5}, {"saturday", 6}, {"sunday", 7}};
  const auto entry = map.find(word);
  return entry == map.end() ? 0 : entry->second;
}

class Folder {
 public:
  explicit Folder(const std::vector<PlainWord>& words) : words_(words) { out_.reserve(words.size()); }

  std::vector<PlainWord> fold() {
    while (at_ < words_.size()) {
      if (!numeric_date() && !clock() && !english_date() && !chinese_date() && !weekday())
        out_.push_back(words_[at_++]);
    }
    return std::move(out_);
  }

 private:
  const std::string& text(std::size_t ahead) const {
    static const std::string none;
    return at_ + ahead < words_.size() ? words_[at_ + ahead].text : none;
  }
  int number(std::size_t ahead) const {
    return at_ + ahead < words_.size() && words_[at_ + ahead].kind == WordKind::kNumber ? small_number(text(ahead))
                                                                                        : -1;
  }
  bool day(int value) const { return value >= 1 && value <= 31; }

  void give_date(int year, int month, int day_of_month, std::size_t used) {
    if (year > 0) out_.push_back(made('y', std::to_string(year)));
    if (month > 0) out_.push_back(made('m', std::to_string(month)));
    if (day_of_month > 0) out_.push_back(made('d', std::to_string(day_of_month)));
    at_ += used;
  }

  // 2024-03-05, 2024/3/5, 2024.3.5
  bool numeric_date() {
    const std::string& word = text(0);
    if (words_[at_].kind != WordKind::kNumber || word.size() < 8 || word.size() > 10) return false;
    const char sign = word[4];
    if (sign != '-' && sign != '/' && sign != '.') return false;
    const auto second = word.find(sign, 5);
    if (second == std::string::npos) return false;
    const int year = small_number(std::string_view(word).substr(0, 4));
    const int month = small_number(std::string_view(word).substr(5, second - 5));
    const int day_of_month = small_number(std::string_view(word).substr(second + 1));
    if (year < 0 || month < 1 || month > 12 || !day(day_of_month)) return false;
    give_date(year, month, day_of_month, 1);
    return true;
  }

  void give_clock(int hour, int minute, std::size_t used) {
    std::string minutes = std::to_string(minute);
    if (minutes.size() == 1) minutes.insert(0, "0");
    out_.push_back(made('t', std::to_string(hour) + ":" + minutes));
    at_ += used;
  }

  // "15:30" as hour and minute; a bare hour where `bare`.
  std::optional<std::pair<int, int>> hour_minute(const std::string& word, bool bare) const {
    const auto colon = word.find(':');
    if (colon == std::string::npos && !bare) return std::nullopt;
    const int hour = small_number(std::string_view(word).substr(0, colon));
    const int minute = colon == std::string::npos ? 0 : small_number(std::string_view(word).substr(colon + 1));
    if (hour < 0 || hour > 24 || minute < 0 || minute > 59) return std::nullopt;
    return std::pair(hour, minute);
  }

  // "3 pm", "15:30", 下午3点半
  bool clock() {
    if (words_[at_].kind == WordKind::kNumber) {
      const bool half_day = text(1) == "am" || text(1) == "pm";
      if (const auto time = hour_minute(text(0), half_day)) {
        const int hour = !half_day ? time->first : time->first % 12 + (text(1) == "pm" ? 12 : 0);
        give_clock(hour, time->second, half_day ? 2 : 1);
        return true;
      }
      return chinese_clock(0, 0);
    }
    static const std::unordered_map<std::string, int> parts = {{"凌晨", 0},  {"早上", 0},  {"上午", 0}, {"中午", 11},
                                                               {"下午", 12}, {"傍晚", 12}, {"晚上", 12}};
    const auto part = parts.find(text(0) + text(1));
    return part != parts.end() && words_[at_].kind == WordKind::kHan && chinese_clock(2, part->second);
  }

  // `add` hours belong to the part of the day before it, where the hour is one of twelve.
  bool chinese_clock(std::size_t ahead, int add) {
    if (ahead > 0 && text(ahead).find(':') != std::string::npos) {
      const auto time = hour_minute(text(ahead), false);
      if (!time) return false;
      give_clock(time->first + (add > 0 && time->first < 12 - (add == 11 ? 9 : 0) ? 12 : 0), time->second, ahead + 1);
      return true;
    }
    int hour = number(ahead);
    if (hour < 0 || hour > 24 || (text(ahead + 1) != "点" && text(ahead + 1) != "时")) return false;
    if (add > 0 && hour < (add == 11 ? 3 : 12)) hour += 12;
    if (ahead > 0 && hour == 12 && text(0) == "晚") hour = 24;
    if (ahead > 0 && hour == 12 && text(0) == "凌") hour = 0;
    std::size_t used = ahead + 2;
    int minute = 0;
    if (text(used) == "半") {
      minute = 30;
      ++used;
    } else if (const int after = number(used); after >= 0 && after <= 59) {
      minute = after;
      used += text(used + 1) == "分" ? 2 : 1;
    } else if (text(used) == "钟" || text(used) == "整") {
      ++used;
    }
    give_clock(hour, minute, used);
    return true;
  }

  // "March 5, 2024", "5 March 2024", "the 5th of March", "March 2024", "March"
  bool english_date() {
    int day_of_month = 0;
    std::size_t used = 0;
    if (day(number(0))) {
      used = text(1) == "of" ? 2 : 1;
      if (month_of(text(used)) == 0) return false;
      day_of_month = number(0);
    }
    const int month = month_of(text(used));
    if (month == 0) return false;
    const bool doubtful = doubtful_month(text(used)) && day_of_month == 0;
    ++used;
    if (day_of_month == 0 && day(number(used))) day_of_month = number(used++);
    std::size_t year_at = used;
    if (at_ + used < words_.size() && (words_[at_ + used].kind == WordKind::kComma || text(used) == "of")) ++year_at;
    const int year = number(year_at) >= 1000 ? number(year_at) : 0;
    if (year > 0) used = year_at + 1;
    if (doubtful && day_of_month == 0 && year == 0) return false;
    give_date(year, month, day_of_month, used);
    return true;
  }

  // 2024年3月5日, 3月5号, 2024年, 3月
  bool chinese_date() {
    if (words_[at_].kind != WordKind::kNumber) return false;
    std::size_t used = 0;
    int year = 0, month = 0, day_of_month = 0;
    if (number(0) >= 1000 && text(1) == "年") {
      year = number(0);
      used = 2;
    }
    if (const int value = number(used); value >= 1 && value <= 12 && text(used + 1) == "月") {
      month = value;
      used += 2;
      if (day(number(used)) && (text(used + 1) == "日" || text(used + 1) == "号")) {
        day_of_month = number(used);
        used += 2;
      }
    }
    if (used == 0) return false;
    give_date(year, month, day_of_month, used);
    return true;
  }

  bool weekday() {
    const std::string& word = text(0);
    if (const int value = weekday_of(word)) {
      out_.push_back(made('w', std::to_string(value)));
      ++at_;
      return true;
    }
    if (word.size() > 6 && word.back() == 's') {
      if (const int value = weekday_of(word.substr(0, word.size() - 1))) {
        out_.push_back(made('w', std::to_string(value) + "s"));
        ++at_;
        return true;
      }
    }
    return chinese_weekday();
  }

  bool chinese_weekday() {
    const std::string& word = text(0);
    std::size_t used = word == "周"                                                             ? 1
                       : (word == "星" && text(1) == "期") || (word == "礼" && text(1) == "拜") ? 2
                                                                                                : 0;
    if (used == 0) return false;
    const int value = text(used) == "日" || text(used) == "天" ? 7 : number(used);
    if (value < 1 || value > 7) return false;
    out_.push_back(made('w', std::to_string(value)));
    at_ += used + 1;
    return true;
  }

  const std::vector<PlainWord>& words_;
  std::size_t at_ = 0;
  std::vector<PlainWord> out_;
};

}  // namespace

std::vector<PlainWord> fold_dates(const std::vector<PlainWord>& words) { return Folder(words).fold(); }

bool is_date_word(const PlainWord& word) { return !word.text.empty() && word.text[0] == kMark; }

}  // namespace weft
