// What kind of source something is, and which sources are one witness.
#include "agent/research_sources.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "agent/research_claims.h"
#include "agent/researcher.h"
#include "agent/tool.h"
#include "base/strings.h"
#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/record.h"
#include "text/utf8.h"
#include "text/words.h"
#include "weft/tool_parameters.h"

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

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 4000, kMostBytes = 2 << 20, kMostInAll = 64 << 20;
constexpr std::size_t kAllByMeaning = 400, kSomeByMeaning = 160;  // stretches whose meaning is looked at
constexpr std::size_t kPartsOfSearch = 24, kLinesOfRead = 400;
constexpr double kMeaningShare = 0.7;  // beside 0.3 of words, as in searches of memory

const std::set<std::string, std::less<>>& document_ends() {
  static const std::set<std::string, std::less<>> ends{".txt", ".text", ".md",  ".markdown", ".rst", ".adoc",
                                                       ".org", ".html", ".htm", ".xhtml",    ""};
  return ends;
}

// What tools make of sources is none.
bool is_made(const std::string& name) {
  static const std::set<std::string, std::less<>> made{"node_modules", "build",  "dist",        "out",
                                                       "target",       "vendor", "third_party", "__pycache__",
                                                       "venv",         "bin",    "obj",         "coverage"};
  return name.starts_with('.') || made.contains(name);
}

bool is_text(std::string_view bytes) { return bytes.substr(0, 8192).find('\0') == std::string_view::npos; }

struct Listed {
  std::string relative;
  std::uintmax_t bytes = 0;
};

// By name, so that the same folder gives the same report.
std::vector<Listed> list_files(const fs::path& root) {
  std::vector<Listed> found;
  std::error_code error;
  fs::recursive_directory_iterator walk(root, fs::directory_options::skip_permission_denied, error);
  for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
    const fs::directory_entry& entry = *walk;
    const std::string name = entry.path().filename().string();
    std::error_code ignored;
    if (entry.is_symlink(ignored)) continue;
    if (entry.is_directory(ignored)) {
      if (is_made(name)) walk.disable_recursion_pending();
      continue;
    }
    if (!entry.is_regular_file(ignored) || name.starts_with('.')) continue;
    found.push_back({entry.path().lexically_relative(root).generic_string(), entry.file_size(ignored)});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.relative < b.relative; });
  return found;
}

// In the order of the file, each stretch behind the heading that it stands below.
void add_headings(const std::vector<FoundPart>& all, std::vector<FoundPart>& chosen) {
  std::vector<FoundPart> told;
  const FoundPart* heading = nullptr;
  for (const FoundPart& one : all) {
    if (one.heading) heading = &one;
    const bool here = std::any_of(chosen.begin(), chosen.end(),
                                  [&](const FoundPart& part) { return part.first_line == one.first_line; });
    if (!here) continue;
    if (heading != nullptr) told.push_back(*std::exchange(heading, nullptr));
    told.push_back(one);
  }
  chosen = std::move(told);
}

std::string searched_text(const FoundSource& source, const FoundPart& part) {
  return part.heading ? part.text : source.title + "\n" + part.text;
}

namespace fs = std::filesystem;

constexpr std::size_t kDirectories = 12, kEnds = 8, kLongestQuote = 400;

std::string stem_of(const std::string& path) { return lowered(fs::path(path).stem().string()); }
std::string name_of(const std::string& path) { return lowered(fs::path(path).filename().string()); }

