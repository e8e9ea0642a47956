#include "text/statement_words.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "text/date_words.h"
#include "text/numerals.h"
#include "text/small_talk.h"

namespace weft {
namespace {

using Words = std::vector<PlainWord>;

// Said before a statement, about the saying and not about the matter.
constexpr std::string_view kIntroductions =
    "by the way|btw|as i said|like i said|as i said before|as i said earlier|as i mentioned|as i mentioned before|"
    "as i mentioned earlier|as mentioned|as you know|as you may know|as i told you|i told you that|"
    "i already told you that|i already told you|i have told you that|i mentioned that|i already mentioned that|"
    "i said that|just so you know|so you know|fyi|for the record|for your information|to remind you|just a reminder|"
    "a reminder|remember that|please remember that|please remember|remember|note that|please note that|please "
    "note|note|"
    "keep in mind that|please keep in mind that|keep in mind|do not forget that|i want you to know that|"
    "i wanted to tell you that|i want to tell you that|let me tell you|you should know that|you know|i mean|"
    "in fact|to be honest|to tell the truth|of course|in other words|once again|anyway|actually|honestly|basically|"
    "well|oh|ah|um|uh|hmm|hey|so|and|but|also|again|ok|okay|yes|yeah|yep|right|sure|"
    "顺便说一下|顺便说一句|顺便提一下|顺便|对了|我说过|我之前说过|我以前说过|之前说过|我跟你说过|我和你说过|我告诉过你|"
    "我提到过|"
    "我之前提到过|我刚说过|如前所述|提醒一下|提醒你一下|再提醒一下|再说一遍|再说一次|请记住|请你记住|记住|记一下|"
    "请记一下|请注意|"
    "注意|别忘了|不要忘了|请别忘了|要知道|你知道的|你知道吗|告诉你|告诉你一下|跟你说|跟你说一下|跟你说一声|和你说一下|"
    "说一下|"
    "补充一下|补充一点|说实话|老实说|说真的|坦白说|其实|事实上|实际上|反正|总之|话说|另外|还有|嗯|哦|啊|噢|呃|那么|"
    "好的|是的|"
    "对|嗯嗯|当然";

// Behind a statement, before its end.
constexpr std::string_view kEndings =
    "too|as well|you know|by the way|btw|actually|though|of course|right|ok|again|please|thanks|thank you|haha|lol|"
    "啊|呀|吧|呢|嘛|哦|哈|啦|呗|哟|喔|噢|诶|欸|哒|谢谢|哈哈|哈哈哈|的说";

// Say nothing wherever they stand, unless negated.
constexpr std::string_view kWeightless =
    "a|an|the|really|very|truly|totally|absolutely|extremely|quite|actually|basically|honestly|literally|definitely|"
    "certainly|also|please|now|currently|at the moment|right now|at present|you know|very much|so much|"
    "很|非常|十分|真的|确实|的确|其实|超级|特别喜欢=喜欢|特别爱=爱|特别想=想|特别讨厌=讨厌|特别怕=怕|特别好=好|特别高="
    "高|"
    "挺喜欢=喜欢|挺爱=爱|挺好=好|挺讨厌=讨厌|现在|目前|如今";

// Other spellings and forms of the same word.
constexpr std::string_view kForms =
    "am=be|is=be|are=be|has=have|got to=have to|colour=color|colours=colors|favourite=favorite|favourites=favorites|"
    "neighbour=neighbor|neighbours=neighbors|flavour=flavor|honour=honor|behaviour=behavior|labour=labor|"
    "humour=humor|centre=center|theatre=theater|metre=meter|metres=meters|litre=liter|litres=liters|grey=gray|"
    "travelling=traveling|travelled=traveled|cancelled=canceled|programme=program|organise=organize|"
    "organised=organized|realise=realize|realised=realized|recognise=recognize|licence=license|practise=practice|"
    "cheque=check|jewellery=jewelry|pyjamas=pajamas|tyre=tire|tyres=tires|mum=mom|mummy=mom|learnt=learned|"
    "dreamt=dreamed|burnt=burned|spelt=spelled|tv=television|telephone=phone|bicycle=bike|"
    "photos=pictures|photo=picture|whilst=while|amongst=among|towards=toward|until=till|everyone=everybody|anyone="
    "anybody|"
    "someone=somebody|the user=user|您=你|喜爱=喜欢|妈妈=母亲|爸爸=父亲|天天=每天";

// After a number.
constexpr std::string_view kUnits =
    "km=kilometers|kilometer=kilometers|kilometres=kilometers|kilometre=kilometers|公里=kilometers|千米=kilometers|"
    "kg=kilograms|kilogram=kilograms|kilos=kilograms|kilo=kilograms|公斤=kilograms|千克=kilograms|cm=centimeters|"
    "centimetres=centimeters|厘米=centimeters|公分=centimeters|m=meters|米=meters|g=grams|gram=grams|克=grams|"
    "percent=%|per cent=%|dollar=$|dollars=$|usd=$|美元=$|euro=€|euros=€|eur=€|欧元=€|元=¥|块钱=¥|yuan=¥|rmb=¥|"
    "人民币=¥|hour=hours|hrs=hours|hr=hours|h=hours|个小时=小时|个钟头=小时|minute=minutes|mins=minutes|min=minutes|"
    "day=days|week=weeks|month=months|year=years|yrs=years|个星期=周|个礼拜=周";

// Phrases with what stands for them: "x=y"; a phrase without "=" stands for nothing.
class Rewriter {
 public:
  explicit Rewriter(std::string_view list) {
    for (const std::string_view part : split_list(list, '|')) {
      const auto sign = part.find('=');
      table_.add(part.substr(0, sign), static_cast<int>(forms_.size()));
      forms_.emplace_back();
      if (sign != std::string_view::npos) forms_.back() = plain_words(part.substr(sign + 1));
    }
  }

