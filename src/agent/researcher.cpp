#include "agent/researcher.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "agent/research_claims.h"
#include "agent/research_sources.h"
#include "base/strings.h"
#include "growth/rule_words.h"
#include "text/english_verbs.h"
#include "text/json.h"
#include "text/lexicon.h"
#include "text/markup.h"
#include "text/numerals.h"
#include "text/plain_words.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {

// What a model does in a research, and how its answers are checked.

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostModelPoints = 6, kMostClaims = 24, kMostSentences = 60, kLongest = 600, kMostListed = 8;
constexpr double kBorneOut = 0.3;  // how alike a claim must be to what it cites, by words

constexpr const char* kOutlineSchema =
    R"({"type":"object","required":["points"],"properties":{"points":{"type":"array","maxItems":6,"items":{"type":"object",
"required":["question","query"],"properties":{"question":{"type":"string"},"query":{"type":"string"}}}}}})";
constexpr const char* kClaimsSchema =
    R"({"type":"object","required":["claims"],"properties":{"claims":{"type":"array","maxItems":24,"items":{"type":"object",
"required":["text","sentences"],"properties":{"text":{"type":"string"},"sentences":{"type":"array","items":{"type":"integer"}},
"point":{"type":"integer"}}}},"disputes":{"type":"array","items":{"type":"object","required":["claims","why"],"properties":{
"claims":{"type":"array","items":{"type":"integer"}},"why":{"type":"string"}}}},"gaps":{"type":"array","items":{"type":"string"}},
"methods":{"type":"array","maxItems":3,"items":{"type":"string"}}}})";
constexpr const char* kCritiqueSchema =
    R"({"type":"object","required":["unsupported","disputes","gaps"],"properties":{"unsupported":{"type":"array",
"items":{"type":"integer"}},"disputes":{"type":"array","items":{"type":"object","required":["claims","why"],"properties":{
"claims":{"type":"array","items":{"type":"integer"}},"why":{"type":"string"}}}},"gaps":{"type":"array","maxItems":4,
"items":{"type":"string"}}}})";
constexpr const char* kSummarySchema =
    R"({"type":"object","required":["summary"],"properties":{"summary":{"type":"string"}}})";

std::string string_of(const Json& one, const char* name, std::size_t most = kLongest) {
  const auto at = one.find(name);
  return at != one.end() && at->is_string() ? preview(drop_harmful(at->get<std::string>()), most) : std::string();
}

std::vector<std::int64_t> numbers_of(const Json& one, const char* name, std::size_t most) {
  std::vector<std::int64_t> found;
  const auto at = one.find(name);
  if (at == one.end() || !at->is_array()) return found;
  for (const Json& number : *at) {
    if (!number.is_number_integer()) continue;
    const auto value = number.get<std::int64_t>();
    const bool known = std::find(found.begin(), found.end(), value) != found.end();
    if (value >= 1 && value <= static_cast<std::int64_t>(most) && !known) found.push_back(value);
  }
  return found;
}

std::vector<std::string> texts_of(const Json& one, const char* name, std::size_t most) {
  std::vector<std::string> found;
  const auto at = one.find(name);
  if (at == one.end() || !at->is_array()) return found;
  for (const Json& text : *at)
    if (text.is_string() && found.size() < most)
      add_once(found, preview(drop_harmful(text.get<std::string>()), kLongest));
  return found;
}

std::string written(const Json& data) { return data.dump(1, ' ', false, Json::error_handler_t::replace); }

std::optional<Json> answer_of(ResearchStream& stream, const char* name, const Json& data, const char* schema,
                              bool quick = false) {
  const auto text = stream.ask(name, written(data), schema, quick);
  if (!text) return std::nullopt;
  Json answer = lenient_json<Json>(*text);
  if (answer.is_object()) return answer;
  stream.note(std::string("the model's answer to \"") + name + "\" is no object");
  return std::nullopt;
}

std::set<std::string> figures_in(std::string_view text) {
  std::set<std::string> figures;
  for (const PlainWord& word : fold_numerals(plain_words(text)))
    if (word.kind == WordKind::kNumber) figures.insert(word.text);
  return figures;
}

