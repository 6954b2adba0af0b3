#pragma once

#include <string>
#include <string_view>

namespace convoy {

// Text as it may stand in XML and HTML, between tags and in attributes. Control characters, which
// XML forbids, are left out.
std::string escaped_markup(std::string_view text);

// Writes the elements of an SVG picture, whose looks are left to classes of a style sheet.
// Coordinates are in pixels and rounded to a tenth.
class Drawing {
 public:
  struct Box {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;
  };
  enum class Anchor { kStart, kMiddle, kEnd };

  // The title is what a reader sees who points at the element; none when it is empty. attributes:
  // further ones, as they stand in the element.
  void rect(const Box& box, std::string_view classes, std::string_view title = {},
            std::string_view attributes = {});
  void line(double x1, double y1, double x2, double y2, std::string_view classes);
  void circle(double x, double y, double radius, std::string_view classes,
              std::string_view title = {});
  void path(std::string_view data, std::string_view classes, std::string_view title = {});
  void text(double x, double y, std::string_view words, std::string_view classes = {},
            Anchor anchor = Anchor::kStart);

  const std::string& content() const { return content_; }
  // The picture. label: what it shows, in words, for screen readers.
  std::string svg(double width, double height, std::string_view label,
                  std::string_view attributes = {}) const;

 private:
  void end(std::string_view element, std::string_view title);

  std::string content_;
};

// Pixels that words take in a proportional font of this size, about.
double text_width(std::string_view words, double font_size);
// Cut with an ellipsis to what fits.
std::string fitted(std::string_view words, double width, double font_size);

}  // namespace convoy