  // The length of the phrase at `at`, 0 for none; `out` gets what stands for it.
  std::size_t rewrite(const Words& words, std::size_t at, Words& out) const {
    const auto match = table_.longest(words, at);
    if (match.words != 0) {
      const Words& form = forms_[static_cast<std::size_t>(match.value)];
      out.insert(out.end(), form.begin(), form.end());
    }
    return match.words;
  }

 private:
  PhraseTable table_;
  std::vector<Words> forms_;
};

PhraseTable table_of(std::string_view list) {
  PhraseTable table;
  table.add(list, 0);
  return table;
}

bool is_break(const PlainWord& word) {
  return word.kind == WordKind::kComma || word.kind == WordKind::kStop || word.kind == WordKind::kQuestion;
}

bool is_negation(const std::string& word) {
  static const std::unordered_set<std::string_view> set = {"not", "no", "never", "nor", "不",
                                                           "没",  "别", "未",    "非",  "无"};
  return set.contains(word);
}

std::size_t next_of(const Words& words, std::size_t begin, std::size_t end, bool clause) {
  std::size_t at = begin;
  while (at < end &&
         !(clause ? is_break(words[at]) : words[at].kind == WordKind::kStop || words[at].kind == WordKind::kQuestion))
    ++at;
  return at;
}

// One sentence, from its words [begin, end) without the mark behind it.
class Sentence {
 public:
  Sentence(const Words& words, const CapitalWords& capitals, std::size_t begin, std::size_t end, bool question)
      : words_(words), capitals_(capitals), begin_(begin), end_(end), question_(question) {}

  Words read() {
    drop_talk();
    drop_introductions();
    drop_endings();
    drop_emoji();
    const Words part(words_.begin() + static_cast<std::ptrdiff_t>(begin_),
                     words_.begin() + static_cast<std::ptrdiff_t>(end_));
    Words out = one_form(weigh(fold_dates(fold_numerals(part))));
    if (question_ && !out.empty()) out.push_back({"?", WordKind::kQuestion});
    return out;
  }

 private:
  // Clauses of small talk before and behind: "Hi Ann, …", "…, thanks!". "No" and "maybe" go too: what follows says it.
  void drop_talk() {
    for (std::size_t clause = next_of(words_, begin_, end_, true); clause < end_;
         clause = next_of(words_, begin_, end_, true)) {
      if (clause - begin_ > kLongestTalk || !is_empty_talk(words_, begin_, clause, capitals_)) break;
      begin_ = clause + 1;
    }
    for (;;) {
      std::size_t comma = end_;
      while (comma > begin_ && end_ - comma <= kLongestTalk && !is_break(words_[comma - 1])) --comma;
      if (comma <= begin_ + 1 || !is_break(words_[comma - 1]) || !is_empty_talk(words_, comma, end_, capitals_)) break;
      end_ = comma - 1;
    }
  }

  void drop_introductions() {
    static const PhraseTable table = table_of(kIntroductions);
    while (begin_ < end_) {
      const std::size_t length = is_break(words_[begin_]) ? 1 : table.longest(words_, begin_).words;
      if (length == 0 || length >= end_ - begin_) return;
      // "对" and "还有" are also the beginning of a clause; they introduce only before a comma.
      const bool han = words_[begin_].kind == WordKind::kHan;
      const bool pause = is_break(words_[begin_ + length]);
      if (han && length <= 2 && !pause) return;
      // "remember Ann", "right hand", "note 5": a request or a word of its own.
      if (!han && length == 1 && !pause && !always_introduces(words_[begin_].text)) return;
      begin_ += length;
    }
  }

  static bool always_introduces(const std::string& word) {
    static const std::unordered_set<std::string_view> set = {
        "btw",  "fyi",      "oh",       "ah",        "um",     "uh",  "hmm",  "hey", "so", "and",  "but",
        "also", "actually", "honestly", "basically", "anyway", "yes", "yeah", "yep", "ok", "okay", ""};
    return set.contains(word);
  }

