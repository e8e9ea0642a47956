// Files below the work folder.
#include "agent/builtin_tools.h"
#include "agent/function_tool.h"
#include "weft/tool_parameters.h"

namespace weft {
namespace {

constexpr std::size_t kMostBytes = 8 << 20, kMostEntries = 2000;

struct FileArguments {
  std::string path, content;
  bool deep = false;
};

}  // namespace

WEFT_DESCRIBED(FileArguments);

template <>
const Record<FileArguments>& record<FileArguments>() {
  static const auto made = Record<FileArguments>("FileArguments", "", RecordUse::kAsked)
                               .field("path", &FileArguments::path, "below the work folder")
                               .field("content", &FileArguments::content, "the whole text")
                               .field("deep", &FileArguments::deep, "folders below it, too");
  return made;
}

namespace {

Result<FileArguments> arguments_of(const ToolRequest& request) {
  return parse_record<FileArguments>(request.arguments, "the arguments");
}

// What goes wrong with a file is told to the model; the tool itself works.
ToolOutcome told(const Error& error) { return {error.message + (error.hint.empty() ? "" : ". " + error.hint), true}; }

Result<ToolOutcome> list_files(const WorkFolder& folder, const ToolRequest& request) {
  WEFT_TRY(const FileArguments what, arguments_of(request));
  const auto entries = folder.list(what.path, what.deep, kMostEntries);
  if (!entries.ok()) return told(entries.error());
  std::string text;
  for (const auto& one : *entries)
    text += one.path + (one.folder ? "/" : "\t" + std::to_string(one.bytes) + " bytes") + "\n";
  if (entries->size() == kMostEntries) text += "[there are more]\n";
  return ToolOutcome{text.empty() ? "[the folder is empty]" : text};
}

}  // namespace

std::vector<std::shared_ptr<Tool>> file_tools(std::shared_ptr<const WorkFolder> folder) {
  return {
      make_tool({"file_read", "Reads a text file of the work folder.",
                 ToolParameters().text("path", "of the file, below the work folder")},
                ToolEffects::kNone,
                [folder](const ToolRequest& request) -> Result<ToolOutcome> {
                  WEFT_TRY(const FileArguments what, arguments_of(request));
                  auto text = folder->read(what.path, kMostBytes);
                  return text.ok() ? ToolOutcome{std::move(text).value()} : told(text.error());
                }),
      // The same file with the same content: to write it twice is to write it once.
      make_tool({"file_write", "Writes a text file of the work folder, in the place of what stood there.",
                 ToolParameters()
                     .text("path", "of the file, below the work folder; folders are made")
                     .text("content", "the whole text")},
                ToolEffects::kKeyed,
                [folder](const ToolRequest& request) -> Result<ToolOutcome> {
                  WEFT_TRY(const FileArguments what, arguments_of(request));
                  const Status written = folder->write(what.path, what.content);
                  if (!written.ok()) return told(written.error());
                  return ToolOutcome{"written: " + std::to_string(what.content.size()) + " bytes"};
                }),
      make_tool({"file_list", "Lists the files of the work folder.",
                 ToolParameters()
                     .text("path", "of a folder below it; empty: the work folder")
                     .optional()
                     .flag("deep", "folders below it, too")
                     .optional()},
                ToolEffects::kNone, [folder](const ToolRequest& request) { return list_files(*folder, request); }),
  };
}

}  // namespace weft
