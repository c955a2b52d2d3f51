// The main of every test executable. It prints the seed of the run, which tests read as Catch::rngSeed(), and is
// repeated with `--rng-seed N`. Logging is off unless BATON_TEST_LOG names a level. BATON_TEST_WITHOUT names tags
// whose tests are left out: "[planted][large]". Tests with a tag that begins with a dot run only if they are asked for.

#define CATCH_CONFIG_RUNNER
#include "libs/base/log.hpp"
#include "libs/base/random.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

// The specifications of tests without those that have one of the tags. Catch2 joins a list by commas, where each part
// stands for itself. It runs hidden tests if it is told only which tests not to run.
std::vector<std::string> without(std::string_view tags, std::vector<std::string> const& asked)
{
    std::string left_out;
    for (char const each : tags)
        left_out += each == '[' ? "~[" : std::string(1, each);
    if (asked.empty())
        return {"~[.]" + left_out};
    std::string specification;
    for (auto const& each : asked)
        specification += each;
    for (std::size_t at = specification.find(','); at != std::string::npos;
         at = specification.find(',', at + left_out.size() + 1))
        specification.insert(at, left_out);
    return {specification + left_out};
}

} // namespace

int main(int argc, char** argv)
{
    Catch::Session session;
    if (int const wrong = session.applyCommandLine(argc, argv); wrong != 0)
        return wrong;
    auto& config = session.configData();
    if (config.rngSeed == 0)
        config.rngSeed = static_cast<unsigned>(baton::entropy() % 4'294'967'295) + 1;

    if (char const* const tags = std::getenv("BATON_TEST_WITHOUT"); tags != nullptr)
        config.testsOrTags = without(tags, config.testsOrTags);

    char const* const level = std::getenv("BATON_TEST_LOG");
    baton::log::start("test", level == nullptr ? "off" : level);

    bool const lists = config.listTests || config.listTags || config.listReporters || config.listTestNamesOnly;
    if (!lists && !config.showHelp)
        std::cout << "seed of this run: " << config.rngSeed << " (repeat it with --rng-seed " << config.rngSeed << ")"
                  << std::endl;
    return session.run();
}