std::size_t depth_of(const std::string& path) {
  return static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

std::vector<ProjectFile> parse_list(std::string_view text) {
  std::vector<ProjectFile> files;
  for (const std::string_view line : lines_of(text)) {
    const auto tab = line.find('\t');
    if (tab == std::string_view::npos) continue;
    ProjectFile file{std::string(line.substr(0, tab)), 0};
    const std::string_view bytes = line.substr(tab + 1);
    std::from_chars(bytes.data(), bytes.data() + bytes.size(), file.bytes);
    files.push_back(std::move(file));
  }
  return files;
}

bool is_among(const std::string& name, const char* list) {
  static std::map<std::string, LexiconWords> lists;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  auto [at, fresh] = lists.try_emplace(list);
  if (fresh) at->second = lexicon_words("en/sources", list);
  return at->second.contains(name);
}

enum class Place { kReadme, kConfiguration, kEntry, kDocument, kOther };

Place place_of(const std::string& path) {
  if (stem_of(path).starts_with("readme")) return Place::kReadme;
  if (is_among(name_of(path), "project files")) return Place::kConfiguration;
  if (is_among(stem_of(path), "entry names")) return Place::kEntry;
  const std::string end = lowered(fs::path(path).extension().string());
  return end == ".md" || end == ".rst" || end == ".adoc" ? Place::kDocument : Place::kOther;
}

ResearchClaim claim_at(std::string aspect, std::string text, std::vector<ResearchCitation> citations) {
  ResearchClaim claim;
  claim.aspect = std::move(aspect);
  claim.text = std::move(text);
  claim.citations = std::move(citations);
  return claim;
}

/// One exploration; holds what its steps share.
class Exploration {
 public:
  Exploration(ResearchStream& stream, const std::string& question)
      : stream_(stream),
        question_(question),
        researcher_(stream, question, ResearchKind::kRepository),
        chinese_(language_of(question) == Language::kChinese) {}

  Result<Findings> run() {
    const std::vector<std::string> outline{word("Purpose", "用途"),       word("Structure", "结构"),
                                           word("Configuration", "配置"), word("Entry points", "入口"),
                                           word("Core", "核心模块"),      question_};
    WEFT_CHECK(stream_.progress(outline, 0));
    WEFT_CHECK(researcher_.ask_memory());
    WEFT_CHECK(list());
    WEFT_CHECK(read(files_to_read(files_, 6)));
    WEFT_CHECK(stream_.progress(outline, 4));
    WEFT_CHECK(read(core(3)));
    WEFT_CHECK(stream_.progress(outline, 5));
    // What others write of it, with what calls are left.
    if (stream_.left() > 0) WEFT_CHECK(researcher_.search(question_));
    if (stream_.left() > 0) WEFT_CHECK(researcher_.read_best(2));
    researcher_.draw_claims({question_});
    WEFT_CHECK(stream_.progress(outline, outline.size()));
    Findings found = researcher_.take();
    found.outline = outline;
    for (ResearchClaim& claim : claims_) found.claims.push_back(std::move(claim));
    return found;
  }

 private:
  std::string word(const char* english, const char* chinese) const { return chinese_ ? chinese : english; }

  Status list() {
    const auto& tool = stream_.parts().tools.list;
    if (!tool) {
      stream_.note("no folder of a project was given");
      return {};
    }
    WEFT_TRY(const auto outcome, stream_.call(tool, "{}"));
    if (!outcome || outcome->failed) return {};
    files_ = parse_list(outcome->output);
    if (files_.empty()) return {};
    FoundSource source;
    source.origin = fs::path(files_.front().path).parent_path().generic_string();
    for (const ProjectFile& file : files_)
      while (!file.path.starts_with(source.origin + "/") && !source.origin.empty())
        source.origin = fs::path(source.origin).parent_path().generic_string();
    source.title = word("the list of its files", "文件列表");
    source.kind = SourceKind::kProject;
    source.tool = kFolderList;
    source.whole = true;
    const std::size_t root = source.origin.size() + 1;
    const auto number = researcher_.sources().add(std::move(source));
    tell_structure(number, root);
    return {};
  }

  // Which folders hold how many files, and of which kinds they are.
  void tell_structure(std::int64_t number, std::size_t root) {
    std::map<std::string, int> folders, ends;
    for (const ProjectFile& file : files_) {
      const std::string below = file.path.substr(std::min(root, file.path.size()));
      const auto slash = below.find('/');
      ++folders[slash == std::string::npos ? "." : below.substr(0, slash) + "/"];
      if (const std::string end = fs::path(below).extension().string(); !end.empty()) ++ends[end];
    }
    const auto told = [&](const std::map<std::string, int>& counts, std::size_t most) {
      std::vector<std::pair<std::string, int>> order(counts.begin(), counts.end());
      std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
      std::string text;
      for (std::size_t i = 0; i < std::min(order.size(), most); ++i)
        text += (i > 0 ? word(", ", "，") : "") + order[i].first + " (" + std::to_string(order[i].second) + ")";
      return text;
    };
    const std::string folders_told = told(folders, kDirectories), ends_told = told(ends, kEnds);
    claims_.push_back(claim_at(word("Structure", "结构"), word("Files by folder: ", "各目录的文件数：") + folders_told,
                               {{number, 0, 0, folders_told}}));
    claims_.push_back(claim_at(word("Structure", "结构"), word("Files by kind: ", "各类型的文件数：") + ends_told,
                               {{number, 0, 0, ends_told}}));
  }

  // How often a file's name stands in the files that were read, which tells what the others build on.
  std::vector<ProjectFile> core(std::size_t most) {
    std::vector<std::pair<std::size_t, const ProjectFile*>> ranked;
    for (const ProjectFile& file : files_) {
      const std::string stem = fs::path(file.path).stem().string();
      if (read_.contains(file.path) || place_of(file.path) != Place::kOther || stem.size() < 3) continue;
      std::size_t named = 0;
      for (const FoundSource& source : researcher_.sources().all())
        for (const FoundPart& part : source.parts)
          for (std::size_t at = part.text.find(stem); at != std::string::npos; at = part.text.find(stem, at + 1))
            ++named;
      if (named > 0) ranked.emplace_back(named, &file);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<ProjectFile> chosen;
    for (std::size_t i = 0; i < std::min(most, ranked.size()); ++i) chosen.push_back(*ranked[i].second);
    return chosen;
  }

  Status read(const std::vector<ProjectFile>& files) {
    for (const ProjectFile& file : files) {
      WEFT_TRY(FoundSources found, researcher_.read_file(file.path, 1));
      read_.insert(file.path);
      for (FoundSource& source : found.sources) {
        tell_file(file.path, source);
        researcher_.sources().add(std::move(source));
      }
    }
    return {};
  }

  // A file by its first words: of a README what the project is, of code its first comment or lines.
  void tell_file(const std::string& path, const FoundSource& source) {
    const auto first = std::find_if(source.parts.begin(), source.parts.end(), [](const FoundPart& part) {
      return !part.heading && part.text.find_first_not_of("[!<#=-") == 0;
    });
    const auto& shown = first != source.parts.end() ? first : source.parts.begin();
    if (shown == source.parts.end()) return;
    const Place place = place_of(path);
    const std::string aspect = place == Place::kReadme          ? word("Purpose", "用途")
                               : place == Place::kConfiguration ? word("Configuration", "配置")
                               : place == Place::kEntry         ? word("Entry points", "入口")
                               : place == Place::kDocument      ? word("Purpose", "用途")
                                                                : word("Core", "核心模块");
    const std::string quote = preview(shown->text, kLongestQuote);
    const auto number = static_cast<std::int64_t>(researcher_.sources().size()) + 1;
    claims_.push_back(claim_at(aspect, fs::path(path).filename().string() + word(": ", "：") + quote,
                               {{number, shown->first_line, shown->last_line, quote}}));
  }

  ResearchStream& stream_;
  const std::string& question_;
  Researcher researcher_;
  const bool chinese_;
  std::vector<ProjectFile> files_;
  std::set<std::string> read_;
  std::vector<ResearchClaim> claims_;
};

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

// Folders of files as sources: what is read of them, and how they are searched.

Result<std::shared_ptr<const SourceFolders>> SourceFolders::open(const std::vector<std::string>& folders) {
  auto made = std::make_shared<SourceFolders>();
  for (std::size_t i = 0; i < folders.size(); ++i) {
    std::error_code error;
    const fs::path path(folders[i]);
    if (!fs::exists(path, error)) return not_found("there is no folder " + folders[i], "name one with --sources");
    if (!fs::is_directory(path, error)) return invalid_argument(folders[i] + " is no folder", "name its folder");
    WEFT_TRY(const WorkFolder reader, WorkFolder::open(path));
    WEFT_CHECK(made->take(i, reader, folders[i]));
  }
  made->index();
  return std::shared_ptr<const SourceFolders>(std::move(made));
}

Status SourceFolders::take(std::size_t folder, const WorkFolder& reader, const std::string& shown) {
  std::size_t total = 0;
  for (const Listed& one : list_files(reader.path())) {
    if (files_.size() >= kMostFiles || total > kMostInAll) {
      notes_.push_back(shown + ": more files than are read; the first " + std::to_string(files_.size()) + " are");
      break;
    }
    auto text = reader.read(one.relative, kMostBytes);
    if (!text.ok()) {
      notes_.push_back(text.error().message);
      continue;
    }
    if (!is_text(*text)) continue;
    total += text->size();
    File file{(fs::path(shown) / one.relative).generic_string(), one.relative, folder, one.bytes, {}, false, {}};
    file.code = !document_ends().contains(lowered(fs::path(one.relative).extension().string()));
    if (file.code) {
      file.source.origin = file.path;
      file.source.kind = SourceKind::kProject;
      file.text = std::move(text).value();
    } else {
      file.source = read_source(one.relative, *text);  // its kind is told by names below the folder, not above it
      file.source.origin = file.path;
    }
    file.source.tool = kFolderSearch;
    files_.push_back(std::move(file));
  }
  return {};
}

void SourceFolders::index() {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const auto& parts = files_[i].source.parts;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (parts[k].heading) continue;
      words_.add(static_cast<std::uint32_t>(places_.size()), index_terms(searched_text(files_[i].source, parts[k])));
      places_.push_back({i, k});
    }
  }
}

