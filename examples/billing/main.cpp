// A small service that closes days: an example of the client SDK.
//
//     billing http://127.0.0.1:7800 [more trigger nodes]
//
// BILLING_TOKEN_FILE names the file with the clients' token of a cluster that has one.
//
// Register a task with service "billing", handler "close-day" and payload {"day": "2026-03-29"}, and run it.

#include <baton/client/service.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <mutex>
#include <utility>

namespace client = baton::client;

namespace {

// Returns early when `stop` is requested.
void pause(std::stop_token const& stop, std::chrono::milliseconds span)
{
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, span, [] { return false; });
}

client::result close_day(client::execution& run)
{
    auto const day = run.payload().at("day").get<std::string>(); // an exception becomes a failed result
    int closed = 0;
    for (int percent = 0; percent < 100; percent += 5) {
        if (run.stop_requested())
            return client::result::fail("stopped after " + std::to_string(closed) + " accounts of " + day);
        pause(run.stop_token(), std::chrono::milliseconds{100});
        closed += 2;
        run.progress(percent + 5);
    }
    return client::result::ok({{"day", day}, {"closed", closed}});
}

// The payload of close-day as a JSON Schema: the page builds a form of it, and `baton services handlers billing` shows
// it. It only helps people: the handler still checks its payload.
client::handler_info about_close_day()
{
    client::handler_info about;
    about.description = "Closes all accounts of one day";
    about.payload_schema = nlohmann::json::parse(R"({
        "type": "object",
        "required": ["day"],
        "properties": {
            "day": {"type": "string", "format": "date", "description": "the day to close", "examples": ["2026-03-29"]}
        }
    })");
    return about;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::cerr << "usage: billing TRIGGER...   for example http://127.0.0.1:7800\n";
        return 2;
    }
    try {
        client::service_options options{.name = "billing", .triggers = {argv + 1, argv + argc}};
        if (auto const* file = std::getenv("BILLING_TOKEN_FILE"))
            options.token_file = file;
        client::service service{std::move(options)};
        service.handle("close-day", close_day, about_close_day());
        service.run();
        return 0;
    } catch (std::exception const& failure) {
        std::cerr << "billing: " << failure.what() << '\n';
        return 1;
    }
}
