#pragma once

#include "client-sdk/src/engine.hpp"

#include <catch2/catch.hpp>

namespace baton::client {

// An engine with one handler, "work", and a clock that moves by `pass` alone.
struct stage {
    explicit stage(engine_limits limits = {}) : it(limits, {"work"}) {}

    reading now() const { return {at, from_micros(1'774'746'000'000'000) + at.time_since_epoch()}; }
    void pass(duration span) { at += span; }

    protocol::dispatch_ack take(std::int64_t execution, int attempt = 1, duration timeout = {})
    {
        protocol::dispatch work;
        work.execution = execution_id{execution};
        work.attempt = attempt;
        work.handler = "work";
        work.timeout_us = timeout.count();
        return it.take(work, at, term);
    }

    std::vector<std::shared_ptr<job>> start() { return it.start_ready(now()); }

    void finish(std::int64_t execution, bool succeeded = true, std::string error = {})
    {
        outcome end;
        end.succeeded = succeeded;
        end.error = std::move(error);
        end.ended = now();
        it.finish(execution_id{execution}, end);
    }

    void run(std::int64_t execution, int attempt, bool succeeded)
    {
        take(execution, attempt);
        start();
        finish(execution, succeeded);
    }

    std::vector<protocol::result_report> batch() { return it.batch(at, 500, 1u << 20); }

    // The one report of the next batch, acknowledged.
    protocol::result_report report()
    {
        auto const sent = batch();
        REQUIRE(sent.size() == 1);
        it.settle(sent, {{sent[0].execution, sent[0].attempt}}, at);
        return sent[0];
    }

    engine it;
    protocol::term_id term; // of further dispatches
    instant at{1h};
};

} // namespace baton::client
