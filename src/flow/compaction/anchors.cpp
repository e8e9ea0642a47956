#include "flow/compaction/anchors.h"

#include <algorithm>
#include <bitset>
#include <optional>
#include <unordered_set>

#include "flow/compaction/markdown_statements.h"
#include "text/plain_words.h"
#include "text/sentences.h"
#include "text/utf8.h"

namespace weft {
namespace {

// Signs of a statement. Phrases are looked up by words, so 不 within 不但 or "like" within "likely" are none.
enum Mark : int { kForbids = 0, kOrders, kPrefers, kRole, kDanger, kNothing, kMarks };
using Marks = std::bitset<kMarks>;

const PhraseTable& marks_table() {
  static const PhraseTable table = [] {
    PhraseTable phrases;
    phrases.add(
        "never|do not|must not|should not|shall not|may not|can not|cannot|not allowed|not permitted|forbidden|"
        "prohibited|off limits|under no circumstances|refuse|refuses|avoid|refrain from|no more than|not exceed|"
        "does not|not acceptable|rather not|leave alone|without asking|without my|without confirmation|"
        "without approval|without permission|without explicit",
        kForbids);
    phrases.add(
        "不得|不要|不能|不可|不可以|不许|不准|不应|不应该|不会|禁止|严禁|切勿|请勿|勿|切忌|绝不|决不|绝不能|别|避免|"
        "拒绝|不允许|不超过|不得超过|一律不|从不|不接受|不对外|不替|不提供|不代",
        kForbids);
    phrases.add(
        "must|always|only|should|shall|need to|needs to|has to|have to|required|require|requires|ensure|make sure|"
        "be sure|at most|at least|up to|unless|remember to|limit|limited to|strictly|mandatory|important",
        kOrders);
    phrases.add(
        "必须|务必|一定要|始终|总是|应当|应该|应|需要|须|需|只能|仅限|仅|只|只有|确保|保证|至少|最多|至多|不少于|"
        "不低于|"
        "除非|先确认|先征得|限于|限制|一律|统一",
        kOrders);
    phrases.add(
        "prefer|prefers|preferred|preference|i like|we like|likes|dislike|dislikes|hates|i hate|loves|would rather|"
        "rather not|favorite|favourite|allergic|allergy|vegetarian|vegan|call me|address me|i do not want|"
        "do not like|does not like|does not want|wants|i would like you to|i want you to",
        kPrefers);
    phrases.add("偏好|偏爱|喜欢|不喜欢|讨厌|习惯|希望|想要|不想|更愿意|过敏|忌口|称呼|叫我|爱吃|不吃|不爱|倾向",
                kPrefers);
    phrases.add(
        "you are a|you are an|you are the|you act as|act as|your role|pretend|claim to be|identity|persona|"
        "on behalf of|speak for|speak as|i am a|i am an|impersonate|play the role|not a doctor|not a lawyer",
        kRole);
    phrases.add("你是|我是|扮演|身份|角色|自称|冒充|代表|人设|以本人名义|助理而不是|不是医生|不是律师|口吻", kRole);
    phrases.add(
        "delete|deletes|deleting|remove|drop|overwrite|destroy|erase|wipe|password|passwords|secret|secrets|token|"
        "tokens|credential|credentials|api key|api keys|private|personal data|personal information|leak|share|"
        "sharing|disclose|reveal|pay|payment|payments|transfer|purchase|money|refund|refunds|medical|diagnose|"
        "diagnosis|diagnoses|legal advice|dose|dosage|medication|medicine|harm|weapon|production|deploy|publish|"
        "execute|sudo|force push|children|minors|health|confidential",
        kDanger);
    phrases.add(
        "删除|删掉|覆盖|清空|密码|密钥|口令|凭证|隐私|泄露|泄漏|透露|公开|付款|转账|支付|购买|下单|退款|用药|剂量|药|"
        "诊断|"
        "法律意见|生产环境|生产库|生产数据|线上|发布|外发|群发|执行|身份证|手机号|个人信息|未成年|保密|机密|处方|病历",
        kDanger);
    // Hold words of the lists above and state no constraint.
    phrases.add(
        "do not have to|not need to|do not need|do not know|do not think|do not worry|do not mind|not sure|"
        "can not wait|do not hesitate|do not forget|not only|do not see|do not understand|does not work|"
        "does not exist|does not have|do not have",
        kNothing);
    phrases.add(
        "不必|不用|无需|不需要|不会有|不要紧|不应期|能不能|可不可以|要不要|会不会|不能不|只是|特别|别人|别的|区别|"
        "分别|级别|类别|个别|性别|识别|不知道|不能用了|应用|应对|反应|供应|适应|需求|必需",
        kNothing);
    return phrases;
  }();
  return table;
}

Marks marks_of(std::string_view sentence) {
  const std::vector<PlainWord> words = plain_words(sentence);
  Marks marks;
  for (std::size_t at = 0; at < words.size();) {
    const auto match = marks_table().longest(words, at);
    if (match.words == 0) {
      ++at;
      continue;
    }
    // A phrase may carry two signs ("rather not").
    if (match.value != kNothing)
      marks_table().for_each(words, at, [&](std::size_t length, int value) {
        if (length == match.words && value != kNothing) marks.set(static_cast<std::size_t>(value));
      });
    at += match.value == kRole || match.value == kPrefers || match.value == kNothing ? match.words : 1;
  }
  return marks;
}

std::optional<AnchorKind> kind_of_heading(std::string_view heading) {
  static const PhraseTable table = [] {
    PhraseTable phrases;
    const auto value = [](AnchorKind kind) { return static_cast<int>(kind); };
    phrases.add("safety|security|red lines|red line|forbidden|prohibited|never|must not|limits|privacy|do not",
                value(AnchorKind::kSafety));
    phrases.add("安全|红线|禁止|禁区|底线|隐私|禁令|保密", value(AnchorKind::kSafety));
    phrases.add("preferences|preference|style|habits|likes|dislikes|communication|tone",
                value(AnchorKind::kPreference));
    phrases.add("偏好|习惯|风格|喜好|口味|沟通", value(AnchorKind::kPreference));
    phrases.add("role|identity|persona|boundaries|boundary|who you are|character", value(AnchorKind::kRole));
    phrases.add("角色|身份|人设|边界|定位", value(AnchorKind::kRole));
    phrases.add("rules|rule|scope|task|tasks|workflow|constraints|requirements|policy|guidelines|conventions",
                value(AnchorKind::kTask));
    phrases.add("规则|规定|范围|任务|流程|约束|要求|规范|准则|约定", value(AnchorKind::kTask));
    return phrases;
  }();
  const std::vector<PlainWord> words = plain_words(heading);
  for (std::size_t at = 0; at < words.size(); ++at)
    if (const auto match = table.longest(words, at); match.words > 0) return static_cast<AnchorKind>(match.value);
  return std::nullopt;
}

AnchorKind kind_of_file(std::string_view file) {
  if (file.ends_with("USER.md")) return AnchorKind::kPreference;
  return file.ends_with("SOUL.md") ? AnchorKind::kRole : AnchorKind::kTask;
}

AnchorKind kind_of(const Marks& marks, const std::optional<AnchorKind>& heading, std::string_view file) {
  if (marks[kForbids] && marks[kDanger] && heading != AnchorKind::kPreference) return AnchorKind::kSafety;
  if (heading && *heading != AnchorKind::kTask) return *heading;
  if (marks[kPrefers]) return AnchorKind::kPreference;
  if (marks[kRole]) return AnchorKind::kRole;
  return heading.value_or(kind_of_file(file));
}

bool starts_example(std::string_view sentence) {
  static const PhraseTable table = [] {
    PhraseTable phrases;
    phrases.add("for example|for instance|e g|example|例如|比如|譬如|举例|示例", 1);
    return phrases;
  }();
  const std::vector<PlainWord> words = plain_words(sentence.substr(0, 64));
  return !words.empty() && table.longest(words, 0).words > 0;
}

bool is_question(std::string_view sentence) { return sentence.ends_with("?") || sentence.ends_with("？"); }

// A statement longer than this is text that somebody pasted.
constexpr std::size_t kLongest = 600;

class Collector {
 public:
  void add(AnchorKind kind, std::string_view file, std::size_t line, std::string_view text, bool forbids) {
    const Claim claim = make_claim(text);
    // One word alone guards nothing that could be looked for.
    if (claim.terms.size() + claim.exact.size() < 2 || !seen_.insert(std::string(text)).second) return;
    anchors_.push_back({kind, std::string(file), line, std::string(text), forbids});
  }
  std::vector<Anchor> take() { return std::move(anchors_); }

