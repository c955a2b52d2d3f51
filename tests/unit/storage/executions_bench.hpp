#pragma once

#include "libs/base/random.hpp"
#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <utility>

namespace baton::test {

// Executions as the API reads and changes them, of a ledger with the task 1 that only the API fires.
class executions_bench : public scheduler_bench {
public:
    static inline utc_time const noon = from_micros(1'800'000'000'000'000);

    explicit executions_bench(storage::engine kind) : scheduler_bench(kind), executions(*shared)
    {
        wait_for(ledger.raise(mine));
        add_task(1, noon);
        home.exec(R"(UPDATE task SET definition = '{"name": "t", "service": "s", "handler": "h", )"
                  R"("schedule": {"kind": "api"}, "max_attempts": 3, "retry_delay_ms": 7000}')");
    }
    storage::run_result run(storage::run_request request)
    {
        return wait_for(executions.run_now(std::move(request), ids));
    }
    storage::cancel_result cancel(execution_id id) { return wait_for(executions.request_cancel(id, ids)); }
    // The ids of a page, and "to" the last row that it looked at where it ended early.
    std::string list(storage::execution_filter const& filter)
    {
        std::string all;
        auto const page = wait_for(executions.list(filter));
        for (auto const& each : page.items)
            all += std::to_string(each.id.value()) + " ";
        if (page.looked_to)
            all += "to " + std::to_string(page.looked_to->id.value());
        return all;
    }

    system_time time;
    seeded_random chance{Catch::rngSeed()};
    id_generator ids{time, chance};
    storage::executions executions;
};

} // namespace baton::test
