#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "core/base/text/drawing.hpp"
#include "core/base/text/json.hpp"
#include "core/base/text/style_sheet.hpp"
#include "core/base/version.hpp"
#include "core/report/html/draw.hpp"
#include "core/report/html/page_assets.hpp"
#include "core/report/html/report.hpp"

namespace convoy::report {
namespace {

// Pictures are drawn once for each of these page widths, so that letters always have the same size.
// The style sheet shows one of them.
constexpr double kNarrowWidth = 344;
constexpr double kHalfWidth = 536;
constexpr double kFullPage = 1100;

std::string picture(const char* shown, const std::string& svg) {
  return fmt::format("<div class=\"{}\">{}</div>", shown, svg);
}

std::string figure_html(const std::string& title, const std::string& classes,
                        const std::string& content) {
  return fmt::format("<figure class=\"{}\"><figcaption>{}</figcaption>{}</figure>\n", classes,
                     escaped_markup(title), content);
}

std::string html(const TimelineChart& chart, bool) {
  return figure_html(chart.title, "wide",
                     picture("on-wide", draw(chart, kFullPage)) +
                         picture("on-half", draw(chart, kHalfWidth)) +
                         picture("on-narrow", draw(chart, kNarrowWidth)));
}

// Keeps a command's flag in one line if possible, and its hyphens with its name, because browsers
// would break the line after them.
std::string flag_html(const std::string& flag) {
  const std::size_t head = std::min<std::size_t>(3, flag.size());  // "--" and a letter
  return "<span class=\"flag\"><span>" + escaped_markup(flag.substr(0, head)) + "</span>" +
         escaped_markup(flag.substr(head)) + "</span>";
}

std::string cell_html(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    result += word.starts_with("--") ? flag_html(word) : escaped_markup(word);
    if (end < text.size()) result += ' ';
    at = end + 1;
  }
  return result;
}

// Number of letters. A longer cell has several lines.
constexpr std::size_t kLongCell = 60;

std::string html(const Table& table, bool fills_row) {
  std::string text = "<div class=\"scroll\"><table>";
  if (!table.heads.empty()) {
    text += "<thead><tr>";
    for (const std::string& head : table.heads) text += "<th>" + escaped_markup(head) + "</th>";
    text += "</tr></thead>";
  }
  text += "<tbody>";
  for (const std::vector<std::string>& row : table.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const char* cell = i == 0 && table.heads.empty() ? "th" : "td";
      const char* classes = row[i].size() > kLongCell ? " class=\"long\"" : "";
      text += fmt::format("<{0}{1}>{2}</{0}>", cell, classes, cell_html(row[i]));
    }
    text += "</tr>";
  }
  const char* classes = !table.heads.empty() ? "wide table" : fills_row ? "facts wide" : "facts";
  return figure_html(table.title, classes, text + "</tbody></table></div>");
}

template <typename Chart>
std::string html(const Chart& chart, bool fills_row) {
  std::string narrow = picture("on-narrow", draw(chart, kNarrowWidth));
  if constexpr (requires { chart.note; })
    if (!chart.note.empty()) narrow += "<p class=\"note\">" + escaped_markup(chart.note) + "</p>";
  if (!fills_row)
    return figure_html(chart.title, "",
                       picture("on-half on-wide", draw(chart, kHalfWidth)) + narrow);
  return figure_html(chart.title, "wide",
                     picture("on-wide", draw(chart, kFullPage)) +
                         picture("on-half", draw(chart, kHalfWidth)) + narrow);
}

// Returns half-width figures without a neighbour. They get a row of their own.
std::set<std::size_t> without_partner(const std::vector<Figure>& figures) {
  std::set<std::size_t> alone;
  std::optional<std::size_t> waiting;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const auto* const table = std::get_if<Table>(&figures[i]);
    const bool wide = std::holds_alternative<TimelineChart>(figures[i]) ||
                      (table != nullptr && !table->heads.empty());
    if (wide && waiting) alone.insert(*waiting);
    waiting = wide || waiting ? std::nullopt : std::optional(i);
  }
  if (waiting) alone.insert(*waiting);
  return alone;
}

std::string header_html(const Report& report) {
  std::string text =
      "<header><p class=\"kind\">convoy report</p><h1>" + escaped_markup(report.title) + "</h1>";
  for (std::size_t i = 0; i < report.verdicts.size(); ++i)
    text += fmt::format("<p class=\"{}\">{}</p>", i == 0 ? "verdict" : "more",
                        escaped_markup(report.verdicts[i]));
  if (!report.tiles.empty()) {
    text += "<dl class=\"tiles\">";
    for (const Tile& tile : report.tiles)
      text += fmt::format("<div><dt>{}</dt><dd>{}</dd><dd class=\"note\">{}</dd></div>",
                          escaped_markup(tile.label), escaped_markup(tile.value),
                          escaped_markup(tile.note));
    text += "</dl>";
  }
  return text + "</header>\n";
}

std::string navigation_html(const Report& report) {
  std::string text = "<nav aria-label=\"Sections\">";
  for (const Section& section : report.sections)
    text += fmt::format("<a href=\"#{}\">{}</a>", section.id, escaped_markup(section.title));
  return text + "</nav>\n";
}

std::string section_html(const Section& section) {
  std::string text =
      fmt::format("<section id=\"{}\"><h2>{}</h2>\n", section.id, escaped_markup(section.title));
  text += "<div class=\"figures\">";
  const std::set<std::size_t> alone = without_partner(section.figures);
  for (std::size_t i = 0; i < section.figures.size(); ++i)
    text +=
        std::visit([&](const auto& it) { return html(it, alone.contains(i)); }, section.figures[i]);
  return text + "</div></section>\n";
}

// Escapes the data, so that no text of a record can end the element that contains it.
std::string data_html(const nlohmann::ordered_json& data) {
  std::string text;
  for (const char c : json_text(data)) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return "<script type=\"application/json\" id=\"convoy-data\">" + text + "</script>\n";
}

}  // namespace

std::string standalone_svg(const std::string& svg) {
  constexpr double kMargin = 20;
  const auto size = [&svg](const char* name) {
    const std::string attribute = std::string(" ") + name + "=\"";
    double value = 0;
    std::from_chars(svg.data() + svg.find(attribute) + attribute.size(), svg.data() + svg.size(),
                    value);
    return value;
  };
  const double width = size("width") + 2 * kMargin;
  const double height = size("height") + 2 * kMargin;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"{2:.0f} {2:.0f} {0:.0f} {1:.0f}\">\n<style><![CDATA[\n{3}]]></style>\n<rect "
      "x=\"{2:.0f}\" y=\"{2:.0f}\" width=\"100%\" "
      "height=\"100%\" class=\"paper\"/>\n{4}{5}</svg>\n",
      width, height, -kMargin,
      without_variables(kFigureStyle + std::string(".paper { fill: var(--card); }")), kPatterns,
      svg);
}

std::string report_html(const Report& report) {
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"generator\" content=\"convoy {}\">\n<title>{}</title>\n<style>\n{}{}</style>\n"
      "</head>\n<body>\n{}<main>\n",
      kVersion, escaped_markup(report.title), kFigureStyle, kStyle, kPatterns);
  page += header_html(report) + navigation_html(report);
  for (const Section& section : report.sections) page += section_html(section);
  return page +
         fmt::format(
             "<footer>convoy {}. Axes begin at zero unless they say otherwise.</footer>"
             "\n</main>\n",
             kVersion) +
         data_html(report.data) + fmt::format("<script>\n{}</script>\n</body>\n</html>\n", kScript);
}

}  // namespace convoy::report