bool all_figures_in(std::string_view text, const std::set<std::string>& known) {
  const auto figures = figures_in(text);
  return std::all_of(figures.begin(), figures.end(), [&](const std::string& one) { return known.contains(one); });
}

std::string title_of(const SourceBook& sources, std::int64_t number) {
  const FoundSource* source = sources.find(number);
  if (source == nullptr) return {};
  return source->title.empty() ? source->origin : source->title;
}

Json sentences_as_json(const std::vector<SourceStatement>& statements, const SourceBook& sources) {
  Json all = Json::array();
  for (std::size_t i = 0; i < std::min(statements.size(), kMostSentences); ++i) {
    const SourceStatement& one = statements[i];
    const FoundSource* source = sources.find(one.source);
    all.push_back({{"number", i + 1},
                   {"source", one.source},
                   {"title", preview(title_of(sources, one.source), 120)},
                   {"date", source != nullptr ? source->date : ""},
                   {"kind", source != nullptr ? std::string(to_string(source->kind)) : ""},
                   {"sentence", one.text}});
  }
  return all;
}

// The sentences that a claim cites bear it out, as far as a program can see.
bool is_borne_out(const std::string& text, const std::string& cited, std::string& why) {
  if (!all_figures_in(text, figures_in(cited))) {
    why = "it says a number that its sources do not say";
    return false;
  }
  if (orders_the_reader(text)) {
    why = "it orders the reader about";
    return false;
  }
  if (language_of(text) == language_of(cited) && WordLikeness().between(text, cited) < kBorneOut) {
    why = "it has little to do with what it cites";
    return false;
  }
  return true;
}

std::optional<ResearchClaim> claim_of(ResearchStream& stream, const Json& one, const std::vector<std::string>& outline,
                                      const std::vector<SourceStatement>& statements) {
  ResearchClaim claim;
  claim.text = string_of(one, "text");
  const auto cited = numbers_of(one, "sentences", std::min(statements.size(), kMostSentences));
  if (claim.text.empty()) return std::nullopt;
  std::string all, why = "it cites nothing that was found";
  std::set<std::int64_t> sources;
  for (const std::int64_t number : cited) {
    const SourceStatement& sentence = statements[static_cast<std::size_t>(number) - 1];
    all += sentence.text + "\n";
    if (sources.insert(sentence.source).second)
      claim.citations.push_back({sentence.source, sentence.first_line, sentence.last_line, sentence.text});
  }
  if (cited.empty() || !is_borne_out(claim.text, all, why)) {
    stream.note("a claim of the model was dropped: " + why + ": " + claim.text);
    return std::nullopt;
  }
  const auto point = numbers_of({{"point", {one.value("point", Json(0))}}}, "point", outline.size());
  claim.aspect = point.empty() ? statements[static_cast<std::size_t>(cited.front()) - 1].aspect
                               : outline[static_cast<std::size_t>(point.front()) - 1];
  return claim;
}

std::vector<ResearchDispute> disputes_of(const Json& answer, const std::vector<std::size_t>& places) {
  std::vector<ResearchDispute> found;
  const auto at = answer.find("disputes");
  if (at == answer.end() || !at->is_array()) return found;
  for (const Json& one : *at) {
    if (!one.is_object()) continue;
    ResearchDispute dispute{DisputeOf::kModel, {}, string_of(one, "why")};
    // Places in the model's own list are those of the claims that were kept.
    for (const std::int64_t claim : numbers_of(one, "claims", places.size()))
      if (const std::size_t place = places[static_cast<std::size_t>(claim) - 1]; place > 0)
        dispute.claims.push_back(static_cast<std::int64_t>(place));
    if (dispute.claims.size() > 1) found.push_back(std::move(dispute));
  }
  return found;
}

Json claims_as_json(const std::vector<ResearchClaim>& claims, const SourceBook& sources) {
  Json all = Json::array();
  for (const ResearchClaim& claim : claims) {
    Json quotes = Json::array();
    for (const ResearchCitation& one : claim.citations)
      quotes.push_back({{"source", preview(title_of(sources, one.source), 120)}, {"quote", one.quote}});
    all.push_back({{"number", all.size() + 1}, {"claim", claim.text}, {"quotes", std::move(quotes)}});
  }
  return all;
}

}  // namespace