 private:
  std::vector<Anchor> anchors_;
  std::unordered_set<std::string> seen_;
};

void collect(const AnchorSource& source, Collector& into) {
  const std::string text = repair_utf8(source.text);
  for (const MarkdownStatement& statement : markdown_statements(text)) {
    const auto heading = kind_of_heading(statement.heading);
    bool first = true;
    for (const std::string_view sentence : sentences(statement.text)) {
      const bool announced = heading.has_value() && statement.item && first;
      first = false;
      if (sentence.size() > kLongest || starts_example(sentence) || is_question(sentence)) continue;
      const Marks marks = marks_of(sentence);
      if (!announced && !marks[kForbids] && !marks[kOrders] && !marks[kPrefers] && !marks[kRole]) continue;
      into.add(kind_of(marks, heading, source.file), source.file, statement.line, sentence, marks[kForbids]);
    }
  }
}

// Whether a sentence that a user says is an order or a wish about how things are done, not a report.
bool is_spoken_constraint(const Marks& marks, std::string_view sentence) {
  static const PhraseTable opening = [] {
    PhraseTable phrases;
    phrases.add(
        "do not|never|please do not|please never|you must|you must not|you should not|you may not|you can not|"
        "you can only|make sure|always|only|please only|please always|under no circumstances|avoid|please avoid|"
        "i do not want|i would rather|i prefer|i would prefer|i only want|we never|we always|we do not|remember|"
        "at most|at least|no more than|it must|it should|must|"
        "my budget|the budget|keep",
        1);
    phrases.add(
        "不要|别|千万|请不要|请勿|切勿|绝不|绝对不|禁止|严禁|不得|不能|不许|必须|务必|一定要|只能|只要|仅|最多|至少|"
        "不超过|"
        "我不想|我不要|我不喜欢|我更喜欢|我喜欢|我习惯|我偏好|我希望|请务必|请始终|始终|以后都|以后不|你不能|你不要|"
        "你必须|"
        "你只能|记住|预算",
        1);
    return phrases;
  }();
  if (!marks[kForbids] && !marks[kOrders] && !marks[kPrefers]) return false;
  const std::vector<PlainWord> words = plain_words(sentence);
  constexpr std::size_t kLead = 4;  // words before an order: "Also, please do not …", 另外一定要
  bool fresh = true;  // an order may begin here
  std::size_t since = 0;
  const auto tells = [](const std::string& word) {
    return word == "i" || word == "it" || word == "he" || word == "she" || word == "they" || word == "there" ||
           word == "that" || word == "if" || word == "when";
  };
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at].kind == WordKind::kComma) {
      since = 0;
      fresh = true;
      continue;
    }
    if (fresh && opening.longest(words, at).words > 0 && marks_table().longest(words, at).value != kNothing)
      return true;
    fresh = fresh && ++since <= kLead && !tells(words[at].text);
  }
  return false;
}

}  // namespace

