#include "surface/proxy/helper_call.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "text/json.h"
#include "text/lexicon.h"
#include "text/plain_words.h"

namespace weft::proxy {
namespace {

constexpr int kEnough = 3;                     // signs that must come together
constexpr std::size_t kOrderHead = 700;        // bytes of a text in which an order says what it wants
constexpr std::size_t kOrderTail = 300;        // and of its end, where some repeat it
constexpr std::size_t kMostRead = 64 * 1024;   // of a message, at either end
constexpr std::size_t kMostSystem = 8 * 1024;  // bytes of a system prompt that is one order
constexpr std::size_t kLongestProbe = 3;       // words of one that asks for a single token
constexpr std::int64_t kProbeTokens = 16;       // the least that some servers take
constexpr std::size_t kLeastQuoted = 20;
constexpr int kSure = 3;  // what is said by a frame that programs alone write
constexpr std::int64_t kFewTokens = 64;        // asked for as an answer

enum Bound { kLength, kOnly, kSigns, kForm, kBounds };

struct Tables {
  // In the order of how sure the words are: "topic" and "summary" stand in orders for something else.
  static constexpr std::array<std::string_view, 15> kKinds = {"title",   "tags",  "follow_ups", "search",  "image",
                                                              "emoji",   "tools", "completion", "command", "page",
                                                              "speaker", "merge", "prompt",     "topic",   "summary"};
  std::array<PhraseTable, kKinds.size()> kinds = {
      phrase_table("client_calls", "title"),      phrase_table("client_calls", "tags"),
      phrase_table("client_calls", "follow ups"), phrase_table("client_calls", "search"),
      phrase_table("client_calls", "image"),      phrase_table("client_calls", "emoji"),
      phrase_table("client_calls", "tools"),      phrase_table("client_calls", "completion"),
      phrase_table("client_calls", "command"),    phrase_table("client_calls", "page"),
      phrase_table("client_calls", "speaker"),    phrase_table("client_calls", "merge"),
      phrase_table("client_calls", "prompt"),     phrase_table("client_calls", "topic"),
      phrase_table("client_calls", "summary")};
  std::array<PhraseTable, kBounds> bounds = {
      phrase_table("client_calls", "length"), phrase_table("client_calls", "only"),
      phrase_table("client_calls", "signs"), phrase_table("client_calls", "form")};
  PhraseTable conversation = phrase_table("client_calls", "conversation");
  PhraseTable speakers = phrase_table("client_calls", "askers");  // in scripts without blanks
  PhraseTable living = phrase_table("client_calls", "living");
  PhraseTable input = phrase_table("client_calls", "input");
  PhraseTable opening = phrase_table("client_calls", "opening");
  PhraseTable handing_on = phrase_table("client_calls", "handing on");
  PhraseTable persona = phrase_table("client_calls", "persona");
  PhraseTable ongoing = phrase_table("client_calls", "ongoing");
  PhraseTable personal = phrase_table("client_calls", "personal");
  LexiconWords length_units = lexicon_both_words("client_calls", "length units");
  LexiconWords askers = lexicon_both_words("client_calls", "askers");
  LexiconWords answerers = lexicon_both_words("client_calls", "answerers");
  LexiconWords probes = lexicon_both_words("client_calls", "probes");
  LexiconWords greetings = lexicon_both_words("client_calls", "greetings");
  LexiconWords fields = lexicon_both_words("client_calls", "fields");
  std::vector<std::string_view> frames = lexicon_both("client_calls", "frames");
  std::vector<std::string_view> sure_frames = lexicon_both("client_calls", "sure frames");
  std::vector<std::string_view> quoting_elements = lexicon_both("client_calls", "quoting elements");
};

const Tables& tables() {
  static const Tables made;
  return made;
}

constexpr int kSummary = static_cast<int>(Tables::kKinds.size()) - 1;
constexpr int kMerge = kSummary - 3;
static_assert(Tables::kKinds[kMerge] == "merge");

using Words = std::vector<PlainWord>;

/// The request at the end of a call, with the messages before it.
struct Asked {
  std::string system;               // the system prompt at the head
  const Message* last = nullptr;    // that is to be answered; an answer that is only begun does not count
  std::size_t earlier = 0;          // messages between both
  bool answered = false;            // by the model, before
  bool behind_answer = false;       // the message before it is the model's
};

Asked asked_in(const ChatCall& call) {
  Asked asked;
  const auto& all = call.messages;
  std::size_t first = 0, end = all.size();
  // Where there is nothing but system prompts, the last one is the order.
  const bool alone = std::all_of(all.begin(), all.end(), [](const Message& one) { return one.role == Role::kSystem; });
  for (; first + (alone ? 1 : 0) < end && all[first].role == Role::kSystem; ++first)
    asked.system += (first == 0 ? "" : "\n\n") + all[first].content;
  std::erase(asked.system, '*');
  if (end > first + 1 && all[end - 1].role == Role::kAssistant && all[end - 1].tool_calls.empty()) --end;
  if (end == first) return asked;
  asked.last = &all[end - 1];
  asked.earlier = end - 1 - first;
  asked.behind_answer = asked.earlier > 0 && all[end - 2].role == Role::kAssistant && all[end - 2].tool_calls.empty();
  for (std::size_t i = first; i < end; ++i) asked.answered = asked.answered || all[i].role == Role::kAssistant;
  // What its server has of the chat the client does not send again.
  if (!call.responses.previous.empty() || !call.responses.conversation.empty()) {
    asked.answered = true;
    ++asked.earlier;
  }
  return asked;
}

std::int64_t most_tokens(std::string_view body) {
  for (const char* field : {"max_completion_tokens", "max_tokens", "max_output_tokens"}) {
    const auto text = json_member(body, field);
    std::int64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc() && value > 0) return value;
  }
  return 0;
}

bool is_probe(const ChatCall& call, const Asked& asked) {
  if (asked.earlier > 0 || asked.last->role != Role::kUser) return false;
  const std::string_view said = trimmed(asked.last->content);
  const std::int64_t most = most_tokens(call.body);
  if (most == 1) return plain_words(said).size() <= kLongestProbe;
  if (most > 0 && most <= kProbeTokens && tables().greetings.contains(lowered(said))) return true;
  return said != "test" && said != "check" && tables().probes.contains(lowered(said));
}

std::size_t elements_in(std::string_view array) { return array.starts_with('[') ? json_elements(array).size() : 0; }

std::string_view object_member(std::string_view object, std::string_view name) {
  return object.starts_with('{') ? json_member(object, name) : std::string_view();
}

/// Whether the call wants an object with fields that only such calls want, by a schema or by its only tool.
bool wants_fields(std::string_view body) {
  std::string_view schema = object_member(object_member(json_member(body, "response_format"), "json_schema"), "schema");
  for (const char* place : {"output_config", "text"})
    if (schema.empty()) schema = object_member(object_member(json_member(body, place), "format"), "schema");
  const std::string_view tools = json_member(body, "tools");
  if (schema.empty() && elements_in(tools) == 1) {
    const std::string_view tool = json_elements(tools).front();
    const std::string_view function = object_member(tool, "function").empty() ? tool : object_member(tool, "function");
    for (const char* name : {"parameters", "input_schema"})
      if (schema.empty()) schema = object_member(function, name);
  }
  const std::string_view properties = object_member(schema, "properties");
  if (!properties.starts_with('{')) return false;
  const auto fields = json_members(properties);
  return !fields.empty() && std::all_of(fields.begin(), fields.end(), [](const auto& field) {
    return tables().fields.contains(lowered(field.first));
  });
}

// The first field of the object that an order shows, where only such calls want one: "title" of {"title": "…"}.
std::string shown_field(std::string_view order) {
  for (auto at = order.find('{'); at != std::string_view::npos; at = order.find('{', at + 1)) {
    std::string_view rest = trimmed(order.substr(at + 1, kOrderHead));
    if (!rest.starts_with('"')) continue;
    rest.remove_prefix(1);
    const auto end = rest.find('"');
    if (end == std::string_view::npos || !trimmed(rest.substr(end + 1)).starts_with(':')) continue;
    if (std::string name = lowered(rest.substr(0, end)); tables().fields.contains(name)) return name;
  }
  return {};
}

// A text without what stands between two marks; the marks stay.
void cut_between(std::string& text, std::string_view begin, std::string_view end) {
  std::size_t at = text.find(begin);
  while (at != std::string::npos) {
    const std::size_t from = at + begin.size(), to = text.find(end, from);
    if (to == std::string::npos) return;
    text.erase(from, to - from);
    at = text.find(begin, from + end.size());
  }
}

// Messages that are quoted as JSON.
void cut_json(std::string& text) {
  const std::size_t role = text.find("\"role\"");
  if (role == std::string::npos) return;
  const std::size_t begin = text.find_last_of("[{", role), end = text.find_last_of("]}");
  if (begin != std::string::npos && end != std::string::npos && end > begin) text.erase(begin, end - begin);
}

/// Who speaks in a line, in lower case and without ornaments: "**User**: hi" is "user". Empty where nobody is named.
std::string speaker_of(std::string_view line) {
  constexpr std::size_t kLongest = 40;
  line = trimmed(line, " \t\r*#->|[]`_\"");
  auto end = line.find(':');
  const auto wide = line.find("：");
  end = std::min(end, wide);
  if (end == std::string_view::npos || end > kLongest) return {};
  return lowered(trimmed(line.substr(0, end), " \t*]`_"));
}

bool is_machine(const std::string& speaker) {
  return tables().askers.contains(speaker) || tables().answerers.contains(speaker);
}

/// A text taken apart into the order and the history that it quotes.
struct Text {
  std::string order;       // in lower case, without what is quoted
  bool has_roles = false;  // the history names its speakers as programs do
  bool has_people = false;  // it names them as people do
  bool is_bare = false;     // nothing but a history in the form of programs
};

void note_speakers(std::string_view text, Text& into) {
  std::map<std::string, int> lines;
  for (const std::string_view line : lines_of(text))
    if (std::string speaker = speaker_of(line); !speaker.empty()) ++lines[speaker];
  for (const auto& [speaker, count] : lines) {
    into.has_roles = into.has_roles || tables().askers.contains(speaker);
    into.has_people = into.has_people || (count > 1 && !is_machine(speaker));
  }
  for (const char* role : {R"("role":"user")", R"("role": "user")", R"(role="user")", "||>user:", "<user>"})
    into.has_roles = into.has_roles || text.find(role) != std::string_view::npos;
  into.has_people = into.has_people && !into.has_roles;
}

// Without the lines of a quoted history. What follows its last line is of the order where it is a paragraph of its own.
std::string without_lines(std::string_view text, bool people) {
  const auto lines = lines_of(text);
  std::size_t first = lines.size(), last = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string speaker = speaker_of(lines[i]);
    if (speaker.empty() || (!people && !is_machine(speaker))) continue;
    first = std::min(first, i);
    last = i;
  }
  if (first == lines.size()) return std::string(text);
  std::string order, tail;
  for (std::size_t i = 0; i < first; ++i) order.append(lines[i]).append("\n");
  for (std::size_t i = last + 1; i < lines.size(); ++i) {
    if (trimmed(lines[i]).empty())
      tail = "\n";
    else if (!tail.empty())
      tail.append(lines[i]).append("\n");
  }
  return order + tail;
}

