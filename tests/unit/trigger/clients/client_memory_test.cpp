// The memory of a client at its home, in the registry, the lanes, the record of who can be called and the requests that
// are held for it; and at the master, in the directory and the credits. Connections are left out.

#include "libs/protocol/revision.hpp"
#include "libs/sim/sim.hpp"
#include "tests/unit/trigger/delivery/dispatcher_stage.hpp"
#include "trigger/clients/fetch_line.hpp"
#include "trigger/clients/registry.hpp"
#include "trigger/delivery/reachability.hpp"
#include "trigger/master/client_directory.hpp"
#include "trigger/master/credits.hpp"

#include <catch2/catch.hpp>
#include <spdlog/fmt/fmt.h>
#include <sqlite3.h>

#include <malloc.h>

namespace client_memory_test {

using namespace baton;
using namespace baton::trigger;

namespace {

constexpr std::int64_t most_at_home = 4'096;
constexpr std::int64_t most_at_master = 200;

// The bytes that this process has allocated, without the tables of the simulated database.
std::size_t allocated()
{
    auto const all = mallinfo2();
    return all.uordblks + all.hblkhd - static_cast<std::size_t>(sqlite3_memory_used());
}

// Every client proves itself at its address.
struct proving_calls final : client_calls {
    proving_calls(registry& heard, time_source& clock) : clients(heard), time(clock) {}
    awaitable<dispatch_outcome> dispatch(std::string, std::string) override { co_return dispatch_outcome{}; }
    awaitable<std::optional<protocol::query_answer>> ask(std::string, std::string, protocol::delivery_way) override
    {
        co_return std::nullopt;
    }
    awaitable<probe_outcome> probe(std::string instance) override
    {
        probe_outcome out;
        out.address = clients.find(instance)->row.address;
        co_await time.sleep_for(1ms);
        co_return out;
    }
    awaitable<recall_outcome> recall(std::string, std::string) override { co_return recall_outcome{}; }
    awaitable<void> cancel(std::string, protocol::executions_request, protocol::delivery_way) override { co_return; }
    registry& clients;
    time_source& time;
};

struct shape {
    int clients = 2'000;
    int services = 1;
    bool fetch = false;
};

// Names as the SDK makes them of the host, the process, the boot and a random number, here of 70 bytes.
std::string name_of(int number)
{
    return fmt::format("invoicing-7c9f8d6b54-{:05}:1:0a1b2c3d:{:032x}", number, number);
}

protocol::service_key service_of(shape const& of, int number)
{
    return {"finance", fmt::format("invoicing-{}", number % of.services)};
}

std::vector<std::string> const handlers{"close-day", "import-statements", "send-reminders"};

// Bytes of each client that `work` adds.
template <class Work>
std::int64_t each_costs(shape const& of, Work work)
{
    auto const before = allocated();
    work();
    return (static_cast<std::int64_t>(allocated()) - static_cast<std::int64_t>(before)) / of.clients;
}

struct bytes_at_home {
    std::int64_t registry = 0;
    std::int64_t lanes = 0; // and what is known of who can be called
    std::int64_t held = 0;  // with the coroutines that hold them, the requests of clients that watch and fetch
    std::int64_t kept() const { return registry + lanes; }
};

// A node and its clients.
struct home_bench {
    shape of;
    sim::stage stage{3};
    sim::host& host = stage.add_host("a");
    std::unique_ptr<storage::database> database;
    asio::any_io_executor loop = stage.loop.get_executor();
    seeded_random random{1};
    membership nodes;
    registry clients;
    proving_calls calls{clients, host.time()};
    home_watches watches{nodes, host.time(), loop};
    fetch_line fetches{"a", host.time(), loop};
    trigger::lanes lanes{{}, random};
    known_attempts known;
    reporter report;
    reachability reach;
    test::fake_right right;
    stamps given{"secret"};
    election_trace trace{"", "a", "a"};
    dispatcher deliveries;

    explicit home_bench(shape wanted)
        : of(wanted),
          database(connected()),
          nodes({}, row_of_node(), *database, host.time(),
                [] {
                    return membership::status{"slave", 0, 0};
                }),
          clients({}, "a", *database, host.time(), loop),
          report("a", {[](protocol::report_request const&) { return answer(); }, known, lanes, host.time()}, loop),
          reach(*database, {nodes, watches, host.time()}, loop),
          deliveries({}, 15s, {clients, calls, right, reach, lanes, known, report, given, trace, host.time()}, loop)
    {
        report.new_term(right.present);
        host.spawn(nodes.run());
        host.spawn(clients.run());
        host.spawn(clients.write_rows());
        host.spawn(report.run());
        host.spawn(reach.run());
        host.spawn(deliveries.run());
        stage.time.run_for(3s);
    }
    ~home_bench() { stage.end(); }

    std::unique_ptr<storage::database> connected()
    {
        stage.make_tables();
        return stage.database.connect(host, {.sessions = 2, .read_limit = 5s});
    }
    static storage::node_record row_of_node()
    {
        storage::node_record row;
        row.incarnation = row.name = "a";
        row.address = "http://a:7800";
        return row;
    }
    static awaitable<std::optional<protocol::report_answer>> answer() { co_return protocol::report_answer{}; }

