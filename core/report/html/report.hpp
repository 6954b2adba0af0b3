#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/report/html/figure.hpp"

namespace convoy::report {

// A record that convoy wrote: by `run --output_file=x.json`, `simulate --output_file=x.json` (also
// of a sweep), `qualify --output_file=x.json` or `compare --json`.
struct NamedRecord {
  std::string name;  // name of its file, for people
  nlohmann::ordered_json record;
};

// A number that is highlighted at the top of the page.
struct Tile {
  std::string label;
  std::string value;
  std::string note;
};

struct Section {
  std::string id;
  std::string title;
  std::vector<Figure> figures;
};

// The content of a page, in order.
struct Report {
  std::string title;
  std::vector<std::string> verdicts;  // a sentence or two for each record
  std::vector<Tile> tiles;
  std::vector<Section> sections;  // the sections that have data
  nlohmann::ordered_json data;    // the data of the figures
};

// Error(kUsage) naming the record if this convoy does not know its version.
void require_known_version(const NamedRecord& named);

// Error(kUsage) naming a record that convoy did not write, or whose version this convoy does not
// know.
Report make_report(const std::vector<NamedRecord>& records);

// Returns a figure as a file of its own, with its style included.
std::string standalone_svg(const std::string& svg);

// Returns the page: a single file that needs no other, script included.
std::string report_html(const Report& report);

}  // namespace convoy::report