// Both ends of a very long text; orders stand at one of them.
std::string ends_of(std::string_view text, std::size_t head, std::size_t tail) {
  if (text.size() <= head + tail) return std::string(text);
  return std::string(text.substr(0, head)) + "\n" + std::string(text.substr(text.size() - tail));
}

/// What an order wants; -1: nothing that such calls want. Where it wants several things, what it names first.
int kind_in(const Words& words) {
  int kind = -1;
  std::size_t first = words.size();
  for (std::size_t k = 0; k < tables().kinds.size(); ++k) {
    const bool vague = Tables::kKinds[k] == "topic" || Tables::kKinds[k] == "summary";
    if (vague && kind >= 0) continue;
    for (std::size_t at = 0; at < first; ++at) {
      if (tables().kinds[k].longest(words, at).words == 0) continue;
      first = at;
      kind = static_cast<int>(k);
      break;
    }
  }
  return kind;
}

// The kind of the order that wants an object with this field.
int kind_of_field(const std::string& field) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kFields{{{"title", "title"},
                                                                                  {"titles", "title"},
                                                                                  {"tags", "tags"},
                                                                                  {"follow_ups", "follow_ups"},
                                                                                  {"followups", "follow_ups"},
                                                                                  {"queries", "search"},
                                                                                  {"emoji", "emoji"}}};
  for (const auto& [name, kind] : kFields)
    if (name == field)
      return static_cast<int>(std::find(Tables::kKinds.begin(), Tables::kKinds.end(), kind) - Tables::kKinds.begin());
  return -1;
}

