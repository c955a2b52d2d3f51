#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace baton::cli {

// The group of the program's options that every command over REST takes.
inline constexpr char common_group[] = "Common options";

// The help of a command also shows the program's options of common_group, because they may be given after the command
// too.
class help_with_common_options : public CLI::Formatter {
public:
    std::string make_subcommands(CLI::App const* app, CLI::AppFormatMode mode) const override;
};

} // namespace baton::cli
