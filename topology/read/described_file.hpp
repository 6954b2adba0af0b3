#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// Whether a text that may also name one of convoy's own descriptions means a file, even one that
// cannot be read. A plain word does not, if only a folder has that name.
bool means_described_file(const std::string& name);

// A JSON file that people write: machines, devices, software. It knows the line of every field, for
// error messages. Throws Error (kUsage) for files that cannot be read or are not JSON, and for
// pipes, because descriptions are read more than once.
class DescribedFile {
 public:
  explicit DescribedFile(const std::filesystem::path& file);
  // Takes a text in place of a file; `name` is for messages.
  DescribedFile(std::string name, const std::string& text);

  const std::string& name() const { return name_; }
  const nlohmann::json& document() const { return document_; }
  // Returns the line of a field by its JSON pointer ("/links/0/from"). For a missing field, returns
  // the line of the object that would contain it.
  std::size_t line(std::string pointer) const;

 private:
  void parse(const std::string& text);

  std::string name_;
  nlohmann::json document_;
  // By the hash of the pointer: the pointers of a hostile file could take the square of its size.
  std::unordered_map<std::uint64_t, std::size_t> lines_;
};

// Reads the fields of one object. Every accessor throws Error (kUsage) that names file, line and
// field when the field is missing, of the wrong type, or out of range. finish() throws it for
// fields that no accessor asked for, with the most similar known name. For missing optional fields,
// accessors return the second argument, an unknown fact or an empty list. Numbers are 0 or from
// 1e-15 to 1e18.
class DescribedObject {
 public:
  explicit DescribedObject(const DescribedFile& file);

  bool has(const char* key);
  double number(const char* key);
  double number_or(const char* key, double otherwise);
  std::uint32_t count(const char* key, std::uint32_t least = 0);
  std::uint32_t count_or(const char* key, std::uint32_t otherwise);
  bool flag_or(const char* key, bool otherwise);
  std::string text(const char* key);
  std::string text_or(const char* key, const std::string& otherwise);
  std::vector<std::string> texts(const char* key);
  std::vector<double> numbers(const char* key);
  std::vector<DescribedObject> objects(const char* key);
  DescribedObject object(const char* key);
  // Reads a constant with its source: {"value": 10.6e12, "source": "..."}.
  Fact<double> constant(const char* key);
  Fact<double> constant_or_unknown(const char* key);
  // Reads the value of a constant that is a share of a whole: at most 1.
  double share(const char* key);
  void finish() const;

  // Throws the error that says what is wrong with a field.
  [[noreturn]] void reject(const char* key, const std::string& problem) const;
  // "FILE:LINE"
  std::string where() const;

 private:
  DescribedObject(const DescribedFile& file, const nlohmann::json& value, std::string pointer);
  const nlohmann::json* find(const char* key);
  const nlohmann::json& get(const char* key);
  double checked_number(const char* key, const nlohmann::json& value) const;

  const DescribedFile* file_;
  const nlohmann::json* value_;
  std::string pointer_;
  std::vector<std::string> asked_;
};

}  // namespace convoy::topology
