#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "surface/cli/globals.h"

/// Changing a file of another program: shown first, written only where that was asked for.
namespace weft::cli {

/// Reads the file (empty where there is none), has it changed, shows what is different, and writes it with `write`.
Status change_file(const Globals& globals, const std::filesystem::path& file, bool write,
                   const std::function<Result<std::string>(const std::string& before)>& change);

/// The options of this command line that say whose memory is meant and where it lies, to be given to another command
/// of Weft: the workspace as a whole path.
Result<std::vector<std::string>> own_options(const Globals& globals);

/// The path of this program.
Result<std::string> own_program();

/// The folder of the person's own files; `otherwise` is what to do where it is not known.
Result<std::filesystem::path> home_folder(const std::string& otherwise);

}  // namespace weft::cli
