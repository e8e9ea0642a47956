// What kind of source something is, and which sources are one witness.
#include "agent/research_sources.h"

#include <algorithm>
#include <map>

#include "base/lowered.h"
#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kRun = 6, kWindow = 4;  // words of a run; runs of a window
constexpr double kCopied = 0.5;
constexpr std::size_t kLongSentence = 12, kLongHan = 24;  // words that nobody else writes by chance

// "https://a.b.c:80/x?y" → "a.b.c", and the path behind it.
std::pair<std::string, std::string> parts_of(std::string_view origin) {
  const auto scheme = origin.find("://");
  if (scheme == std::string_view::npos) return {"", std::string(origin)};
  origin.remove_prefix(scheme + 3);
  const auto end = origin.find_first_of("/?#");
  std::string host = lowered(std::string(origin.substr(0, end)));
  if (const auto user = host.rfind('@'); user != std::string::npos) host.erase(0, user + 1);
  if (const auto port = host.find(':'); port != std::string::npos) host.erase(port);
  if (host.starts_with("www.")) host.erase(0, 4);
  return {host, end == std::string_view::npos ? "" : std::string(origin.substr(end))};
}

bool ends_host(std::string_view host, std::string_view end) {
  return host == end || (host.size() > end.size() && host.ends_with(end) && host[host.size() - end.size() - 1] == '.');
}

bool host_among(std::string_view host, const char* list) {
  const auto ends = lexicon("en/sources", list);
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return ends_host(host, end); });
}

const std::vector<std::pair<const char*, SourceKind>>& marks() {
  static const std::vector<std::pair<const char*, SourceKind>> made{
      {"documentation marks", SourceKind::kOfficial},      {"paper marks", SourceKind::kPaper},
      {"encyclopaedia marks", SourceKind::kEncyclopaedia}, {"news marks", SourceKind::kNews},
      {"official blog marks", SourceKind::kOfficialBlog},  {"report marks", SourceKind::kReport}};
  return made;
}

// Names of folders and labels of hosts, whole: "newspapers/a.md", not "newsletter-ideas.md".
SourceKind kind_by_marks(std::string_view text, std::string_view separators) {
  const std::string low = lowered(std::string(text));
  for (std::size_t at = 0; at < low.size();) {
    const auto end = low.find_first_of(separators, at);
    if (end == std::string::npos) break;  // the last part is the file's own name, or the host's end
    const SourceKind kind = kind_of_word(std::string_view(low).substr(at, end - at));
    if (kind != SourceKind::kOther) return kind;
    at = end + 1;
  }
  return SourceKind::kOther;
}

}  // namespace

SourceKind kind_of_word(std::string_view word) {
  const std::string low = lowered(std::string(word));
  for (const SourceKind kind : kSourceKinds)
    if (kind != SourceKind::kMemory && to_string(kind) == low) return kind;
  for (const auto& [list, kind] : marks()) {
    const auto words = lexicon("en/sources", list);
    if (std::find(words.begin(), words.end(), low) != words.end()) return kind;
  }
  return SourceKind::kOther;
}

SourceKind kind_of_origin(std::string_view origin) {
  const auto [host, path] = parts_of(origin);
  if (host.empty()) return kind_by_marks(path, "/\\");
  if (host_among(host, "official hosts")) return SourceKind::kOfficial;
  if (host_among(host, "encyclopaedia hosts")) return SourceKind::kEncyclopaedia;
  if (host_among(host, "paper hosts")) return SourceKind::kPaper;
  if (host_among(host, "news hosts")) return SourceKind::kNews;
  if (host_among(host, "report hosts")) return SourceKind::kReport;
  const SourceKind by_label = kind_by_marks(host.substr(0, host.size() - publisher_of(origin).size()), ".");
  if (by_label != SourceKind::kOther) return by_label;
  // Of a path only what says where a maker writes: anybody may have a folder of papers.
  const SourceKind by_path = kind_by_marks(path, "/");
  return by_path == SourceKind::kOfficialBlog || by_path == SourceKind::kNews ? by_path : SourceKind::kOther;
}

