#include "cli/list_by_default.hpp"

namespace baton::cli {

void list_by_default(CLI::App& group, std::function<void()> const& list)
{
    group.require_subcommand(0, 1);
    group.callback([&group, list] {
        if (group.get_subcommands().empty())
            list();
    });
}

} // namespace baton::cli
