#pragma once
// SQL files that the build embedded, in the order in which they are applied.

#include <string>
#include <vector>

namespace baton::storage {

struct migration_file {
    std::string folder; // "mysql", "sqlite", "sqlite-lease"
    std::string name;   // "0001_scheduler"
    std::string text;
};

// The files of schema/.
std::vector<migration_file> const& migration_files();

} // namespace baton::storage