// Kinds of orders that speak of something else than a conversation.
bool stands_alone(int kind) {
  const std::string_view name = Tables::kKinds[static_cast<std::size_t>(kind)];
  return name == "completion" || name == "command" || name == "page" || name == "tools" || name == "topic" ||
         name == "speaker" || name == "merge";
}

// "in 5 words", "3-5 word title", 10 个字.
bool says_how_long(const Words& words) {
  constexpr std::size_t kReach = 4;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].kind != WordKind::kNumber) continue;
    for (std::size_t next = i + 1; next < std::min(words.size(), i + kReach); ++next)
      if (tables().length_units.contains(words[next].text)) return true;
  }
  return false;
}

std::bitset<kBounds> bounds_in(const Words& words, std::string_view order) {
  std::bitset<kBounds> bounds;
  for (std::size_t bound = 0; bound < kBounds; ++bound) bounds[bound] = tables().bounds[bound].any_in(words);
  bounds[kLength] = bounds[kLength] || says_how_long(words);
  bounds[kForm] = bounds[kForm] || !shown_field(order).empty();
  return bounds;
}

std::string_view without_marks(std::string_view line) { return trimmed(line, " \t\r#*"); }

bool ends_with_colon(std::string_view line) { return line.ends_with(':') || line.ends_with("："); }

