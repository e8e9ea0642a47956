#include "flow/historian/absolutise.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "flow/historian/antecedents.h"
#include "flow/historian/people.h"
#include "flow/historian/replace.h"
#include "flow/historian/resolve.h"

namespace weft {
namespace {

std::vector<std::string> names_of(const Speech& speech) {
  std::vector<std::string> names = People(speech, {}).names();
  for (const EarlierMessage& message : speech.earlier) {
    if (!message.speaker.empty() && std::find(names.begin(), names.end(), message.speaker) == names.end())
      names.push_back(message.speaker);
  }
  return names;
}

bool is_chinese(std::string_view text, std::size_t end) {
  return end > 0 && static_cast<unsigned char>(text[end - 1]) >= 0x80;
}

std::string either(const std::vector<std::string>& meant, bool chinese) {
  std::string text;
  for (std::size_t i = 0; i < meant.size(); ++i) {
    if (i > 0) text += i + 1 == meant.size() ? (chinese ? "或" : " or ") : (chinese ? "、" : ", ");
    text += meant[i];
  }
  return text;
}

// Sets meanings beside words. Who I and you are is told once a text, who he is once a sentence.
class Annotator {
 public:
  Annotator(TextAnalysis& analysis, std::vector<Resolution> resolutions)
      : analysis_(analysis), text_(analysis.text()), resolutions_(std::move(resolutions)) {
    std::stable_sort(resolutions_.begin(), resolutions_.end(),
                     [](const auto& a, const auto& b) { return a.begin < b.begin; });
  }

  Absolute run() {
    for (const Resolution& resolution : resolutions_) {
      const std::size_t end = behind(resolution);
      if (end < copied_ || resolution.begin < done_ || is_told(resolution)) continue;
      done_ = resolution.end;
      put(resolution, end);
    }
    out_.text += text_.substr(copied_);
    return std::move(out_);
  }

 private:
  void put(const Resolution& resolution, std::size_t end) {
    const bool chinese = is_chinese(text_, end);
    std::vector<std::string> meant = resolution.meant;
    const PronounForm form = resolution.reference.form;
    const bool owns = resolution.kind != ChangeKind::kTime && !chinese &&
                      (form == PronounForm::kDeterminer || form == PronounForm::kPossessive);
    if (owns)
      for (std::string& name : meant) name = possessive(name, resolution.plural);
    const std::string by = either(meant, chinese);
    out_.text += text_.substr(copied_, end - copied_);
    copied_ = end;
    const std::size_t begin = out_.text.size();
    out_.text += (chinese ? "[" : " [") + by + "]";
    out_.annotations.push_back({begin, out_.text.size()});
    out_.changes.push_back({resolution.begin, resolution.end, resolution.kind,
                            std::string(text_.substr(resolution.begin, resolution.end - resolution.begin)), by,
                            resolution.sure(), resolution.sure() ? std::vector<std::string>() : resolution.meant});
  }

  // Behind the whole word: "he's [Tom]", "yesterday's [21 November 2026]".
  std::size_t behind(const Resolution& resolution) {
    const LatinWords& words = analysis_.words();
    const auto next = std::lower_bound(words.begin(), words.end(), resolution.end,
                                       [](const LatinWord& word, std::size_t at) { return word.begin < at; });
    if (next == words.begin() || !std::prev(next)->is_word) return resolution.end;
    return std::max(resolution.end, std::prev(next)->end);
  }

  bool is_told(const Resolution& resolution) {
    if (resolution.kind == ChangeKind::kTime) return false;
    const bool speaker = resolution.kind == ChangeKind::kPerson && resolution.reference.person < 3;
    const std::size_t where = speaker ? 0 : sentence_of(resolution.begin);
    return !told_.emplace(where, resolution.reference.plural, either(resolution.meant, false)).second;
  }

  std::size_t sentence_of(std::size_t at) {
    const auto& sentences = analysis_.sentences();
    const auto found = std::lower_bound(sentences.begin(), sentences.end(), at,
                                        [](const Span& sentence, std::size_t place) { return sentence.end <= place; });
    return static_cast<std::size_t>(found - sentences.begin()) + 1;
  }

  TextAnalysis& analysis_;
  std::string_view text_;
  std::vector<Resolution> resolutions_;
  std::set<std::tuple<std::size_t, bool, std::string>> told_;
  Absolute out_;
  std::size_t copied_ = 0, done_ = 0;
};

}  // namespace

Absolute absolutise(std::string_view text, const Speech& speech) {
  TextAnalysis analysis(text, speech.time, names_of(speech));
  std::vector<Resolution> resolutions = resolve_references(analysis, speech);
  if (speech.style == Style::kReplace) {
    std::vector<Edit> edits;
    replace_times(analysis, edits);
    replace_english(analysis, resolutions, edits);
    replace_chinese(resolutions, edits);
    return apply_edits(text, std::move(edits));
  }
  auto times = resolve_times(analysis);
  resolutions.insert(resolutions.end(), std::make_move_iterator(times.begin()), std::make_move_iterator(times.end()));
  return Annotator(analysis, std::move(resolutions)).run();
}

std::string without(std::string_view text, const std::vector<TextSpan>& spans) {
  std::string out;
  std::size_t at = 0;
  for (const TextSpan& span : spans) {
    if (span.begin < at || span.end > text.size()) continue;
    out += text.substr(at, span.begin - at);
    at = span.end;
  }
  out += text.substr(at);
  return out;
}

}  // namespace weft
