#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/base/error.hpp"

namespace convoy {

// Runs `action`, expects an Error with this code whose text mentions every one of `mentioned`.
template <typename Action>
void expect_error(Action&& action, ExitCode code, std::initializer_list<std::string> mentioned) {
  try {
    action();
    FAIL() << "no error; expected one about " << *mentioned.begin();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.code(), code) << text;
    for (const auto& word : mentioned) {
      EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' is missing in: " << text;
    }
  }
}

}  // namespace convoy
