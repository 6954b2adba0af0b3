#pragma once

#include <string>
#include <string_view>

namespace convoy {

// Escapes a text for XML and HTML, both between tags and in attributes. Leaves out control
// characters, which XML forbids.
std::string escaped_markup(std::string_view text);

// Writes the elements of an SVG picture. Its style comes from classes of a style sheet. Coordinates
// are in pixels and rounded to a tenth.
class Drawing {
 public:
  struct Box {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;
  };
  enum class Anchor { kStart, kMiddle, kEnd };

  // title: the tooltip of the element; none if it is empty. attributes: further attributes, as they
  // stand in the element.
  void rect(const Box& box, std::string_view classes, std::string_view title = {},
            std::string_view attributes = {});
  void line(double x1, double y1, double x2, double y2, std::string_view classes);
  void circle(double x, double y, double radius, std::string_view classes,
              std::string_view title = {});
  void path(std::string_view data, std::string_view classes, std::string_view title = {});
  void text(double x, double y, std::string_view words, std::string_view classes = {},
            Anchor anchor = Anchor::kStart);

  const std::string& content() const { return content_; }
  // Returns the picture. label: a description for screen readers.
  std::string svg(double width, double height, std::string_view label,
                  std::string_view attributes = {}) const;

 private:
  void end(std::string_view element, std::string_view title);

  std::string content_;
};

// Returns the approximate width of words in a proportional font of this size, in pixels.
double text_width(std::string_view words, double font_size);
// Returns the words, cut with an ellipsis if they do not fit the width.
std::string fitted(std::string_view words, double width, double font_size);

}  // namespace convoy