  void drop_endings() {
    static const PhraseTable table = table_of(kEndings);
    constexpr std::size_t kLongestEnding = 4;
    for (bool more = true; more && end_ > begin_ + 1;) {
      more = is_break(words_[end_ - 1]);
      if (more) --end_;
      for (std::size_t length = kLongestEnding; length > 0 && !more; --length) {
        if (length >= end_ - begin_) continue;
        const auto match = table.longest(words_, end_ - length);
        more = match.words == length;
        if (more) end_ -= length;
      }
      const std::string& last = words_[end_ - 1].text;
      if (!more && (last == "吗" || last == "么") && end_ > begin_ + 1) {
        question_ = more = true;
        --end_;
      }
    }
  }

  // An emoji behind a statement only colours it; where it is what is said, it stays.
  void drop_emoji() {
    constexpr std::size_t kStatement = 3;
    const auto emoji = [&](std::size_t at) { return words_[at].kind == WordKind::kEmoji; };
    while (end_ > begin_ && emoji(begin_) && end_ - begin_ > kStatement) ++begin_;
    std::size_t rest = end_;
    while (rest > begin_ && (emoji(rest - 1) || is_break(words_[rest - 1]))) --rest;
    if (rest - begin_ < kStatement) return;
    static const std::unordered_set<std::string_view> set = {"is", "are", "be", "feel", "feels", "emoji",
                                                             "是", "用",  "发", "with", "means", "觉"};
    if (!set.contains(words_[rest - 1].text)) end_ = rest;
  }

  static constexpr std::size_t kLongestTalk = 16;

  // Without what weighs nothing.
  static Words weigh(const Words& words) {
    static const Rewriter weightless(kWeightless);
    Words out;
    for (std::size_t at = 0; at < words.size();) {
      const bool negated = at > 0 && is_negation(words[at - 1].text);
      const bool article = words[at].text == "a" || words[at].text == "an" || words[at].text == "the";
      std::size_t length = negated && !article ? 0 : weightless.rewrite(words, at, out);
      if (length == 0 && drops(words, at)) length = 1;
      if (length == 0) {
        if (words[at].kind != WordKind::kComma) out.push_back(words[at]);
        length = 1;
      }
      at += length;
    }
    return out;
  }

  static bool drops(const Words& words, std::size_t at) {
    const std::string& word = words[at].text;
    const std::string next = at + 1 < words.size() ? words[at + 1].text : std::string();
    const std::string last = at > 0 ? words[at - 1].text : std::string();
    if (word == "do" || word == "does") return !next.empty() && next != "not" && last != "to" && at > 0;
    if (word == "也") return next != "许" && next != "门" && next != "罢" && next != "就" && last != "再";
    if (word == "的") {
      static const std::unordered_set<std::string_view> pronouns = {"我", "你", "他", "她", "它", "们", "您", "咱"};
      return pronouns.contains(last) && at + 1 < words.size() && words[at + 1].kind == WordKind::kHan;
    }
    return false;
  }

  static bool is_currency(const std::string& word) { return word == "$" || word == "€" || word == "¥" || word == "£"; }

  static Words one_form(const Words& words) {
    static const Rewriter forms(kForms), units(kUnits);
    Words out;
    for (std::size_t at = 0; at < words.size();) {
      const bool number_next = at + 1 < words.size() && words[at + 1].kind == WordKind::kNumber;
      if (is_currency(words[at].text) && number_next) {  // "$5" is "5 dollars"
        out.push_back(words[at + 1]);
        out.push_back(words[at]);
        at += 2;
        continue;
      }
      const bool after_number = !out.empty() && out.back().kind == WordKind::kNumber && !is_date_word(out.back());
      std::size_t length = after_number ? units.rewrite(words, at, out) : 0;
      if (length == 0) length = forms.rewrite(words, at, out);
      if (length == 0) {
        out.push_back(words[at]);
        length = 1;
      }
      at += length;
    }
    return out;
  }

  const Words& words_;
  const CapitalWords& capitals_;
  std::size_t begin_, end_;
  bool question_;
};

std::uint64_t hash_of(const Words& words) {
  std::uint64_t hash = words.size();
  for (const PlainWord& word : words) hash = XXH3_64bits_withSeed(word.text.data(), word.text.size(), hash);
  return hash;
}

// All sentences, or those that are more than small talk, each once.
Words read_sentences(const Words& words, const CapitalWords& capitals, bool talk) {
  Words out;
  std::unordered_set<std::uint64_t> seen;
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = next_of(words, begin, words.size(), false);
    if (end > begin && (talk || !is_empty_talk(words, begin, end, capitals))) {
      const bool question = end < words.size() && words[end].kind == WordKind::kQuestion;
      Words sentence = Sentence(words, capitals, begin, end, question).read();
      if (seen.insert(hash_of(sentence)).second)
        out.insert(out.end(), std::make_move_iterator(sentence.begin()), std::make_move_iterator(sentence.end()));
    }
    begin = end + 1;
  }
  return out;
}

}  // namespace

std::vector<PlainWord> statement_words(std::string_view text) {
  const Words words = plain_words(text);
  const CapitalWords capitals = capital_words(text);
  Words out = read_sentences(words, capitals, false);
  return out.empty() ? read_sentences(words, capitals, true) : out;
}

}  // namespace weft
