#include "trigger/clients/register_check.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/http/message.hpp"
#include "libs/protocol/offers.hpp"
#include "libs/protocol/revision.hpp"
#include "libs/protocol/task.hpp"

namespace baton::trigger {

namespace {

constexpr std::size_t most_handler_bytes = 256u << 10;        // the home repeats the names in its reports to the master
constexpr std::int64_t latest_clock_ms = 253'402'300'799'999; // the end of the year 9999

void check_address(std::string const& address)
{
    try {
        http::parse_url(address);
    } catch (invalid_input const& wrong) {
        throw invalid_input("address", std::string("address: ") + wrong.what());
    }
}

void check_size(std::vector<std::string> const& handlers)
{
    std::size_t bytes = 0;
    for (auto const& handler : handlers)
        bytes += handler.size();
    if (bytes > most_handler_bytes)
        throw invalid_input("handlers", "handlers has names of " + std::to_string(bytes) +
                                            " bytes together, and may have " + std::to_string(most_handler_bytes) +
                                            ": shorten them, or spread the handlers over several services");
}

} // namespace

void check(protocol::register_request const& request)
{
    auto const require = [](bool holds, char const* field, char const* why) {
        if (!holds)
            throw invalid_input(field, std::string(field) + " " + why);
    };
    if (auto const wrong = protocol::revision_error("the client", request.revision))
        throw invalid_input("revision", *wrong);
    auto const check_name = [&](std::string const& name, std::size_t longest, char const* field, char const* size) {
        require(!name.empty() && count_characters(name) <= longest, field, size);
        require(!has_control(name), field, "must not contain control characters");
        protocol::check_name(name, field);
    };
    check_name(request.project, protocol::longest_project, "project", "must have 1 to 64 characters");
    check_name(request.service, 100, "service", "must have 1 to 100 characters");
    require(!request.instance.empty() && request.instance.size() <= 128, "instance", "must have 1 to 128 bytes");
    for (auto const c : request.instance)
        require(c > 0x20 && c < 0x7f, "instance", "must be printable ASCII");
    require(request.address.size() <= 255, "address", "must have at most 255 bytes");
    if (request.delivery == protocol::delivery_way::fetch)
        require(request.address.empty(), "address", "must be empty for a client that fetches");
    else
        check_address(request.address);
    require(request.secret.size() >= 16 && request.secret.size() <= 64, "secret", "must have 16 to 64 characters");
    require(!request.handlers.empty() && request.handlers.size() <= 10'000, "handlers",
            "must name 1 to 10000 handlers");
    for (auto const c : request.secret) // every call to the client carries the secret in a header
        require(c > 0x20 && c < 0x7f, "secret", "must be printable ASCII without spaces");
    for (auto const& handler : request.handlers)
        require(!handler.empty() && count_characters(handler) <= 150 && !has_control(handler) &&
                    handler.find('/') == std::string::npos,
                "handlers", "must have names of 1 to 150 characters without control characters and slashes");
    check_size(request.handlers);
    protocol::check(request.schemas, request.handlers);
    require(request.tags.size() <= protocol::most_tags, "tags", "must have at most 32 tags");
    for (auto const& tag : request.tags)
        protocol::check_tag(tag, "tags");
    require(request.generation >= 1, "generation", "must count the registrations of the client from 1");
    require(request.slots >= 1 && request.slots <= 100'000, "slots", "must be from 1 to 100000");
    require(request.queue >= 0 && request.queue <= 1'000'000, "queue", "must be from 0 to 1000000");
    require(request.version.size() <= 40, "version", "must have at most 40 bytes");
    for (unsigned char const c : request.version) // people read it, in logs and tables
        require(c >= 0x20 && c != 0x7f, "version", "must not contain control characters");
}

void check(protocol::heartbeat_request const& request)
{
    check_instance(request.instance);
    if (request.free_slots < 0)
        throw invalid_input("free_slots", "free_slots must not be negative");
    if (request.clock_ms < 0 || request.clock_ms > latest_clock_ms)
        throw invalid_input("clock_ms", "clock_ms must be the time of the client in unix milliseconds, or 0 for none");
}

void check_instance(std::string const& instance)
{
    if (instance.empty())
        throw invalid_input("instance", "instance is required: the one of the client's registration");
}

void check_poll(std::int64_t poll)
{
    if (poll < 1)
        throw invalid_input("poll", "poll is required: a number above 0 that rises with each request of the instance");
}

} // namespace baton::trigger