std::optional<std::vector<OutlinePoint>> model_outline(ResearchStream& stream, const std::string& question,
                                                       ResearchKind kind, std::span<const std::string> known) {
  Json data{{"question", question}, {"kind", to_string(kind)}, {"headings", Json::array()}};
  for (const std::string& one : known) data["headings"].push_back(preview(one, 120));
  const auto answer = answer_of(stream, "outline", data, kOutlineSchema);
  if (!answer || !answer->contains("points") || !(*answer)["points"].is_array()) return std::nullopt;
  std::vector<OutlinePoint> points;
  for (const Json& one : (*answer)["points"]) {
    if (!one.is_object() || points.size() >= kMostModelPoints) continue;
    OutlinePoint point{string_of(one, "question", 200), string_of(one, "query", 200)};
    if (point.query.empty()) point.query = point.question;
    if (!point.question.empty() && !orders_the_reader(point.question)) points.push_back(std::move(point));
  }
  if (points.empty()) return std::nullopt;
  return points;
}

std::optional<ModelClaims> model_claims(ResearchStream& stream, const std::string& question,
                                        const std::vector<std::string>& outline,
                                        const std::vector<SourceStatement>& statements, const SourceBook& sources) {
  if (statements.empty()) return std::nullopt;
  const Json data{{"question", question}, {"points", outline}, {"sentences", sentences_as_json(statements, sources)}};
  const auto answer = answer_of(stream, "claims", data, kClaimsSchema);
  if (!answer || !answer->contains("claims") || !(*answer)["claims"].is_array()) return std::nullopt;
  ModelClaims made;
  std::vector<std::size_t> places;
  for (const Json& one : (*answer)["claims"]) {
    places.push_back(0);
    if (!one.is_object() || made.claims.size() >= kMostClaims) continue;
    if (auto claim = claim_of(stream, one, outline, statements)) {
      made.claims.push_back(std::move(*claim));
      places.back() = made.claims.size();
    }
  }
  if (made.claims.empty()) return std::nullopt;
  made.disputes = disputes_of(*answer, places);
  made.gaps = texts_of(*answer, "gaps", kMostListed);
  made.methods = texts_of(*answer, "methods", 3);
  return made;
}

std::optional<Critique> model_critique(ResearchStream& stream, const std::string& question,
                                       const std::vector<std::string>& outline,
                                       const std::vector<ResearchClaim>& claims, const SourceBook& sources) {
  if (claims.empty()) return std::nullopt;
  const Json data{{"question", question}, {"points", outline}, {"claims", claims_as_json(claims, sources)}};
  const auto answer = answer_of(stream, "critic", data, kCritiqueSchema);
  if (!answer) return std::nullopt;
  Critique critique;
  critique.unsupported = numbers_of(*answer, "unsupported", claims.size());
  std::vector<std::size_t> places;
  for (std::size_t i = 1; i <= claims.size(); ++i) places.push_back(i);
  critique.disputes = disputes_of(*answer, places);
  critique.gaps = texts_of(*answer, "gaps", 4);
  return critique;
}

std::optional<std::string> model_summary(ResearchStream& stream, const ResearchReport& report) {
  if (report.claims.empty()) return std::nullopt;
  Json data{{"question", report.question}, {"claims", Json::array()}, {"gaps", report.gaps}};
  std::set<std::string> known = figures_in(report.question);
  const auto add_known = [&](std::string_view text) { known.merge(figures_in(text)); };
  for (const ResearchClaim& claim : report.claims) {
    Json cited = Json::array();
    for (const ResearchCitation& one : claim.citations) {
      cited.push_back(one.source);
      add_known(std::to_string(one.source));
    }
    add_known(claim.text);
    data["claims"].push_back({{"claim", claim.text}, {"state", to_string(claim.state)}, {"sources", std::move(cited)}});
  }
  for (const ResearchSource& one : report.sources) {
    data["sources"].push_back({{"number", one.number}, {"title", one.title}, {"date", one.date}});
    add_known(one.title + " " + one.date);
  }
  const auto answer = answer_of(stream, "summary", data, kSummarySchema, true);
  if (!answer) return std::nullopt;
  const std::string summary = string_of(*answer, "summary", 4000);
  if (summary.empty()) return std::nullopt;
  if (all_figures_in(summary, known)) return summary;
  stream.note("the model's summary was refused: it says a number that no claim says");
  return std::nullopt;
}