// A program ends with the name of what the model is to write: "Updated summary:".
bool ends_with_cue(std::string_view text) {
  constexpr std::size_t kLongestCue = 40;
  const std::string_view whole = trimmed(text);
  const auto begin = whole.rfind('\n');
  if (begin == std::string_view::npos) return false;
  const std::string_view last = without_marks(whole.substr(begin + 1));
  const bool heading = trimmed(whole.substr(begin + 1)).starts_with('#');
  return last.size() <= kLongestCue && (heading || ends_with_colon(last));
}

// Answers that are handed over one by one: "Answer 1: …", "Model B: …", "[2] …", "<reply model=…>".
bool lists_candidates(std::string_view text) {
  std::size_t found = 0;
  for (std::string_view line : lines_of(text)) {
    line = trimmed(line);
    const std::string speaker = speaker_of(line);
    // "model b", "回答2": a mark behind a word.
    const char mark = speaker.size() > 1 ? speaker.back() : ' ',
               before = speaker.size() > 1 ? speaker[speaker.size() - 2] : ' ';
    const bool counted =
        is_digit(mark) || (is_lower(mark) && (before == ' ' || static_cast<unsigned char>(before) >= 0x80));
    const std::string_view label = line.starts_with('[') ? line.substr(0, line.find(']')) : std::string_view();
    const bool numbered = label.size() > 1 && is_digit(label.back());
    found += counted || numbered || line.starts_with("<reply") || line.starts_with("<response") ? 1 : 0;
  }
  return found >= 2;
}

