// The cost of writing and parsing the JSON of a batch.

#include "libs/http/parse_as.hpp"
#include "libs/protocol/node_wire.hpp"

#include <benchmark/benchmark.h>

using namespace baton;

namespace {

protocol::dispatch make_dispatch(std::int64_t number)
{
    protocol::dispatch one;
    one.execution = execution_id{381'204'117'561'114'624 + number};
    one.task = task_id{381'200'000'000'000'001 + number};
    one.task_name = "bench " + std::to_string(number);
    one.handler = "noop";
    one.payload = protocol::json_text(nlohmann::json{{"data", std::string(245, 'x')}});
    one.scheduled_at = 1'774'746'000'000'000 + number * 100;
    return one;
}

protocol::dispatch_request make_dispatches(std::int64_t many)
{
    protocol::dispatch_request message;
    message.term.epoch = 18;
    message.node = "trigger-2:812:2f9c01d3:5b1e7a90c3d24f68";
    for (std::int64_t i = 0; i < many; ++i)
        message.executions.push_back(make_dispatch(i));
    return message;
}

protocol::results_request make_results(std::int64_t many)
{
    protocol::results_request message;
    message.instance = "host-a:4711:2f9c01d3:8c1f6f4ce05a9b3f77b0b4c2d8e9f1a6";
    for (std::int64_t i = 0; i < many; ++i) {
        auto& one = message.results.emplace_back();
        one.execution = execution_id{381'204'117'561'114'624 + i};
        one.started_at = 1'774'746'000'000'000 + i * 100;
        one.finished_at = one.started_at + 12;
    }
    return message;
}

template <class Message>
void write(benchmark::State& state, Message const& message)
{
    std::size_t bytes = 0;
    for (auto _ : state)
        bytes += to_text(message).size();
    state.SetItemsProcessed(state.iterations() * state.range(0));
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

template <class Message>
void read(benchmark::State& state, Message const& message)
{
    auto const body = to_text(message);
    for (auto _ : state)
        benchmark::DoNotOptimize(http::parse_as<Message>(body));
    state.SetItemsProcessed(state.iterations() * state.range(0));
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(body.size()));
}

void dispatch_written(benchmark::State& state)
{
    write(state, make_dispatches(state.range(0)));
}
void dispatch_read(benchmark::State& state)
{
    read(state, make_dispatches(state.range(0)));
}
void results_written(benchmark::State& state)
{
    write(state, make_results(state.range(0)));
}
void results_read(benchmark::State& state)
{
    read(state, make_results(state.range(0)));
}

BENCHMARK(dispatch_written)->Arg(1)->Arg(500);
BENCHMARK(dispatch_read)->Arg(1)->Arg(500);
BENCHMARK(results_written)->Arg(1)->Arg(500);
BENCHMARK(results_read)->Arg(1)->Arg(500);

} // namespace