const SourceFolders::File* SourceFolders::find(const std::string& path) const {
  const auto found = std::find_if(files_.begin(), files_.end(), [&](const File& one) { return one.path == path; });
  return found == files_.end() ? nullptr : &*found;
}

std::vector<double> SourceFolders::scores(const std::string& query, const Likeness& likeness) const {
  std::vector<float> by_words(places_.size(), 0);
  std::vector<WordsIndex::QueryTerm> terms;
  std::set<Term> seen;
  for (const Term term : index_terms(query))
    if (seen.insert(term).second) terms.push_back({term, 1});
  words_.score(terms, {}, by_words);
  const float best = by_words.empty() ? 0 : *std::max_element(by_words.begin(), by_words.end());
  std::vector<double> scores(by_words.size());
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = best > 0 ? by_words[i] / best : 0;
  if (!likeness.by_meaning()) return scores;
  std::vector<std::size_t> looked(scores.size());
  for (std::size_t i = 0; i < looked.size(); ++i) looked[i] = i;
  std::stable_sort(looked.begin(), looked.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  if (looked.size() > kAllByMeaning) looked.resize(kSomeByMeaning);
  std::vector<std::string> texts;
  for (const std::size_t slot : looked) {
    const FoundSource& source = files_[places_[slot].file].source;
    texts.push_back(searched_text(source, source.parts[places_[slot].part]));
  }
  const auto alike = likeness.to_all(query, texts);
  for (std::size_t i = 0; i < looked.size(); ++i)
    scores[looked[i]] = kMeaningShare * alike[i] + (1 - kMeaningShare) * scores[looked[i]];
  return scores;
}

FoundSources SourceFolders::search(const std::string& query, const Likeness& likeness, std::size_t most) const {
  const std::vector<double> score = scores(query, likeness);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < score.size(); ++i)
    if (score[i] > 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return score[a] > score[b]; });
  FoundSources found;
  std::map<std::size_t, std::size_t> place;  // of a file among the sources
  std::size_t taken = 0;
  for (const std::size_t slot : order) {
    if (taken == most) break;
    const auto [file, part] = places_[slot];
    const auto [at, fresh] = place.try_emplace(file, found.sources.size());
    if (fresh) {
      FoundSource source = files_[file].source;
      source.parts.clear();
      source.whole = false;
      found.sources.push_back(std::move(source));
    }
    auto& parts = found.sources[at->second].parts;
    if (parts.size() >= std::max<std::size_t>(1, most / 3)) continue;
    parts.push_back(files_[file].source.parts[part]);
    ++taken;
  }
  for (const auto& [file, at] : place) add_headings(files_[file].source.parts, found.sources[at].parts);
  return found;
}

