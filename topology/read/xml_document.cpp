#include "topology/read/xml_document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"

namespace convoy::topology {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr int kDeepestElement = 200;  // hwloc nests about 12 levels, and one per PCI bridge

}  // namespace

XmlDocument::XmlDocument(std::string_view text, const std::string& source)
    : text_(text.substr(0, kMostBytes + 1)), source_(source) {
  if (text_.size() > kMostBytes)
    fail(ExitCode::kUsage, "{}: larger than 64 MiB; no machine's XML is, is it the right file?",
         source);
  const pugi::xml_parse_result result =
      document_.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result)
    fail(ExitCode::kUsage,
         "{}:{}: not well-formed XML ({}); the file may be truncated: write or copy it again",
         source, line(result.offset), result.description());
  if (!root()) fail(ExitCode::kUsage, "{}: XML without an element; write the file again", source);
  check_depth();
}

std::size_t XmlDocument::line(std::ptrdiff_t offset) const {
  const auto end = std::clamp<std::ptrdiff_t>(offset, 0, static_cast<std::ptrdiff_t>(text_.size()));
  return 1 + static_cast<std::size_t>(std::count(text_.begin(), text_.begin() + end, '\n'));
}

std::string XmlDocument::where(const pugi::xml_node& element) const {
  return fmt::format("{}:{}", source_, line(element.offset_debug()));
}

void XmlDocument::check_depth() const {
  pugi::xml_node at = root();
  int depth = 1;
  while (at) {
    if (depth > kDeepestElement)
      fail(ExitCode::kUsage, "{}: nested deeper than {} levels; no machine is, is it damaged?",
           where(at), kDeepestElement);
    if (at.first_child()) {
      at = at.first_child();
      ++depth;
      continue;
    }
    while (at && !at.next_sibling()) {
      if (at == root()) return;
      at = at.parent();
      --depth;
    }
    if (at == root()) return;
    at = at.next_sibling();
  }
}

}  // namespace convoy::topology
