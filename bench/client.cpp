// A client whose handler "noop" only records its start, so that a benchmark knows, independently of the ledger, which
// executions ran and when:
//
//     bench_client FILE ROOM SLOTS TRIGGER...
//
// ROOM is the number of starts that are kept in memory; further starts are only counted. After SIGTERM, when the last
// result is recorded, FILE gets one record per start: five 64-bit integers in native byte order.
//
//     execution  attempt  task  scheduled_at  began_at        (times: microseconds since the epoch, CLOCK_REALTIME)
//
// Exit status 3 if ROOM was too small. With BENCH_FETCHES in the environment it fetches its executions.
// BENCH_SERVICE and BENCH_PROJECT name its service, and BENCH_QUEUE bounds the number of executions that may wait in
// it.

#include <algorithm>
#include <atomic>
#include <baton/client/service.hpp>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <time.h>
#include <vector>

namespace client = baton::client;

namespace {

std::int64_t utc_micros()
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * std::int64_t{1'000'000} + now.tv_nsec / 1'000;
}

struct start {
    std::int64_t execution;
    std::int64_t attempt;
    std::int64_t task;
    std::int64_t scheduled_at;
    std::int64_t began_at;
};

// Filled by the threads of all slots. Its memory is touched in advance, so that a record costs no page fault.
class start_log {
public:
    explicit start_log(std::size_t room) : starts_(room) {}

    void add(client::execution const& run)
    {
        auto const began_at = utc_micros();
        auto const place = taken_.fetch_add(1, std::memory_order_relaxed);
        if (place < starts_.size())
            starts_[place] = {run.id(), run.attempt(), run.task_id(), run.scheduled_at().time_since_epoch().count(),
                              began_at};
    }

    bool full() const { return taken_ > starts_.size(); }

    void write(char const* file) const
    {
        std::ofstream out(file, std::ios::binary);
        auto const many = std::min<std::size_t>(taken_, starts_.size());
        out.write(reinterpret_cast<char const*>(starts_.data()), static_cast<std::streamsize>(many * sizeof(start)));
        out.close();
        if (!out)
            throw std::runtime_error(std::string(file) + " cannot be written");
    }

private:
    std::vector<start> starts_;
    std::atomic<std::size_t> taken_ = 0;
};

} // namespace

int main(int argc, char** argv)
{
    if (argc < 5) {
        std::cerr << "usage: bench_client FILE ROOM SLOTS TRIGGER...\n";
        return 2;
    }
    try {
        start_log starts(std::stoull(argv[2]));
        client::service_options options{.name = "bench", .triggers = {argv + 4, argv + argc}};
        options.slots = std::stoi(argv[3]);
        if (auto const* queue = std::getenv("BENCH_QUEUE"))
            options.queue = std::stoi(queue);
        options.results = 200'000;
        if (auto const* name = std::getenv("BENCH_SERVICE"))
            options.name = name;
        if (auto const* project = std::getenv("BENCH_PROJECT"))
            options.project = project;
        if (std::getenv("BENCH_FETCHES"))
            options.delivery = client::delivery_mode::fetch;
        client::service service{std::move(options)};
        service.handle("noop", [&starts](client::execution& run) {
            starts.add(run);
            return client::result::ok();
        });
        service.run();
        starts.write(argv[1]);
        return starts.full() ? 3 : 0;
    } catch (std::exception const& failure) {
        std::cerr << "bench_client: " << failure.what() << '\n';
        return 1;
    }
}