int source_rank(SourceKind source, ResearchKind research) {
  static const std::map<SourceKind, int> fact{
      {SourceKind::kOfficial, 0}, {SourceKind::kProject, 0}, {SourceKind::kEncyclopaedia, 1},
      {SourceKind::kNews, 2},     {SourceKind::kPaper, 2},   {SourceKind::kOfficialBlog, 3},
      {SourceKind::kReport, 4},   {SourceKind::kMemory, 5},  {SourceKind::kOther, 6}};
  static const std::map<SourceKind, int> topic{
      {SourceKind::kOfficial, 0},     {SourceKind::kProject, 0}, {SourceKind::kPaper, 1},
      {SourceKind::kOfficialBlog, 2}, {SourceKind::kReport, 3},  {SourceKind::kEncyclopaedia, 3},
      {SourceKind::kNews, 4},         {SourceKind::kMemory, 5},  {SourceKind::kOther, 6}};
  return (research == ResearchKind::kFact ? fact : topic).at(source);
}

std::string publisher_of(std::string_view origin) {
  const std::string host = parts_of(origin).first;
  const auto last = host.rfind('.');
  if (last == std::string::npos) return host;
  const auto second = host.rfind('.', last - 1);
  if (second == std::string::npos) return host;
  // example.co.uk: the second label is nobody's.
  static const LexiconWords shared = lexicon_words("en/sources", "shared labels");
  const std::string label = host.substr(second + 1, last - second - 1);
  if (host.size() - last - 1 != 2 || !shared.contains(label)) return host.substr(second + 1);
  const auto third = host.rfind('.', second - 1);
  return third == std::string::npos ? host : host.substr(third + 1);
}

std::vector<std::uint32_t> text_sketch(std::string_view text) {
  std::vector<std::string> words;
  for (PlainWord& word : plain_words(text))
    if (word.kind == WordKind::kWord || word.kind == WordKind::kHan || word.kind == WordKind::kNumber)
      words.push_back(std::move(word.text));
  std::vector<std::uint32_t> runs;
  const std::size_t run = std::min(kRun, words.size());
  for (std::size_t i = 0; run > 0 && i + run <= words.size(); ++i) {
    std::string joined;
    for (std::size_t k = i; k < i + run; ++k) joined += words[k] + ' ';
    runs.push_back(term_of(joined));
  }
  std::vector<std::uint32_t> sketch;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::size_t end = std::min(i + kWindow, runs.size());
    sketch.push_back(*std::min_element(runs.begin() + static_cast<std::ptrdiff_t>(i),
                                       runs.begin() + static_cast<std::ptrdiff_t>(end)));
    if (end == runs.size()) break;
  }
  std::sort(sketch.begin(), sketch.end());
  sketch.erase(std::unique(sketch.begin(), sketch.end()), sketch.end());
  return sketch;
}

double shared_sketch(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  if (a.empty() || b.empty()) return 0;
  const auto& small = a.size() < b.size() ? a : b;
  const auto& large = a.size() < b.size() ? b : a;
  const auto both = std::count_if(small.begin(), small.end(), [&](std::uint32_t one) {
    return std::binary_search(large.begin(), large.end(), one);
  });
  return static_cast<double>(both) / static_cast<double>(small.size());
}

bool is_copied_sentence(std::string_view a, std::string_view b) {
  const auto one = plain_words(a), other = plain_words(b);
  std::size_t letters = 0, han = 0;
  const auto same = [](const std::vector<PlainWord>& words) {
    std::string joined = " ";
    for (const PlainWord& word : words)
      if (word.kind != WordKind::kComma && word.kind != WordKind::kStop) joined += word.text + ' ';
    return joined;
  };
  const auto& shorter = one.size() < other.size() ? one : other;
  for (const PlainWord& word : shorter) ++(word.kind == WordKind::kHan ? han : letters);
  if (letters < kLongSentence && han < kLongHan) return false;
  const auto& longer = one.size() < other.size() ? other : one;
  return same(longer).find(same(shorter)) != std::string::npos;
}

void mark_copies(const std::vector<FoundSource>& found, std::vector<ResearchSource>& sources) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    ResearchSource& source = sources[i];
    source.copy_of = 0;
    if (source.kind == SourceKind::kMemory && source.origin.find(kResearchSession) != std::string::npos) {
      source.copy_of = source.number;
      continue;
    }
    const std::string publisher = publisher_of(source.origin);
    for (std::size_t k = 0; k < i && source.copy_of == 0; ++k) {
      const bool published = !publisher.empty() && publisher_of(sources[k].origin) == publisher;
      if (published || shared_sketch(found[i].sketch, found[k].sketch) >= kCopied)
        source.copy_of = sources[k].copy_of != 0 ? sources[k].copy_of : sources[k].number;
    }
  }
}

std::int64_t witness_of(const ResearchSource& source) { return source.copy_of != 0 ? source.copy_of : source.number; }

}  // namespace weft