std::string_view to_string(AnchorKind kind) {
  switch (kind) {
    case AnchorKind::kSafety: return "safety";
    case AnchorKind::kPreference: return "preference";
    case AnchorKind::kRole: return "role";
    case AnchorKind::kTask: return "task";
  }
  return "task";
}

std::vector<Anchor> find_anchors(const std::vector<AnchorSource>& sources) {
  Collector collector;
  for (const AnchorSource& source : sources) collect(source, collector);
  return collector.take();
}

std::vector<Anchor> find_spoken_anchors(std::string_view message, std::string_view file) {
  Collector collector;
  const std::string text = repair_utf8(message);
  for (const MarkdownStatement& statement : markdown_statements(text, Tagged::kQuoted)) {
    for (const std::string_view sentence : sentences(statement.text)) {
      if (sentence.size() > kLongest || starts_example(sentence) || is_question(sentence)) continue;
      const Marks marks = marks_of(sentence);
      if (!is_spoken_constraint(marks, sentence)) continue;
      const AnchorKind kind = kind_of(marks, std::nullopt, file);
      // A plain wish that forbids ("I don't want insurance") is a preference; an order not to is a limit.
      const bool forbids = marks[kForbids] && !marks[kPrefers];
      collector.add(forbids ? AnchorKind::kSafety : kind, file, statement.line, sentence, forbids);
    }
  }
  return collector.take();
}

bool anchor_stands(const Anchor& anchor, const StatedText& context) { return context.says(make_claim(anchor.text)); }

bool anchor_stands(const Anchor& anchor, std::string_view context_text) {
  return anchor_stands(anchor, StatedText(context_text));
}

}  // namespace weft
