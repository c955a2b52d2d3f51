#include "cli/commands.hpp"
#include "cli/common_help.hpp"
#include "cli/config/reader.hpp"
#include "cli/rest.hpp"
#include "cli/wrong_words.hpp"
#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/base/printable.hpp"

#include <algorithm>
#include <iostream>

namespace baton::cli {

namespace {

constexpr char footer[] = R"(Exit status: 0 done; 1 refused or failed; 2 wrong usage.
Examples:
  baton dev
  baton task list --server http://10.0.0.1:7801 --token-file /etc/baton/web-token
  baton task --help)";

int refuse_words(CLI::App const& program, CLI::ParseError const& wrong)
{
    if (wrong.get_exit_code() == 0) // --help, --version
        return program.exit(wrong);
    bool const words = dynamic_cast<CLI::RequiredError const*>(&wrong) != nullptr ||
                       dynamic_cast<CLI::ExtrasError const*>(&wrong) != nullptr;
    auto const why = words ? wrong_word(program) : std::nullopt;
    std::cerr << "baton: " << printable(why ? *why : wrong.what() + (" (" + help_of(program) + ")")) << std::endl;
    return status_usage;
}

void add_common(CLI::App& program, common_options& common)
{
    program.add_option("--server", common.server, "Address of a web process")
        ->capture_default_str()
        ->envname("BATON_SERVER")
        ->group(common_group);
    program.add_option("--token-file", common.token_file, "File with the token of web (or BATON_TOKEN)")
        ->group(common_group);
    program.add_flag("--json", common.json, "Print JSON instead of tables")->group(common_group);
    program.add_flag("--utc", common.utc, "Print times in UTC instead of this machine's zone")->group(common_group);
}

// Names the first argument that is not UTF-8: REST would take it in an altered form.
std::optional<std::string> argument_problem(int argc, char** argv)
{
    for (int i = 1; i < argc; ++i) // argument 0 is the program
        for (std::string_view rest = argv[i]; !rest.empty();) {
            auto const one = read_character(rest);
            if (!one.valid)
                return "argument " + std::to_string(i) + ", " + in_quotes(argv[i]) + ", is not UTF-8";
            rest.remove_prefix(one.bytes);
        }
    return std::nullopt;
}

// The words after the program's name in reverse, as CLI11 takes them; "help task" as "task --help".
std::vector<std::string> words_of(int argc, char** argv)
{
    std::vector<std::string> words(argv + 1, argv + argc);
    if (!words.empty() && words.front() == "help") {
        words.erase(words.begin());
        words.push_back("--help");
    }
    std::reverse(words.begin(), words.end());
    return words;
}

int run(int argc, char** argv)
{
    CLI::App program("baton: a distributed task scheduler");
    program.require_subcommand(1)->fallthrough();
    program.set_version_flag("--version", "baton " BATON_VERSION);
    common_options common;
    add_common(program, common);
    program.footer(footer);
    // After --help and --version, before any command.
    program.parse_complete_callback([] { check_variables(variables_of_process()); });

    int status = 0;
    add_dev(program, status);
    add_trigger(program, status);
    add_web(program, status);
    add_agent(program, status);
    add_migrate(program, status);
    program.formatter(std::make_shared<help_with_common_options>()); // of the commands that are added from here on
    add_task(program, common, status);
    add_executions(program, common, status);
    add_dead_letters(program, common, status);
    add_calendars(program, common, status);
    add_nodes(program, common);
    add_terms(program, common);
    add_overview(program, common);
    add_zones(program, common);
    add_clients(program, common);
    add_services(program, common);
    add_cron(program, common);
    add_schedule(program, common);
    program.formatter(std::make_shared<CLI::Formatter>());
    program.add_subcommand("version", "Print the version")->footer("Example: baton version")->callback([] {
        std::cout << "baton " BATON_VERSION "\n";
    });
    // Options of the program may follow any subcommand.
    for (auto* const each : program.get_subcommands({}))
        for (auto* const inner : each->fallthrough()->get_subcommands({}))
            inner->fallthrough();
    try {
        program.parse(words_of(argc, argv));
    } catch (CLI::ParseError const& wrong) {
        return refuse_words(program, wrong);
    }
    // A reader must not take a part of the answer for the whole.
    if (!std::cout.flush())
        throw unavailable("standard output cannot be written");
    return status;
}

int complain(std::string const& why, int status = status_failed)
{
    std::cerr << "baton: " << printable(why) << std::endl;
    return status;
}

int complain(config_error const& wrong)
{
    for (auto const& each : wrong.lines())
        complain(each);
    return status_failed;
}

// A field such as "--since" is an option of the command line.
int complain(invalid_input const& wrong)
{
    auto const& field = wrong.field();
    return complain(field.empty() ? wrong.what() : field + ": " + wrong.what(),
                    field.starts_with("--") ? status_usage : status_failed);
}

} // namespace

} // namespace baton::cli

int main(int argc, char** argv)
{
    using namespace baton;
    if (auto const why = cli::argument_problem(argc, argv))
        return cli::complain(*why, cli::status_usage);
    try {
        return cli::run(argc, argv);
    } catch (invalid_input const& wrong) {
        return cli::complain(wrong);
    } catch (cli::config_error const& wrong) {
        return cli::complain(wrong);
    } catch (std::exception const& failure) {
        return cli::complain(failure.what());
    }
}
