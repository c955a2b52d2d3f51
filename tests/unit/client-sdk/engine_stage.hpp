#pragma once

#include "client-sdk/src/engine.hpp"

#include <catch2/catch.hpp>

namespace baton::client {

// An engine with one handler, "work", whose clock moves when it is told to.
struct stage {
    explicit stage(engine_limits limits = {}) : it(limits, {"work"}) {}

    reading now() const { return {at, from_micros(1'774'746'000'000'000) + at.time_since_epoch()}; }
    void pass(duration span) { at += span; }

    protocol::dispatch_ack take(std::int64_t execution, int attempt = 1, duration timeout = {})
    {
        protocol::dispatch work;
        work.execution = execution;
        work.attempt = attempt;
        work.handler = "work";
        work.timeout_us = timeout.count();
        return it.take(work, at);
    }

    std::vector<std::shared_ptr<job>> start() { return it.start_ready(now()); }

    void finish(std::int64_t execution, bool succeeded = true, std::string error = {})
    {
        outcome what;
        what.succeeded = succeeded;
        what.error = std::move(error);
        what.ended = now();
        it.finish(execution, what);
    }

    void run(std::int64_t execution, int attempt, bool succeeded)
    {
        take(execution, attempt);
        start();
        finish(execution, succeeded);
    }

    std::vector<protocol::result_report> batch() { return it.batch(at, 500, 1u << 20); }

    // What is reported for this execution, all of it acknowledged.
    protocol::result_report report()
    {
        auto const sent = batch();
        REQUIRE(sent.size() == 1);
        it.settle(sent, {{sent[0].execution, sent[0].attempt}}, at);
        return sent[0];
    }

    engine it;
    instant at{1h};
};

} // namespace baton::client
