#include "core/base/files/folder_entries.hpp"

#include <algorithm>

namespace convoy {

std::vector<std::filesystem::path> folder_entries(const std::filesystem::path& folder,
                                                  std::error_code& error) {
  std::vector<std::filesystem::path> entries;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error))
    entries.push_back(it->path());
  std::ranges::sort(entries);
  return entries;
}

}  // namespace convoy
