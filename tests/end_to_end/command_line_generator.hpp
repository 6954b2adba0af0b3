#pragma once

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace convoy {

// A command line behind the program's name, and what may be expected of it.
struct GeneratedLine {
  std::vector<std::string> arguments;
  bool goes_on = false;  // it may train or measure until it is interrupted

  std::string shown() const;  // long arguments cut
};

// Draws command lines from what the program's own help says: every verb, small work, and up to
// three of its flags with values that do not suit them, among these the largest that help allows.
// Now and then it asks for help, or for what a verb is about by a name that is none.
// It asks the program for its help and for records in `folder`, in which the lines are to be run.
class CommandLineGenerator {
 public:
  CommandLineGenerator(std::uint64_t seed, std::filesystem::path folder);
  GeneratedLine next();

 private:
  struct Flag {
    std::string name;
    std::string strategy;  // whose option it is; empty: of every run
    std::string largest;   // value that help allows; empty: it says nothing
  };
  struct Verb {
    std::string name;
    std::vector<std::string> beginning;
    unsigned weight = 1;
    bool of_a_run = false;  // takes the flags of convoy run
    bool goes_on = false;
    std::vector<Flag> flags{};
    std::vector<std::string> topics{};  // of its help
  };

  void add_verb(Verb verb);
  const Verb& drawn_verb();
  std::vector<std::string> request_for_help(const Verb& verb);
  void give_odd_names(std::vector<std::string>& line);
  void add_setting(std::vector<std::string>& line);
  static bool takes_machine(const Verb& verb, const Flag& flag);
  void add_flag(const Verb& verb, std::vector<std::string>& line, std::string& file);
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  bool one_in(std::uint64_t many) { return below(many) == 0; }

  std::mt19937_64 random_;
  std::filesystem::path folder_;
  std::vector<Verb> verbs_;
};

}  // namespace convoy
