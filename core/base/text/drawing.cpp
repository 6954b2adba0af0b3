#include "core/base/text/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace convoy {
namespace {

constexpr double kLetter = 0.61;  // width of a letter in wide fonts, relative to the font's size

const char* name_of(Drawing::Anchor anchor) {
  switch (anchor) {
    case Drawing::Anchor::kMiddle:
      return "middle";
    case Drawing::Anchor::kEnd:
      return "end";
    default:
      return "start";
  }
}

bool continues_letter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

std::size_t letters(std::string_view words) {
  return static_cast<std::size_t>(
      std::count_if(words.begin(), words.end(), [](char byte) { return !continues_letter(byte); }));
}

}  // namespace

std::string escaped_markup(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n') result += c;
    }
  }
  return result;
}

void Drawing::end(std::string_view element, std::string_view title) {
  if (title.empty())
    content_ += "/>\n";
  else
    fmt::format_to(std::back_inserter(content_), "><title>{}</title></{}>\n", escaped_markup(title),
                   element);
}

void Drawing::rect(const Box& box, std::string_view classes, std::string_view title,
                   std::string_view attributes) {
  fmt::format_to(std::back_inserter(content_),
                 "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                 "class=\"{}\"{}{}",
                 box.x, box.y, box.width, box.height, classes, attributes.empty() ? "" : " ",
                 attributes);
  end("rect", title);
}

void Drawing::line(double x1, double y1, double x2, double y2, std::string_view classes) {
  fmt::format_to(std::back_inserter(content_),
                 "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n",
                 x1, y1, x2, y2, classes);
}

void Drawing::circle(double x, double y, double radius, std::string_view classes,
                     std::string_view title) {
  fmt::format_to(std::back_inserter(content_),
                 "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" class=\"{}\"", x, y, radius,
                 classes);
  end("circle", title);
}

void Drawing::path(std::string_view data, std::string_view classes, std::string_view title) {
  fmt::format_to(std::back_inserter(content_), "<path d=\"{}\" class=\"{}\"", data, classes);
  end("path", title);
}

void Drawing::text(double x, double y, std::string_view words, std::string_view classes,
                   Anchor anchor) {
  fmt::format_to(std::back_inserter(content_), "<text x=\"{:.1f}\" y=\"{:.1f}\"", x, y);
  if (anchor != Anchor::kStart)
    fmt::format_to(std::back_inserter(content_), " text-anchor=\"{}\"", name_of(anchor));
  if (!classes.empty()) fmt::format_to(std::back_inserter(content_), " class=\"{}\"", classes);
  fmt::format_to(std::back_inserter(content_), ">{}</text>\n", escaped_markup(words));
}

std::string Drawing::svg(double width, double height, std::string_view label,
                         std::string_view attributes) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" aria-label=\"{2}\"{3}{4}>\n{5}</svg>\n",
      width, height, escaped_markup(label), attributes.empty() ? "" : " ", attributes, content_);
}

double text_width(std::string_view words, double font_size) {
  return kLetter * font_size * static_cast<double>(letters(words));
}

std::string fitted(std::string_view words, double width, double font_size) {
  if (text_width(words, font_size) <= width) return std::string(words);
  const auto room = static_cast<std::size_t>(std::max(1.0, width / (kLetter * font_size)));
  std::size_t end = 0;
  for (std::size_t count = 0; end < words.size() && count + 1 < room; ++end)
    if (end + 1 == words.size() || !continues_letter(words[end + 1])) ++count;
  return std::string(words.substr(0, end)) + "\u2026";
}

}  // namespace convoy
