#include <algorithm>
#include <array>

#include "flow/historian/absolutise_parts.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kHan = 3;  // bytes of a common Chinese character

bool starts_at(std::string_view text, std::size_t at, std::string_view what) {
  return at <= text.size() && text.compare(at, what.size(), what) == 0;
}

bool ends_before(std::string_view text, std::size_t at, std::string_view what) {
  return at >= what.size() && starts_at(text, at - what.size(), what);
}

class Editor {
 public:
  Editor(std::string_view text, const Speech& speech, Antecedents& antecedents, std::vector<Edit>& edits)
      : text_(text),
        speech_(speech),
        people_(speech, text, Language::kChinese),
        antecedents_(antecedents),
        edits_(edits) {}

  void run(const std::vector<Reference>& references) {
    for (const Reference& reference : references) {
      antecedents_.advance(reference.begin);
      switch (reference.kind) {
        case ReferenceKind::kHere: here(reference); break;
        case ReferenceKind::kThere: there(reference); break;
        case ReferenceKind::kThing: thing(reference); break;
        case ReferenceKind::kAny:
        case ReferenceKind::kPerson: person(reference); break;
      }
    }
  }

 private:
  void put(const Reference& reference, ChangeKind kind, const Meant& meant, std::string by) {
    Edit edit;
    edit.begin = reference.begin;
    edit.end = reference.end;
    edit.by = std::move(by);
    edit.kind = kind;
    edit.sure = meant.sure;
    edit.candidates = meant.candidates;
    edits_.push_back(std::move(edit));
  }

  void put(const Reference& reference, ChangeKind kind, const Meant& meant) {
    put(reference, kind, meant, meant.text + candidates_.remark(meant, Language::kChinese));
  }

  std::string_view written(const Reference& reference) const {
    return text_.substr(reference.begin, reference.end - reference.begin);
  }

  void person(const Reference& reference) {
    if (reference.person < 3) {
      if (speech_.name_speakers) speaker(reference);
      return;
    }
    const std::string_view word = written(reference);
    if (word == "这位" || word == "那位") return pointed(reference);
    auto fitting = antecedents_.find(MentionKind::kPerson, reference.plural, reference.gender, talkers());
    if (fitting.empty() && !reference.plural) {
      // Names in Latin letters may be anybody's; those of one to three words can be a person's.
      fitting = antecedents_.find(MentionKind::kThing, false, Gender::kUnknown, talkers());
      fitting.erase(
          std::remove_if(fitting.begin(), fitting.end(),
                         [](const Mention& m) { return !m.proper || static_cast<unsigned char>(m.text[0]) >= 0x80; }),
          fitting.end());
    }
    if (!reference.plural) return put(reference, ChangeKind::kPerson, meant_by(fitting, "某人", false));
    put(reference, ChangeKind::kPerson, meant_by(fitting, "有关人员", true));
  }

  // Who talks to each other is not "he".
  std::vector<std::string> talkers() const { return {people_.sender(), people_.addressee()}; }

  void speaker(const Reference& reference) {
    if (reference.person == 1 && !reference.plural) return put(reference, ChangeKind::kPerson, people_.me());
    if (reference.person == 1) {
      const Meant meant = people_.us(reference.inclusive);
      // 张三等人（可能包括李四）: the candidates are among the others.
      std::string by = meant.text + candidates_.remark(meant, Language::kChinese);
      if (const std::size_t at = by.find("（可能是"); at != std::string::npos) by.replace(at, 12, "（可能包括");
      return put(reference, ChangeKind::kPerson, meant, std::move(by));
    }
    put(reference, ChangeKind::kPerson, reference.plural ? people_.you_all() : people_.you());
  }

