#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "agent/research_records.h"
#include "agent/tool.h"
#include "agent/work_folder.h"
#include "flow/memory/likeness.h"
#include "ports/index/words_index.h"

namespace weft {

/// Folders of text, Markdown, HTML and source code as sources. They are read when they are opened: what changes
/// meanwhile is not seen. No link is followed; hidden files, what build tools and package managers make, and files that
/// are no text are passed over. Immutable then, safe from many threads.
class SourceFolders {
 public:
  /// kNotFound for a folder that is not there, kInvalidArgument where it is none.
  static Result<std::shared_ptr<const SourceFolders>> open(const std::vector<std::string>& folders);

  /// A file: its path as it is cited, below which folder it lies, and what stands in it.
  struct File {
    std::string path;  ///< as the folder was named, and behind it the path below it
    std::string relative;  ///< to its folder
    std::size_t folder = 0;
    std::uintmax_t bytes = 0;
    FoundSource source;  ///< of documents; of code only its lines, see `code`
    bool code = false;
    std::string text;  ///< of code
  };
  const std::vector<File>& files() const { return files_; }
  const std::vector<std::string>& notes() const { return notes_; }
  /// Null where there is none of that path, as it is cited.
  const File* find(const std::string& path) const;

  /// The stretches that answer a question best, by their sources, the best first: by words (BM25) and, where an
  /// embedder serves, by meaning. Gives no more than `most` stretches, and no more than a third of them of one source.
  FoundSources search(const std::string& query, const Likeness& likeness, std::size_t most) const;

 private:
  struct Place {
    std::size_t file = 0, part = 0;
  };
  Status take(std::size_t folder, const WorkFolder& reader, const std::string& shown);
  void index();
  std::vector<double> scores(const std::string& query, const Likeness& likeness) const;

  std::vector<File> files_;
  std::vector<std::string> notes_;
  std::vector<Place> places_;  ///< of the stretches of documents, by their slot
  WordsIndex words_;
};

/// folder_search, folder_list and folder_read over these folders. Their outputs are `FoundSources`, but folder_list's,
/// which is a line a file.
std::vector<std::shared_ptr<Tool>> folder_tools(std::shared_ptr<const SourceFolders> folders,
                                                std::shared_ptr<const Likeness> likeness);

inline constexpr const char* kFolderSearch = "folder_search";
inline constexpr const char* kFolderList = "folder_list";
inline constexpr const char* kFolderRead = "folder_read";

}  // namespace weft