namespace {

struct FolderArguments {
  std::string query, path;
  std::int64_t first_line = 1;
};

}  // namespace

WEFT_DESCRIBED(FolderArguments);

template <>
const Record<FolderArguments>& record<FolderArguments>() {
  static const auto made = Record<FolderArguments>("FolderArguments", "", RecordUse::kAsked)
                               .field("query", &FolderArguments::query, "")
                               .field("path", &FolderArguments::path, "")
                               .field("first_line", &FolderArguments::first_line, "", {.least = 1});
  return made;
}

namespace {

// Of code as of a document: stretches between blank lines.
FoundSource lines_from(const SourceFolders::File& file, std::int64_t first) {
  FoundSource source = file.source;
  source.tool = kFolderRead;
  source.parts.clear();
  source.whole = true;
  std::int64_t number = 0;
  FoundPart open;
  const auto close = [&] {
    if (!open.text.empty()) source.parts.push_back(std::move(open));
    open = {};
  };
  for (const std::string_view line : lines_of(file.text)) {
    if (++number < first) continue;
    if (number - first >= static_cast<std::int64_t>(kLinesOfRead)) {
      source.whole = false;
      break;
    }
    if (trimmed(line).empty()) {
      close();
      continue;
    }
    if (open.text.empty()) open.first_line = number;
    open.last_line = number;
    open.text += (open.text.empty() ? "" : "\n") + std::string(line);
  }
  close();
  return source;
}

Result<ToolOutcome> read_file_of(const SourceFolders& folders, const FolderArguments& what) {
  const auto* file = folders.find(what.path);
  if (file == nullptr) return ToolOutcome{"there is no file " + what.path, true};
  if (file->code) return ToolOutcome{to_json(FoundSources{{lines_from(*file, what.first_line)}, {}})};
  FoundSource source = file->source;
  source.tool = kFolderRead;
  std::erase_if(source.parts, [&](const FoundPart& part) { return part.last_line < what.first_line; });
  return ToolOutcome{to_json(FoundSources{{std::move(source)}, {}})};
}

ToolOutcome list_of(const SourceFolders& folders) {
  std::string text;
  for (const auto& file : folders.files()) text += file.path + "\t" + std::to_string(file.bytes) + "\n";
  return ToolOutcome{text};
}

}  // namespace

