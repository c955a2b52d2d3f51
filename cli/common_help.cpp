#include "cli/common_help.hpp"

namespace baton::cli {

// The part of the help that follows the command's own options; make_groups cannot be overridden.
std::string help_with_common_options::make_subcommands(CLI::App const* app, CLI::AppFormatMode mode) const
{
    auto const text = CLI::Formatter::make_subcommands(app, mode);
    // A group of options is an app without a name, and is shown within its command.
    if (app->get_name().empty() || app->get_parent() == nullptr || mode == CLI::AppFormatMode::Sub)
        return text;
    auto const* program = app;
    while (program->get_parent() != nullptr)
        program = program->get_parent();
    auto const common = program->get_options([](CLI::Option const* each) { return each->get_group() == common_group; });
    return text + make_group(common_group, false, common);
}

} // namespace baton::cli