namespace {

constexpr std::size_t kMostPoints = 5;        // of an outline without a model
constexpr std::size_t kEnough = 3;            // witnesses for a fact; the specification wants two or three
constexpr std::size_t kWanted = 2;            // witnesses, before another search is worth a call
constexpr std::size_t kFactClaims = 4, kPointClaims = 4;
constexpr std::size_t kStatements = 16;       // of an aspect
constexpr std::size_t kReadAtOnce = 3;

std::string json_of(const char* name, const std::string& value) {
  JsonWriter out;
  out.begin('{');
  out.name(name);
  out.text(value);
  out.end('}');
  return out.take();
}

FoundSources parsed(const ToolOutcome& outcome, ResearchStream& stream) {
  if (outcome.failed) return {};
  auto found =
      parse_record<FoundSources>(outcome.output, "what a tool found", {.max_bytes = outcome.output.size() + 1});
  if (found.ok()) return std::move(found).value();
  stream.note(found.error().message);
  return {};
}

constexpr std::size_t kMostParts = 6, kLongestHeading = 80;

// How many words a conjunction has that begins at `at`, 0 where none does. A single character joins only in a list with
// enumeration commas, which read as "and": else 和 may belong to a word, such as 和平.
std::size_t conjunction_at(const std::vector<PlainWord>& words, std::size_t at, bool is_list) {
  static const PhraseTable phrases = phrase_table("sources", "conjunctions");
  const std::size_t found = phrases.longest(words, at).words;
  return found == 1 && words[at].kind == WordKind::kHan && !is_list ? 0 : found;
}

bool says_matter(const PlainWord& word) {
  if (word.kind == WordKind::kNumber) return true;
  const bool is_word = word.kind == WordKind::kWord || word.kind == WordKind::kHan;
  static const LexiconWords asking = lexicon_both_words("sources", "asking words");
  return is_word && !is_function_word(word.text) && !asking.contains(word.text);
}

std::string joined(const std::vector<PlainWord>& words) {
  std::string text;
  for (const PlainWord& word : words) {
    const bool apart = !text.empty() && word.kind != WordKind::kHan;
    text += (apart ? " " : "") + word.text;
  }
  return text;
}

bool holds(const std::vector<PlainWord>& words, const std::string& one) {
  return std::any_of(words.begin(), words.end(), [&](const PlainWord& word) { return word.text == one; });
}

std::size_t matters_in(const std::vector<PlainWord>& words) {
  return static_cast<std::size_t>(std::count_if(words.begin(), words.end(), says_matter));
}

/// What stands between the separators of a question.
std::vector<std::vector<PlainWord>> stretches_of(const std::string& question) {
  std::vector<std::vector<PlainWord>> parts(1);
  const auto words = plain_words(question);
  const bool is_list = holds(words, "and");
  for (std::size_t i = 0; i < words.size(); ++i) {
    const WordKind kind = words[i].kind;
    const bool ends = kind == WordKind::kComma || kind == WordKind::kStop || kind == WordKind::kQuestion;
    const std::size_t joins = conjunction_at(words, i, is_list);
    if (!ends && joins == 0) {
      parts.back().push_back(words[i]);
      continue;
    }
    if (!parts.back().empty()) parts.emplace_back();
    if (joins > 0) i += joins - 1;
  }
  std::erase_if(parts, [](const auto& part) { return matters_in(part) == 0; });
  return parts;
}

using Json = nlohmann::json;
using Names = std::vector<const char*>;

constexpr std::size_t kMostResults = 20, kMostText = 200'000;
const Names kAddresses{"url", "link", "href", "uri", "source", "path", "doi", "id"};
const Names kTitles{"title", "name", "heading"};
const Names kTexts{"text",    "content",     "body",    "markdown", "raw_content",
                   "snippet", "description", "summary", "abstract", "extract"};
const Names kDates{"date", "published", "published_date", "publishedDate", "page_age", "updated", "year"};
const Names kLists{"results", "items", "documents", "organic", "web", "data", "hits", "entries", "pages"};
const Names kQueries{"query", "q", "search", "search_query", "keywords", "question", "text", "input", "term"};
const Names kToRead{"url", "uri", "link", "path", "address", "id", "document", "page"};

std::string first_text(const Json& one, const Names& names) {
  for (const char* name : names) {
    const auto at = one.find(name);
    if (at != one.end() && at->is_string() && !at->get_ref<const std::string&>().empty()) return at->get<std::string>();
    if (at != one.end() && at->is_number_integer()) return at->dump();
  }
  return {};
}

// A list of objects, wherever it stands within two levels.
const Json* list_in(const Json& json, int depth = 0) {
  if (json.is_array()) return !json.empty() && json.front().is_object() ? &json : nullptr;
  if (!json.is_object() || depth > 2) return nullptr;
  for (const char* name : kLists)
    if (const auto at = json.find(name); at != json.end())
      if (const Json* found = list_in(*at, depth + 1)) return found;
  return nullptr;
}

FoundSource source_of(const Json& one, const std::string& tool, Provenance provenance, const std::string& asked) {
  std::string origin = first_text(one, kAddresses);
  if (origin.empty()) origin = asked;
  const std::string text = first_text(one, kTexts);
  FoundSource source = read_source(origin, std::string_view(text).substr(0, kMostText));
  if (const std::string title = first_text(one, kTitles); !title.empty()) source.title = title;
  if (const std::string date = first_text(one, kDates); !date.empty()) source.date = date;
  source.kind = kind_of_origin(origin);
  source.tool = tool;
  source.provenance = provenance;
  source.whole = !asked.empty();
  // Lines of a snippet are nobody's lines.
  if (origin.find("://") != std::string::npos || !source.whole)
    for (FoundPart& part : source.parts) part.first_line = part.last_line = 0;
  return source;
}

std::size_t end_of_address(std::string_view text, std::size_t at) {
  const auto end = text.find_first_of(" \t\r\n\"'<>()[]{}|`", at);
  std::size_t last = end == std::string_view::npos ? text.size() : end;
  while (last > at && std::string_view(".,;:!?").find(text[last - 1]) != std::string_view::npos) --last;
  return last;
}

// Text in which results follow each other: each paragraph belongs to the address in it, or to the one before.
std::vector<FoundSource> sources_in_text(std::string_view text, const std::string& tool, Provenance provenance) {
  std::vector<FoundSource> found;
  std::vector<std::string> bodies;
  std::string pending;
  for (const std::string_view line : lines_of(text)) {
    const auto at = std::min(line.find("http://"), line.find("https://"));
    if (at != std::string_view::npos && found.size() < kMostResults) {
      FoundSource source;
      source.origin = std::string(line.substr(at, end_of_address(line, at) - at));
      found.push_back(std::move(source));
      bodies.push_back(std::exchange(pending, {}) + std::string(line.substr(0, at)) + "\n");
      continue;
    }
    // What stands behind a blank line begins the next result.
    if (trimmed(line).empty() && !bodies.empty()) {
      bodies.back() += "\n" + std::exchange(pending, {});
      continue;
    }
    pending += std::string(line) + "\n";
  }
  if (!bodies.empty()) bodies.back() += pending;
  for (std::size_t i = 0; i < found.size(); ++i)
    found[i] = source_of({{"url", found[i].origin}, {"text", bodies[i]}}, tool, provenance, {});
  return found;
}

}  // namespace

