#include "cli/check.hpp"

#include "cli/stores.hpp"
#include "libs/base/log.hpp"
#include "libs/base/printable.hpp"

#include <iostream>

namespace baton::cli {

namespace {

void report_part(std::string const& file, listen_config const& listen, database_config const& database, bool has_token,
                 bool try_it)
{
    auto const where = database.where();
    auto const found = try_it ? try_database(where) : where.text() + " was not tried: --check-database tries it";
    std::cout << "ok: " << (file.empty() ? "the variables" : printable(file)) << '\n'
              << "listens on " << printable(listen.address) << " port " << listen.port
              << (has_token ? ", with a token\n" : ", without a token\n") << "database " << printable(found) << '\n';
}

} // namespace

void report_check(std::string const& file, trigger_config const& config, bool try_it)
{
    report_part(file, config.listen, config.database, !config.node.token.empty(), try_it);
}

void report_check(std::string const& file, web_config const& config, bool try_it)
{
    report_part(file, config.listen, config.database, !config.site.token.empty(), try_it);
}

void report_check(std::string const& file, dev_config const& config, std::size_t handlers)
{
    std::cout << "ok: " << (file.empty() ? "the variables" : printable(file)) << '\n'
              << "trigger at port " << config.trigger << " and web at port " << config.web << " of 127.0.0.1\n"
              << "data in " << printable(config.data) << ", " << handlers << " handlers\n";
}

void report_taken(std::vector<std::string> const& taken)
{
    if (!taken.empty())
        std::cout << "configuration: " << taken_text(taken) << '\n';
}

void log_taken(std::vector<std::string> const& taken)
{
    if (!taken.empty())
        log::info("configuration", taken_text(taken));
}

} // namespace baton::cli