int frames_in(std::string_view whole) {
  const std::string text = lowered(ends_of(whole, kMostRead, kMostRead));
  const auto has = [&](std::string_view frame) { return text.find(frame) != std::string::npos; };
  const auto has_line = [&](std::string_view frame) {
    const auto lines = lines_of(text);
    return std::any_of(lines.begin(), lines.end(), [&](std::string_view line) { return trimmed(line) == frame; });
  };
  // A heading of whatever rank.
  const auto has_heading = [&](std::string_view frame) {
    const auto lines = lines_of(text);
    return std::any_of(lines.begin(), lines.end(), [&](std::string_view line) {
      return trimmed(line).starts_with('#') && trimmed(without_marks(line), " :：") == without_marks(frame);
    });
  };
  if (std::any_of(tables().sure_frames.begin(), tables().sure_frames.end(), has)) return kSure;
  const auto quotes = has("\"\"\"") || has(": ```") || has("：```") ? 1 : 0;  // as programs put around what they quote
  const auto is_cue = [&](std::string_view frame) { return ends_with_colon(frame) && trimmed(text).ends_with(frame); };
  const auto& frames = tables().frames;
  const auto cue = ends_with_cue(text) && std::none_of(frames.begin(), frames.end(), is_cue) ? 1 : 0;
  const auto count = quotes + cue + std::count_if(frames.begin(), frames.end(), [&](std::string_view frame) {
                       if (ends_with_colon(frame)) return has_line(frame);
                       return has(frame) || (frame.starts_with('#') && has_heading(frame));
                     });
  return static_cast<int>(std::min<std::ptrdiff_t>(count, 2));
}

// Nothing but marks and names of elements.
bool says_no_word(std::string text) {
  cut_between(text, "<", ">");
  return plain_words(text).empty() || text.find_first_not_of(" \t\r\n<>/[]{}()#*`\"',.:;-") == std::string::npos;
}

Text take_apart(std::string_view whole) {
  Text text;
  std::string order = lowered(ends_of(whole, kMostRead, kMostRead));
  note_speakers(order, text);
  for (const std::string_view name : tables().quoting_elements)
    cut_between(order, "<" + std::string(name) + ">", "</" + std::string(name) + ">");
  cut_between(order, "```", "```");
  cut_between(order, "\"\"\"", "\"\"\"");
  cut_json(order);
  std::erase(order, '*');  // emphasis parts phrases
  text.order = without_lines(order, text.has_people);
  text.is_bare = text.has_roles && says_no_word(text.order);
  // What an order is about may follow it without any mark.
  if (!text.has_roles && !text.has_people && frames_in(whole) == 0) {
    const auto end = text.order.find("\n\n");
    if (end != std::string::npos && kind_in(plain_words(text.order.substr(0, end))) >= 0) text.order.erase(end);
  }
  return text;
}

int count_in(const PhraseTable& table, const Words& words, int most) {
  int count = 0;
  for (std::size_t at = 0; at < words.size() && count < most;) {
    const std::size_t length = table.longest(words, at).words;
    count += length > 0 ? 1 : 0;
    at += std::max<std::size_t>(length, 1);
  }
  return count;
}

