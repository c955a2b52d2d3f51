#include "tests/support/private_galera.hpp"

#include "tests/support/script.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace baton::test {

namespace {

constexpr int not_installed = 3;

std::vector<std::string> words(std::string text)
{
    std::replace(text.begin(), text.end(), ',', ' ');
    std::istringstream in(text);
    std::vector<std::string> found;
    for (std::string word; in >> word;)
        found.push_back(word);
    return found;
}

std::vector<std::string> start(std::string const& folder)
{
    try {
        return words(script("private-galera start '" + folder + "'"));
    } catch (script_failed const& failure) {
        if (failure.status() != not_installed)
            throw;
        std::printf("skipped: Galera is not installed\n");
        std::exit(skipped);
    }
}

std::vector<std::string> find_servers()
{
    if (char const* const given = std::getenv("BATON_TEST_GALERA"); given != nullptr && *given != '\0')
        return words(given);
    static private_galera own;
    return own.urls();
}

} // namespace

bool on_galera()
{
    char const* const home = std::getenv("BATON_TEST_ON");
    return home != nullptr && std::string(home) == "galera";
}

std::vector<std::string> const& galera_servers()
{
    static auto const servers = find_servers();
    return servers;
}

private_galera::private_galera() : folder_(make_folder("galera")), urls_(start(folder_)) {}

private_galera::~private_galera()
{
    std::error_code ignored;
    try {
        script("private-galera stop '" + folder_ + "'");
    } catch (std::runtime_error const& failure) {
        std::fprintf(stderr, "%s\n", failure.what());
    }
    std::filesystem::remove_all(folder_, ignored);
}

void private_galera::order(std::string const& command, int node)
{
    script("private-galera " + command + " '" + folder_ + "' " + std::to_string(node + 1));
}

} // namespace baton::test
