#pragma once

#include <cstddef>
#include <map>
#include <pugixml.hpp>
#include <string>

namespace convoy::topology {

// Numbers the objects of an hwloc XML in the order of writing, and remembers the object of each
// node, because matrices refer to it ("PCIDev:12").
class HwlocNumbers {
 public:
  pugi::xml_node append(pugi::xml_node parent, const char* type) {
    pugi::xml_node object = parent.append_child("object");
    object.append_attribute("type") = type;
    object.append_attribute("gp_index") = ++last_;
    return object;
  }

  pugi::xml_node append(pugi::xml_node parent, const char* type, std::size_t node) {
    pugi::xml_node object = append(parent, type);
    names_[node] = std::string(type) + ":" + std::to_string(last_);
    return object;
  }

  // Returns the number of objects.
  unsigned count() const { return last_; }
  bool contains(std::size_t node) const { return names_.contains(node); }
  const std::string& name(std::size_t node) const { return names_.at(node); }

 private:
  unsigned last_ = 0;
  std::map<std::size_t, std::string> names_;
};

// Appends <info name=... value=...>, unless the value is empty.
inline void append_hwloc_info(pugi::xml_node object, const char* name, const std::string& value) {
  if (value.empty()) return;
  pugi::xml_node info = object.append_child("info");
  info.append_attribute("name") = name;
  info.append_attribute("value") = value.c_str();
}

}  // namespace convoy::topology