    protocol::register_request request_of(int number) const
    {
        protocol::register_request request;
        request.revision = protocol::wire_revision;
        request.project = service_of(of, number).project;
        request.service = service_of(of, number).service;
        request.instance = name_of(number);
        if (!of.fetch)
            request.address = fmt::format("http://10.0.{}.{}:41234", number / 250, number % 250 + 1);
        else
            request.delivery = protocol::delivery_way::fetch;
        request.secret = fmt::format("{:032}", number);
        request.handlers = handlers;
        request.slots = 8;
        request.queue = 16;
        request.version = "4.17.2";
        request.generation = 1;
        return request;
    }
    awaitable<void> join(int number) { co_await clients.join(request_of(number)); }
    awaitable<void> watch(int number) { co_await watches.hold(name_of(number)); }
    awaitable<void> fetch(int number)
    {
        protocol::fetch_request request;
        request.instance = name_of(number);
        request.poll = 1;
        co_await fetches.poll(std::move(request), {});
    }

    bytes_at_home measure()
    {
        bytes_at_home out;
        out.registry = each_costs(of, [this] {
            for (int i = 0; i < of.clients; ++i) {
                host.spawn(join(i));
                if (i % 500 == 499) // in groups, because the number of writes that wait is bounded
                    stage.time.run_for(50ms);
            }
            stage.time.run_for(1s);
        });
        out.lanes = each_costs(of, [this] {
            for (int i = 0; i < of.clients; ++i)
                deliveries.client_changed(name_of(i));
            for (int i = 0; i < of.services; ++i)
                for (auto const& handler : handlers)
                    lanes.choose(service_of(of, i), handler, protocol::client_choice::round_robin, host.time().now());
            stage.time.run_for(3s);
        });
        out.held = each_costs(of, [this] {
            for (int i = 0; i < of.clients; ++i) {
                host.spawn(watch(i));
                if (of.fetch)
                    host.spawn(fetch(i));
            }
            stage.time.run_for(1ms);
        });
        return out;
    }
};

bytes_at_home measure_home(shape const& of)
{
    home_bench bench(of);
    auto const bytes = bench.measure();
    REQUIRE(bench.clients.size() == std::size_t(of.clients));
    REQUIRE(bench.watches.size() == std::size_t(of.clients));
    REQUIRE(bench.fetches.size() == std::size_t(of.fetch ? of.clients : 0));
    int working = 0;
    bench.lanes.each([&](client_lane const& lane) { working += lane.takes_work() ? 1 : 0; });
    REQUIRE(working == of.clients);
    return bytes;
}

struct bytes_at_master {
    std::int64_t directory = 0;
    std::int64_t credits = 0;
};

// A term's parts, for clients of ten nodes.
bytes_at_master measure_master(shape const& of)
{
    constexpr int nodes = 10;
    sim::stage stage{3};
    auto& host = stage.add_host("a");
    stage.make_tables();
    auto const database = stage.database.connect(host, {.sessions = 2, .read_limit = 5s});
    storage::clients table(*database);
    auto const node_of = [](int number) { return fmt::format("trigger-{}:1:0a1b2c3d:{:032x}", number, number); };
    for (int i = 0; i < of.clients; i += 500) {
        std::vector<storage::client_write> group(500);
        for (int k = 0; k < 500; ++k) {
            auto& row = group[std::size_t(k)].row;
            row.instance = name_of(i + k);
            row.project = service_of(of, i + k).project;
            row.service = service_of(of, i + k).service;
            row.address = "http://10.0.0.1:41234";
            row.secret = "0123456789abcdef";
            row.handlers = handlers;
            row.node = node_of((i + k) / of.services % nodes);
            row.generation = 1;
        }
        auto call = [&]() -> awaitable<void> { co_await table.write(group); };
        stage.play(call());
    }
    client_directory directory(*database, host.time(), stage.loop.get_executor());
    credits told;
    bytes_at_master out;
    out.directory = each_costs(of, [&] {
        auto call = [&]() -> awaitable<void> { co_await directory.refresh(); };
        stage.play(call());
    });
    out.credits = each_costs(of, [&] {
        protocol::capacity_message word{1, {}};
        for (int service = 0; service < of.services; ++service)
            word.services.push_back(
                {service_of(of, service).project, service_of(of, service).service, {{handlers, 1'000, 2'000}}});
        for (int node = 0; node < nodes; ++node)
            told.hear(node_of(node), word);
        auto const any = [](std::string const&) { return true; };
        for (int service = 0; service < of.services; ++service)
            for (auto const& handler : handlers)
                told.choose(service_of(of, service), handler, 1, host.time().now(), any);
    });
    REQUIRE(directory.size() == std::size_t(of.clients));
    stage.end();
    return out;
}

} // namespace

TEST_CASE("a node keeps at most 4 KiB for each client that it hears, also of one that fetches", "[large]")
{
    auto const of = GENERATE(shape{}, shape{2'000, 20}, shape{2'000, 1, true});
    auto const bytes = measure_home(of);
    CAPTURE(of.services, of.fetch, bytes.registry, bytes.lanes, bytes.held);
    CHECK(bytes.kept() <= most_at_home);
}

TEST_CASE("the master keeps at most 200 bytes for each client of a service")
{
    auto const of = GENERATE(shape{}, shape{2'000, 100}); // 20 clients a service, two at each node
    auto const bytes = measure_master(of);
    CAPTURE(of.services, bytes.directory, bytes.credits);
    CHECK(bytes.directory + bytes.credits <= most_at_master);
}

TEST_CASE("the memory of twenty thousand clients, at their home and at the master", "[.measure]")
{
    auto const of = GENERATE(shape{20'000}, shape{20'000, 1, true}, shape{20'000, 100}, shape{20'000, 1'000});
    auto const home = measure_home(of);
    WARN(of.services << " services, " << (of.fetch ? "fetch" : "push") << ", at home: registry " << home.registry
                     << " bytes, lanes " << home.lanes << ", held requests " << home.held);
    if (of.fetch)
        return;
    auto const master = measure_master(of);
    WARN(of.services << " services, at the master: directory " << master.directory << " bytes, credits "
                     << master.credits);
}

} // namespace client_memory_test