Status Researcher::ask_memory() {
  const auto& tool = stream_.parts().tools.memory;
  if (!tool) return {};
  WEFT_TRY(const auto outcome, stream_.call(tool, json_of("query", question_)));
  if (outcome) found_.sources.add_all(parsed(*outcome, stream_));
  return {};
}

Status Researcher::search(const std::string& query) {
  const ResearchTools& tools = stream_.parts().tools;
  if (tools.folders) {
    WEFT_TRY(const auto outcome, stream_.call(tools.folders, json_of("query", query)));
    if (!outcome) return {};
    found_.sources.add_all(parsed(*outcome, stream_));
  }
  for (const auto& tool : tools.search) {
    const std::string arguments = arguments_for(tool->info(), query, false);
    if (arguments.empty()) {
      stream_.note(tool->info().name + " takes no question: it has no argument such as \"query\"");
      continue;
    }
    WEFT_TRY(const auto outcome, stream_.call(tool, arguments));
    if (!outcome) return {};
    if (outcome->failed) continue;
    FoundSources found = read_found(outcome->output, tool->info().name, outcome->provenance);
    if (found.sources.empty()) stream_.note(tool->info().name + " found nothing about \"" + query + "\"");
    found_.sources.add_all(std::move(found));
  }
  return {};
}

