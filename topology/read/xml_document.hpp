#pragma once

#include <pugixml.hpp>
#include <string>
#include <string_view>

namespace convoy::topology {

// A parsed XML text from any source. External entities are never read and entities never expanded
// (pugixml knows only the five of XML). Throws Error (kUsage), naming the source and the line, for
// text that is not well formed, larger than 64 MiB, or nested deeper than any machine is.
class XmlDocument {
 public:
  XmlDocument(std::string_view text, const std::string& source);

  pugi::xml_node root() const { return document_.document_element(); }
  // Returns "FILE:LINE" of an element.
  std::string where(const pugi::xml_node& element) const;

 private:
  std::size_t line(std::ptrdiff_t offset) const;
  void check_depth() const;

  std::string text_;
  std::string source_;
  pugi::xml_document document_;
};

}  // namespace convoy::topology
