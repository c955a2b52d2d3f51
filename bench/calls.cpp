// Sends "run now" requests to web:
//
//     bench_calls URL FILE --task ID... [--connections N] [--count N] [--pause MS]
//
// Each connection sends one request after the other with a pause between them, for each task in turn, until `count`
// requests have been answered in all. For each request FILE gets three 64-bit integers in native byte order: the
// execution, and CLOCK_REALTIME in microseconds before the request and after its answer. Prints one line of JSON. Exit
// status 1 if a request was refused.

#include "libs/base/time.hpp"
#include "libs/http/client.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <array>
#include <fstream>
#include <iostream>
#include <vector>

using namespace baton;

namespace {

constexpr duration answer_limit = 30s;

struct caller {
    system_time time;
    http::url web;
    std::vector<std::int64_t> tasks;
    int connections = 1;
    int count = 100;
    int pause_ms = 0;

    int begun = 0;
    std::vector<std::array<std::int64_t, 3>> calls;
};

awaitable<void> call(caller& all, http::client& client)
{
    while (all.begun < all.count) {
        auto const task = all.tasks[static_cast<std::size_t>(all.begun++) % all.tasks.size()];
        auto message = http::json_request(http::verb::post, "/api/v1/tasks/" + std::to_string(task) + "/run",
                                          nlohmann::json::object());
        auto const sent = all.time.utc();
        auto const answer = co_await client.send(all.web, std::move(message), answer_limit);
        if (answer.status != 202)
            throw std::runtime_error("status " + std::to_string(answer.status) + ": " + answer.body);
        auto const body = http::parse_json(answer.body);
        all.calls.push_back(
            {std::stoll(body.at("execution").get<std::string>()), to_micros(sent), to_micros(all.time.utc())});
        if (all.pause_ms > 0)
            co_await all.time.sleep_for(std::chrono::milliseconds{all.pause_ms});
    }
}

void run(caller& all, std::string const& file)
{
    asio::io_context loop{1};
    http::client_settings settings;
    settings.connections_per_host = static_cast<std::size_t>(all.connections);
    auto const client = http::make_client(all.time, settings);
    std::exception_ptr failure;
    for (int i = 0; i < all.connections; ++i)
        asio::co_spawn(loop, call(all, *client), [&](std::exception_ptr thrown) {
            if (thrown)
                failure = thrown;
        });
    auto const began = all.time.now();
    loop.run();
    auto const seconds = static_cast<double>((all.time.now() - began).count()) / 1e6;
    std::ofstream out(file, std::ios::binary);
    out.write(reinterpret_cast<char const*>(all.calls.data()),
              static_cast<std::streamsize>(all.calls.size() * sizeof all.calls[0]));
    if (!out)
        throw std::runtime_error(file + " cannot be written");
    std::cout << nlohmann::json{{"calls", all.calls.size()},
                                {"seconds", seconds},
                                {"rate", static_cast<double>(all.calls.size()) / seconds}}
              << '\n';
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace

int main(int argc, char** argv)
{
    caller all;
    std::string url;
    std::string file;
    CLI::App program("Sends \"run now\" requests to web");
    program.add_option("url", url, "URL of web")->required();
    program.add_option("file", file, "file for the record of the calls")->required();
    program.add_option("--task", all.tasks, "task ids")->required();
    program.add_option("--connections", all.connections, "number of connections");
    program.add_option("--count", all.count, "total number of calls");
    program.add_option("--pause", all.pause_ms, "milliseconds between two calls of a connection");
    CLI11_PARSE(program, argc, argv);
    try {
        all.web = http::parse_url(url);
        run(all, file);
        return 0;
    } catch (std::exception const& failure) {
        std::cerr << "bench_calls: " << failure.what() << '\n';
        return 1;
    }
}