Status Researcher::read_best(std::size_t most) {
  const ResearchTools& tools = stream_.parts().tools;
  if (tools.read.empty()) return {};
  std::vector<NumberedSource> waiting = found_.sources.numbered(kind_);
  std::erase_if(waiting, [](const NumberedSource& one) {
    return one.found->whole || one.found->kind == SourceKind::kMemory || one.found->tool == kFolderSearch;
  });
  std::stable_sort(waiting.begin(), waiting.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  std::vector<std::string> origins, publishers;
  for (const NumberedSource& one : waiting) {
    // Another publisher is worth more than another page of the same one.
    const std::string publisher = publisher_of(one.found->origin);
    if (std::find(publishers.begin(), publishers.end(), publisher) != publishers.end()) continue;
    publishers.push_back(publisher);
    origins.push_back(one.found->origin);
  }
  origins.resize(std::min(origins.size(), most));
  for (const std::string& origin : origins)
    for (const auto& tool : tools.read) {
      const std::string arguments = arguments_for(tool->info(), origin, true);
      if (arguments.empty()) continue;
      WEFT_TRY(const auto outcome, stream_.call(tool, arguments));
      if (!outcome) return {};
      if (outcome->failed) continue;
      found_.sources.add_all(read_found(outcome->output, tool->info().name, outcome->provenance, origin));
      break;
    }
  return {};
}

Result<FoundSources> Researcher::read_file(const std::string& path, std::int64_t first_line) {
  const auto& tool = stream_.parts().tools.read_file;
  if (!tool) return FoundSources();
  JsonWriter out;
  out.begin('{');
  out.name("path");
  out.text(path);
  out.name("first_line");
  out.whole(first_line);
  out.end('}');
  WEFT_TRY(const auto outcome, stream_.call(tool, out.take()));
  return outcome ? parsed(*outcome, stream_) : FoundSources();
}

Status Researcher::choose_outline(std::vector<OutlinePoint>& points) {
  if (kind_ == ResearchKind::kFact) {
    points = {{question_, question_}};
  } else if (auto model = model_outline(stream_, question_, kind_, {})) {
    points = std::move(*model);
  } else if (parts_of_question(question_).size() > 1) {
    points = floor_outline(question_, {}, kMostPoints);
  } else {
    // The sources know what belongs to the matter: their headings.
    WEFT_CHECK(search(question_));
    points = floor_outline(question_, found_.sources.numbered(kind_), kMostPoints);
  }
  for (const OutlinePoint& point : points) found_.outline.push_back(point.question);
  return stream_.progress(found_.outline, 0);
}

std::size_t Researcher::witnesses_for(const std::string& aspect) {
  std::vector<std::int64_t> orders;
  const auto sources = found_.sources.numbered(kind_);
  const auto described = found_.sources.described();
  std::set<std::int64_t> witnesses;
  for (const SourceStatement& one : pick_statements(aspect, sources, stream_.parts().likeness, kStatements, orders)) {
    const ResearchSource& source = described[static_cast<std::size_t>(one.source) - 1];
    if (source.copy_of != source.number) witnesses.insert(witness_of(source));
  }
  return witnesses.size();
}

Status Researcher::work_off(const std::vector<OutlinePoint>& points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    WEFT_CHECK(search(points[i].query));
    const std::size_t wanted = kind_ == ResearchKind::kFact ? kEnough : kWanted;
    if (witnesses_for(points[i].question) < wanted) WEFT_CHECK(read_best(std::min(kReadAtOnce, wanted + 1)));
    WEFT_CHECK(stream_.progress(found_.outline, i + 1));
  }
  // What has too few witnesses is searched once more, in other words.
  for (const OutlinePoint& point : points) {
    if (stream_.left() == 0 || witnesses_for(point.question) >= kWanted) continue;
    const std::string words = words_to_search(point.question);
    if (words.empty() || words == point.query) continue;
    WEFT_CHECK(search(words));
    WEFT_CHECK(read_best(1));
  }
  return {};
}