  // 这位老师 keeps its noun; 这位 alone is a person.
  void pointed(const Reference& reference) {
    std::size_t next = reference.end;
    const char32_t c = next < text_.size() ? next_code_point(text_, next) : 0;
    constexpr std::u32string_view kVerbs = U"是在有说叫就也都要会能可想去来，。！？的和呢吗";
    const bool noun = c != 0 && is_cjk(c) && kVerbs.find(c) == std::u32string_view::npos;
    if (noun) return put(reference, ChangeKind::kPerson, {"该", false, true, {}});
    const auto fitting = antecedents_.find(MentionKind::kPerson, false, Gender::kUnknown, talkers());
    put(reference, ChangeKind::kPerson, meant_by(fitting, "该人士", false));
  }

  void thing(const Reference& reference) {
    auto fitting = antecedents_.find(MentionKind::kThing, reference.plural, Gender::kUnknown, {});
    // What stands in the same clause is mostly said to be beside it, above it, part of it.
    fitting.erase(
        std::remove_if(fitting.begin(), fitting.end(),
                       [&](const Mention& m) { return m.distance == 0 && same_clause(m.end, reference.begin); }),
        fitting.end());
    const bool shop = starts_at(text_, reference.end, "家");  // 它家: a shop or a company
    if (shop) return put(reference, ChangeKind::kThing, {"该", false, false, {}});
    // Words of another language would be out of place; names and titles are at home everywhere.
    fitting.erase(
        std::remove_if(fitting.begin(), fitting.end(),
                       [](const Mention& m) { return !m.proper && static_cast<unsigned char>(m.text[0]) < 0x80; }),
        fitting.end());
    put(reference, ChangeKind::kThing, near(fitting, reference.plural ? "这些事物" : "该事物"));
  }

  bool same_clause(std::size_t begin, std::size_t end) const {
    constexpr std::size_t kLongest = 200;
    if (end > begin + kLongest) return false;
    const std::string_view between = text_.substr(begin, end - begin);
    constexpr auto kMarks = std::to_array<std::string_view>({"，", "。", "；", "！", "？", "\n"});
    return std::none_of(kMarks.begin(), kMarks.end(),
                        [&](auto mark) { return between.find(mark) != std::string_view::npos; });
  }

  // What another message named is a candidate, no more.
  static Meant near(const std::vector<Mention>& fitting, const std::string& fallback) {
    Meant meant = meant_by(fitting, fallback, false);
    if (meant.sure && fitting.front().distance > 0) meant = {fallback, false, false, {meant.text}};
    if (meant.candidates.size() > 2) meant.candidates.clear();
    return meant;
  }

  // 这里: where the message comes from; where that is not known it is left out with what leans on it.
  void here(const Reference& reference) {
    const std::string& place = speech_.place.empty() ? speech_.speaker_place : speech_.place;
    if (!place.empty()) return put(reference, ChangeKind::kPlace, {place, false, true, {}});
    leave_out(reference);
  }

  void leave_out(Reference reference) {
    constexpr auto kNeedsPlace =
        std::to_array<std::string_view>({"到", "离", "距", "于", "从", "往", "由", "来自", "距离", "住"});
    const Meant nothing{"", false, false, {}};
    const bool leans = std::any_of(kNeedsPlace.begin(), kNeedsPlace.end(),
                                   [&](auto word) { return ends_before(text_, reference.begin, word); });
    const std::string_view word = written(reference);
    // 我这里 is 张三处; 本地人, 本地的 and what needs a place get that of the speaker.
    if (ends_before(text_, reference.begin, "我") || ends_before(text_, reference.begin, "你"))
      return put(reference, ChangeKind::kPlace, {"处", false, true, {}});
    if (leans || word == "本地" || word == "此地" || word == "此处")
      return put(reference, ChangeKind::kPlace, whereabouts());
    if (ends_before(text_, reference.begin, "在") && !ends_before(text_, reference.begin, "现在") &&
        speech_begins_clause(reference))
      reference.begin -= kHan;
    if (starts_at(text_, reference.end, "的")) reference.end += kHan;
    if (only_word(reference)) return put(reference, ChangeKind::kPlace, whereabouts());
    put(reference, ChangeKind::kPlace, nothing, "");
  }

