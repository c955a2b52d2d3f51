#pragma once

#include <CLI/CLI.hpp>

#include <functional>

namespace baton::cli {

// The group does `list` as well when no command follows it, as `baton calendars` does.
void list_by_default(CLI::App& group, std::function<void()> const& list);

} // namespace baton::cli
