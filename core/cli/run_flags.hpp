#pragma once

#include "core/cli/flag_table.hpp"

namespace convoy {

// All flags of `convoy run` except plug-ins' options, which are added with FlagTable::add_option.
// Names and meaning are those of tf_cnn_benchmarks; better names are aliases.
FlagTable run_flag_table();

// The few that decide which plug-ins are opened, for a tolerant first pass.
FlagTable plugin_flag_table();

// tf_cnn_benchmarks' flags that do not act here: not yet, not at all, or only in strategies that
// declare them as options. Part of run_flag_table().
void add_historical_flags(FlagTable& table);

}  // namespace convoy
