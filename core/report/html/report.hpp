#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/report/html/figure.hpp"

namespace convoy::report {

// A record that convoy wrote: of `run --output_file=x.json`, `simulate --output_file=x.json`, a
// sweep's included, `qualify --output_file=x.json` or `compare --json`.
struct NamedRecord {
  std::string name;  // of its file, for people
  nlohmann::ordered_json record;
};

// A number that stands out at the top of the page.
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

// Everything that a page says, in its order.
struct Report {
  std::string title;
  std::vector<std::string> verdicts;  // a sentence or two for each record
  std::vector<Tile> tiles;
  std::vector<Section> sections;  // those that there are data for
  nlohmann::ordered_json data;    // what the figures were made from
};

// Error(kUsage) naming the record: its version is one that this convoy does not know.
void require_known_version(const NamedRecord& named);

// Error(kUsage) naming the record that convoy did not write, or a version that this one does not
// know.
Report make_report(const std::vector<NamedRecord>& records);

// A figure as a file of its own, with its style in it.
std::string standalone_svg(const std::string& svg);

// The page: one file that needs nothing else, script included.
std::string report_html(const Report& report);

}  // namespace convoy::report