// What the aspects have nothing for is a gap.
void Researcher::draw_claims(const std::vector<std::string>& aspects) {
  const auto sources = found_.sources.numbered(kind_);
  std::map<std::string, std::vector<SourceStatement>> by_aspect;
  std::vector<SourceStatement> all;
  std::set<std::pair<std::int64_t, std::string>> seen;
  for (const std::string& aspect : aspects) {
    std::vector<std::int64_t> orders;
    for (SourceStatement& one : pick_statements(aspect, sources, stream_.parts().likeness, kStatements, orders))
      if (seen.emplace(one.source, one.text).second) by_aspect[aspect].push_back(one), all.push_back(std::move(one));
    if (ordered_.empty()) ordered_ = std::move(orders);
  }
  note_orders();
  if (auto made = model_claims(stream_, question_, aspects, all, found_.sources)) {
    found_.by_model = true;
    found_.claims = std::move(made->claims);
    found_.disputes = std::move(made->disputes);
    found_.gaps = std::move(made->gaps);
    for (std::string& one : made->methods)
      if (!loosens_safety(one)) add_once(found_.methods, std::move(one));
  } else {
    const std::size_t most = kind_ == ResearchKind::kFact ? kFactClaims : kPointClaims;
    for (const std::string& aspect : aspects)
      for (ResearchClaim& claim : make_claims(by_aspect[aspect], sources, stream_.parts().likeness, most))
        found_.claims.push_back(std::move(claim));
    for (const std::string& aspect : aspects)
      if (by_aspect[aspect].empty()) add_once(found_.gaps, aspect);
  }
}

void Researcher::note_orders() {
  std::map<std::int64_t, int> count;
  for (const std::int64_t source : ordered_) ++count[source];
  for (const auto& [number, sentences] : count)
    stream_.note(found_.sources.find(number)->origin + ": " + std::to_string(sentences) +
                 (sentences == 1 ? " sentence speaks" : " sentences speak") +
                 " to a model like an order, and was left out");
}

Findings Researcher::take() {
  found_.notes = stream_.notes();
  found_.limit = stream_.limit();
  found_.tool_calls = stream_.used();
  return std::move(found_);
}

Result<Findings> Researcher::run() {
  WEFT_CHECK(ask_memory());
  std::vector<OutlinePoint> points;
  WEFT_CHECK(choose_outline(points));
  WEFT_CHECK(work_off(points));
  draw_claims(found_.outline);
  return take();
}

// What is to be looked at, without a model.

std::vector<std::string> parts_of_question(const std::string& question) {
  auto parts = stretches_of(question);
  if (parts.size() < 2 || parts.size() > kMostParts) return {question};
  // "cost, safety and history of the bridge", 大桥的造价、安全和历史: the longest part has what all are about.
  const auto longest = std::max_element(parts.begin(), parts.end(),
                                        [](const auto& a, const auto& b) { return matters_in(a) < matters_in(b); });
  const std::vector<PlainWord> matter = *longest;
  const bool chinese = language_of(question) == Language::kChinese;
  std::vector<std::string> found;
  for (const auto& part : parts) {
    std::vector<PlainWord> asked = part;
    if (&part != &*longest) {
      // In Chinese the matter stands before 的, in English behind "of"; where neither is said all of its words serve.
      const auto own = chinese ? std::string("的") : std::string("of");
      const auto at =
          std::find_if(matter.begin(), matter.end(), [&](const PlainWord& word) { return word.text == own; });
      const bool split = at != matter.end() && !holds(part, own);
      std::vector<PlainWord> about = !split    ? matter
                                     : chinese ? std::vector(matter.begin(), at)
                                               : std::vector(at, matter.end());
      if (!split && matters_in(part) >= 3) about.clear();  // it says itself what it is about
      if (chinese)
        asked.insert(asked.begin(), about.begin(), about.end());
      else
        asked.insert(asked.end(), about.begin(), about.end());
    }
    found.push_back(joined(asked));
  }
  return found;
}