/// Whether an order is about the conversation that it stands in or quotes.
bool is_about_one(const Words& order, int kind, const Asked& asked, const Text& text) {
  const std::string& whole = asked.last->content;
  const int frames = frames_in(whole);
  if (stands_alone(kind) || frames == kSure) return true;
  if (kind == kSummary && count_in(tables().handing_on, order, 2) == 2) return true;
  // Nobody types a system prompt, least of all behind an answer.
  if (asked.last->role == Role::kSystem && (asked.behind_answer || (asked.earlier == 0 && frames > 0))) return true;
  const bool living = tables().living.any_in(order);
  if (asked.earlier > 0) return living;
  const auto is_speaker = [](const PlainWord& one) { return is_machine(one.text); };
  const bool names_speaker = std::any_of(order.begin(), order.end(), is_speaker) || tables().speakers.any_in(order);
  if (!tables().conversation.any_in(order) && !(text.has_roles && names_speaker)) return false;
  const auto body = whole.find("\n\n");
  const bool quotes = body != std::string::npos && trimmed(std::string_view(whole).substr(body)).size() >= kLeastQuoted;
  return text.has_roles || frames > 0 || (living && quotes);
}

// The sentences of a system prompt's beginning, without the name of the program that asks.
std::vector<Words> sentences_of(const std::string& system) {
  std::vector<Words> sentences(1);
  for (PlainWord& word : plain_words(system.substr(0, kOrderHead))) {
    if (word.kind == WordKind::kStop || word.kind == WordKind::kQuestion)
      sentences.emplace_back();
    else
      sentences.back().push_back(std::move(word));
  }
  std::erase_if(sentences, [](const Words& words) {
    return words.empty() || std::any_of(words.begin(), words.end(), [](const PlainWord& one) {
             return one.text == "claude" || one.text == "billing";
           });
  });
  return sentences;
}

/// The order that a system prompt is in its first sentences; -1 where it describes an assistant for people.
int kind_of_system(const std::string& system) {
  if (system.size() > kMostSystem) return -1;
  const std::vector<Words> sentences = sentences_of(system);
  if (sentences.empty() || tables().ongoing.any_in(plain_words(system))) return -1;
  for (const Words& words : sentences) {
    const int kind = kind_in(words);
    if (kind >= 0 && stands_alone(kind) && tables().opening.any_in(words)) return kind;
  }
  Words head = sentences.front();
  const bool persona = tables().persona.longest(head, 0).words > 0;
  const bool leads =
      kind_in(head) >= 0 || tables().opening.any_in(head) || (!persona && tables().conversation.any_in(head));
  if (leads && sentences.size() > 1) head.insert(head.end(), sentences[1].begin(), sentences[1].end());
  const int kind = kind_in(head);
  const bool about =
      kind >= 0 && (stands_alone(kind) || tables().conversation.any_in(head) || tables().input.any_in(head));
  return about ? kind : -1;
}

/// Whether an order over a quoted history is one of a program, where people ask for such things as well.
bool is_clear(const ChatCall& call, const Asked& asked, int kind, const Words& order) {
  if (asked.last->role == Role::kSystem) return true;  // nobody types one
  const std::string_view name = Tables::kKinds[static_cast<std::size_t>(kind)];
  const bool people_ask = name == "title" || name == "tags" || name == "follow_ups" || name == "summary";
  if (!people_ask || frames_in(asked.last->content) >= 2 || wants_fields(call.body)) return true;
  if (kind == kSummary) return count_in(tables().handing_on, order, 1) == 1;
  const auto bounds = bounds_in(order, asked.last->content);
  return bounds[kOnly] || bounds[kForm];
}

// A numbered list of what an answer is to hold.
bool is_enumerated(std::string_view order) {
  constexpr int kLeast = 3;
  int numbered = 0;
  for (std::string_view line : lines_of(order)) {
    line = trimmed(line);
    const auto digits = std::min(line.find_first_not_of("0123456789"), line.size());
    const std::string_view rest = line.substr(digits);
    if (digits > 0 && (rest.starts_with(". ") || rest.starts_with(") ") || rest.starts_with("、"))) ++numbered;
  }
  return numbered >= kLeast;
}

