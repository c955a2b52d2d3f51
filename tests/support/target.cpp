#include "tests/support/target.hpp"

#include "tests/support/script.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace baton::test {

namespace {

constexpr int not_installed = 3; // the exit status of scripts/private-*

std::vector<std::string> split(std::string text)
{
    std::replace(text.begin(), text.end(), ',', ' ');
    std::istringstream in(text);
    std::vector<std::string> found;
    for (std::string word; in >> word;)
        found.push_back(word);
    return found;
}

} // namespace

target chosen_target()
{
    char const* const given = std::getenv("BATON_TEST_ON");
    std::string const name = given == nullptr ? "" : given;
    if (name.empty())
        return target::mariadb;
    if (name == "mysql9")
        return target::mysql9;
    if (name == "galera")
        return target::galera;
    if (name == "sqlite")
        return target::sqlite;
    throw std::runtime_error("BATON_TEST_ON is " + name + "; it must be mysql9, galera or sqlite");
}

std::vector<std::string> start_server(std::string const& line)
{
    try {
        return split(script(line));
    } catch (script_failed const& failure) {
        if (failure.status() != not_installed)
            throw;
        std::printf("skipped: scripts/%s says that its server is not installed\n",
                    line.substr(0, line.find(' ')).c_str());
        std::exit(skipped);
    }
}

std::vector<std::string> given_servers(char const* variable)
{
    char const* const given = std::getenv(variable);
    return split(given == nullptr ? "" : given);
}

void need_server()
{
    if (chosen_target() == target::sqlite)
        throw Catch::TestFailureException(); // Catch ends the case; without a failed check the case counts as passed
}

} // namespace baton::test
