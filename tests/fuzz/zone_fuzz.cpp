// A target of libFuzzer: parses a zone file and looks at its periods. scripts/fuzz-cron builds it. Input: the content
// of the file.

#include "libs/schedule/tzif.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace baton;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    auto const rules = schedule::parse_tzif("Test/Zone", {reinterpret_cast<char const*>(data), size});
    if (!rules)
        return 0;
    rules->fingerprint();
    for (auto const seconds : {-5'000'000'000LL, 0LL, 1'780'000'000LL, 4'102'444'800LL, 9'000'000'000LL}) {
        utc_time const at{std::chrono::seconds{seconds}};
        auto const period = rules->at(at);
        if (period.begin > at || period.end <= at)
            std::abort();
        if (rules->at(period.begin).offset != period.offset || rules->at(period.end - 1us).offset != period.offset)
            std::abort();
    }
    return 0;
}