/// The signs for and against, counted.
int weigh(const ChatCall& call, const Asked& asked, const Text& text, const Words& order, int kind, int system) {
  const Words system_words = system >= 0 ? plain_words(asked.system) : Words();
  const auto bounds = bounds_in(order, text.order) | bounds_in(system_words, system >= 0 ? asked.system : "");
  int signs = std::min<int>(static_cast<int>(bounds.count()), 3);
  signs += std::min(frames_in(asked.last->content), 2) + (text.has_roles ? 1 : 0);
  signs += tables().opening.any_in(order) || tables().opening.any_in(system_words) ? 1 : 0;
  if (kind == kSummary) signs += count_in(tables().handing_on, order, 3) + (is_enumerated(text.order) ? 1 : 0);
  if (kind == kMerge && lists_candidates(asked.last->content)) signs += 2;
  if (!shown_field(text.order).empty()) ++signs;
  if (wants_fields(call.body)) signs += 2;
  if (const std::int64_t most = most_tokens(call.body); most > 0 && most <= kFewTokens) ++signs;
  if (asked.last->role == Role::kSystem) signs += 2;  // nobody types one
  if (system >= 0) signs += 2;
  std::string near = ends_of(text.order, kOrderHead, kOrderTail);
  for (const auto& [begin, end] : {std::pair{"\"", "\""}, {"“", "”"}}) cut_between(near, begin, end);
  if (system < 0 && tables().personal.any_in(plain_words(near))) signs -= 2;
  if (text.has_people) signs -= 2;
  return signs;
}

}  // namespace

std::string_view helper_kind(const ChatCall& call) {
  if (call.messages.empty() || !call.unreadable.empty()) return {};
  const Asked asked = asked_in(call);
  if (asked.last == nullptr || (asked.last->role != Role::kUser && asked.last->role != Role::kSystem)) return {};
  if (is_probe(call, asked)) return "probe";

  const Text text = take_apart(asked.last->content);
  const Words order = plain_words(ends_of(text.order, 4 * kOrderHead, kOrderTail));
  const Words near = plain_words(ends_of(text.order, kOrderHead, kOrderTail));
  int own = kind_in(near);
  if (own < 0) own = kind_of_field(shown_field(text.order));
  // An order for a hand-over summary lists many things that the summary must hold.
  const bool lists = is_enumerated(text.order) || count_in(tables().handing_on, order, 2) == 2;
  if (own >= 0 && lists && tables().kinds[kSummary].any_in(near)) own = kSummary;
  if (own >= 0 && !is_about_one(order, own, asked, text)) own = -1;

  // A system prompt is the whole order where it has bounds for every answer, and one message is all that is asked.
  int system = kind_of_system(asked.system);
  const bool alone = !asked.answered && elements_in(json_member(call.body, "tools")) <= 1;
  // One that words a question anew gets it at the end of the chat that the question stands in.
  const bool rewrites = system >= 0 && Tables::kKinds[static_cast<std::size_t>(system)] == "search";
  if (system >= 0 && own < 0) {
    const auto bounds = bounds_in(plain_words(asked.system), asked.system);
    const bool closed = bounds[kOnly] || bounds[kForm];
    const bool bound = frames_in(asked.last->content) == kSure || (text.is_bare && (closed || bounds.count() >= 2)) ||
                       ((bounds.count() >= 2 || stands_alone(system) || rewrites) && closed);
    if ((!alone && !rewrites) || !bound) system = -1;
  }
  const int kind = system >= 0 ? system : own;
  if (kind < 0) return {};
  if (system < 0 && asked.earlier == 0 && !is_clear(call, asked, kind, order)) return {};
  const std::string_view name = Tables::kKinds[static_cast<std::size_t>(kind)];
  return weigh(call, asked, text, order, kind, system) >= kEnough ? name : std::string_view();
}

}  // namespace weft::proxy