std::vector<std::shared_ptr<Tool>> folder_tools(std::shared_ptr<const SourceFolders> folders,
                                                std::shared_ptr<const Likeness> likeness) {
  return {
      make_tool({kFolderSearch, "Searches the files that were given as sources.",
                 ToolParameters().text("query", "what is to be found out")},
                ToolEffects::kNone,
                [folders, likeness](const ToolRequest& request) -> Result<ToolOutcome> {
                  WEFT_TRY(const auto what, parse_record<FolderArguments>(request.arguments, "the arguments"));
                  return ToolOutcome{to_json(folders->search(what.query, *likeness, kPartsOfSearch))};
                }),
      make_tool({kFolderList, "Lists the files that were given as sources.", ToolParameters()}, ToolEffects::kNone,
                [folders](const ToolRequest&) -> Result<ToolOutcome> { return list_of(*folders); }),
      make_tool({kFolderRead, "Reads a file that was given as a source.",
                 ToolParameters().text("path", "as the list has it").integer("first_line", "from which on").optional()},
                ToolEffects::kNone,
                [folders](const ToolRequest& request) -> Result<ToolOutcome> {
                  WEFT_TRY(const auto what, parse_record<FolderArguments>(request.arguments, "the arguments"));
                  return read_file_of(*folders, what);
                }),
  };
}

// Exploring a project without knowing its language: by names that projects share, and by what its files name.

std::vector<ProjectFile> files_to_read(const std::vector<ProjectFile>& all, std::size_t most) {
  std::vector<ProjectFile> chosen;
  for (const auto& [place, count] :
       {std::pair(Place::kReadme, 1), std::pair(Place::kConfiguration, 2), std::pair(Place::kEntry, 3)}) {
    std::vector<ProjectFile> fits;
    for (const ProjectFile& file : all)
      if (place_of(file.path) == place) fits.push_back(file);
    // What lies near the root tells of the whole.
    std::stable_sort(fits.begin(), fits.end(),
                     [](const auto& a, const auto& b) { return depth_of(a.path) < depth_of(b.path); });
    for (std::size_t i = 0; i < std::min<std::size_t>(static_cast<std::size_t>(count), fits.size()); ++i)
      if (chosen.size() < most) chosen.push_back(fits[i]);
  }
  return chosen;
}

Result<Findings> explore_repository(ResearchStream& stream, const std::string& question) {
  return Exploration(stream, question).run();
}

}  // namespace weft