std::vector<OutlinePoint> floor_outline(const std::string& question, std::span<const NumberedSource> sources,
                                        std::size_t most) {
  std::vector<OutlinePoint> points;
  const auto parts = parts_of_question(question);
  if (parts.size() > 1) {
    for (const std::string& part : parts)
      if (points.size() < most) points.push_back({part, part});
    return points;
  }
  // Headings by how many sources have them; the order of the weightiest source decides among equals.
  std::vector<std::string> order;
  std::map<std::string, std::set<std::int64_t>> seen;
  const auto asked = index_words(question);
  const std::set<std::string> known(asked.begin(), asked.end());
  for (const NumberedSource& source : sources)
    for (const FoundPart& part : source.found->parts) {
      const auto words = index_words(part.text);
      const bool adds =
          std::any_of(words.begin(), words.end(), [&](const auto& word) { return !known.contains(word); });
      if (!part.heading || part.text == source.found->title || part.text.size() > kLongestHeading || !adds) continue;
      if (seen[part.text].empty()) order.push_back(part.text);
      seen[part.text].insert(source.number);
    }
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto& a, const auto& b) { return seen[a].size() > seen[b].size(); });
  points.push_back({question, question});
  for (const std::string& heading : order)
    if (points.size() < most) points.push_back({heading, question + " " + heading});
  return points;
}

std::string words_to_search(const std::string& question) {
  std::vector<PlainWord> words = plain_words(question);
  const std::size_t all = words.size();
  std::erase_if(words, [](const PlainWord& word) { return !says_matter(word); });
  return words.empty() || words.size() == all ? std::string() : joined(words);
}

// What search tools of others give, as sources.

FoundSources read_found(std::string_view output, const std::string& tool, Provenance provenance,
                        const std::string& asked) {
  FoundSources found;
  const Json json = lenient_json<Json>(output);
  if (const Json* list = json.is_discarded() ? nullptr : list_in(json)) {
    for (const Json& one : *list) {
      if (found.sources.size() >= kMostResults) break;
      if (!one.is_object()) continue;
      FoundSource source = source_of(one, tool, provenance, asked);
      if (!source.origin.empty()) found.sources.push_back(std::move(source));
    }
    return found;
  }
  if (json.is_object()) {
    FoundSource source = source_of(json, tool, provenance, asked);
    if (!source.origin.empty() && !source.parts.empty()) found.sources.push_back(std::move(source));
    return found;
  }
  if (!asked.empty())
    found.sources.push_back(source_of({{"text", std::string(output.substr(0, kMostText))}}, tool, provenance, asked));
  else
    found.sources = sources_in_text(output.substr(0, kMostText), tool, provenance);
  return found;
}

std::string arguments_for(const ToolInfo& tool, const std::string& value, bool address) {
  const Json schema = lenient_json<Json>(tool.parameters.empty() ? "{}" : tool.parameters);
  if (!schema.is_object() || !schema.contains("properties") || !schema["properties"].is_object()) return {};
  const Json& properties = schema["properties"];
  const auto takes_text = [&](const std::string& name) {
    const auto at = properties.find(name);
    return at != properties.end() && at->is_object() && at->value("type", Json("string")) == "string";
  };
  for (const char* name : address ? kToRead : kQueries) {
    if (takes_text(name)) return Json{{name, value}}.dump();
    const auto at = properties.find(name);
    if (at != properties.end() && at->is_object() && at->value("type", Json()) == "array")
      return Json{{name, {value}}}.dump();
  }
  std::string only;
  if (schema.contains("required") && schema["required"].is_array())
    for (const Json& one : schema["required"]) {
      if (!one.is_string() || !takes_text(one.get<std::string>())) continue;
      if (!only.empty()) return {};
      only = one.get<std::string>();
    }
  return only.empty() ? std::string() : Json{{only, value}}.dump();
}

}  // namespace weft