  // 在这里吃饭 loses 在这里; 书在这里 needs it.
  bool speech_begins_clause(const Reference& reference) const {
    if (reference.end >= text_.size()) return false;
    std::size_t next = reference.end;
    const char32_t c = next_code_point(text_, next);
    return is_cjk(c) && c != U'的' && c != U'了' && c != U'吗' && c != U'呢' && c != U'吧' && c != U'啊';
  }

  // Nothing would be left of the clause, or a verb would lose its end.
  bool only_word(const Reference& reference) const {
    std::size_t next = reference.end;
    const char32_t c = next < text_.size() ? next_code_point(text_, next) : 0;
    const bool at_end = c == 0 || !is_cjk(c) || c == U'了' || c == U'吗' || c == U'吧' || c == U'呢';
    return at_end && !ends_before(text_, reference.begin, "来") && !ends_before(text_, reference.begin, "去");
  }

  Meant whereabouts() const { return {people_.me().text + "所在地", false, false, {}}; }

  void there(const Reference& reference) {
    if (ends_before(text_, reference.begin, "我") || ends_before(text_, reference.begin, "你"))
      return put(reference, ChangeKind::kPlace, {"处", false, true, {}});
    const auto fitting = antecedents_.find(MentionKind::kPlace, false, Gender::kUnknown, {});
    put(reference, ChangeKind::kPlace, near(fitting, "该地"));
  }

  std::string_view text_;
  const Speech& speech_;
  People people_;
  Antecedents& antecedents_;
  std::vector<Edit>& edits_;
  Candidates candidates_;
};

// 你好 holds a listed character; 您好 greets as well.
void edit_greetings(std::string_view text, const std::vector<Span>& spans, std::vector<Edit>& edits) {
  constexpr std::string_view kGreeting = "你好";
  SpanCursor cursor(spans);
  for (std::size_t at = text.find(kGreeting); at != std::string_view::npos;
       at = text.find(kGreeting, at + kGreeting.size())) {
    if (cursor.covers(at, at + kGreeting.size())) continue;
    Edit edit;
    edit.begin = at;
    edit.end = at + kHan;
    edit.by = "您";
    edits.push_back(std::move(edit));
  }
}

// Words that pass by word but not by character, and what says the same.
void edit_listed_characters(std::string_view text, const std::vector<Span>& spans, std::vector<Edit>& edits) {
  struct Same {
    std::string_view word, by;
  };
  constexpr auto kSame = std::to_array<Same>({{"其他", "其余"},
                                              {"其它", "其余"},
                                              {"他人", "别人"},
                                              {"自我", "自身"},
                                              {"迷你", "小型"},
                                              {"他乡", "异乡"},
                                              {"利他", "利人"},
                                              {"排他", "独占"},
                                              {"他国", "别国"},
                                              {"他日", "日后"},
                                              {"忘我", "投入"}});
  for (const Same& same : kSame) {
    SpanCursor cursor(spans);
    for (std::size_t at = text.find(same.word); at != std::string_view::npos;
         at = text.find(same.word, at + same.word.size())) {
      if (cursor.covers(at, at + same.word.size())) continue;
      Edit edit;
      edit.begin = at;
      edit.end = at + same.word.size();
      edit.by = same.by;
      edit.listed = false;
      edits.push_back(std::move(edit));
    }
  }
}

}  // namespace

void edit_chinese(std::string_view text, const std::vector<Span>& spans, const Speech& speech, Antecedents& antecedents,
                  std::vector<Edit>& edits) {
  Editor(text, speech, antecedents, edits).run(find_chinese_references(text, spans));
  if (speech.name_speakers) edit_greetings(text, spans, edits);
  if (speech.avoid_listed_characters) edit_listed_characters(text, spans, edits);
}

}  // namespace weft
