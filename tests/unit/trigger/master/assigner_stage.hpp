#pragma once

#include "tests/unit/trigger/master/node_stage.hpp"
#include "trigger/master/assigner.hpp"

#include <optional>
#include <vector>

namespace baton::test {

// An assigner between two other nodes, whose answers the test gives, and the parts of its term.
struct assigner_stage : node_stage {
    trigger::completion_queue ended{open, stage.loop.get_executor()};
    trigger::suspect_line suspects{scope()};
    trigger::attempts next{scope(), ended, suspects};
    trigger::admissions limits{scope(), next};
    trigger::pause_book pauses;
    trigger::paused_services paused{scope(), pauses, next};
    trigger::task_book none;
    trigger::unresponsive_handlers handlers{scope(), calls, none, {[](auto const&, auto const&) {}, [](auto) {}}};
    trigger::deadlines ends{scope(), ended, handlers};
    trigger::execution_limits time_limits{scope(), next, ends};
    trigger::past_reader past{scope()};
    trigger::credits credits;
    trigger::ready_queue ready{[this](execution_id id) { return open.place_in_line(id); }};
    trigger::fire_mark mark{scope(), 1s};
    trigger::watermark sent_so_far{scope()};
    trigger::late_sends late{scope(), sent_so_far};
    fake_doubts in_doubt{open};
    trigger::election_trace trace{"", "master", "master"};
    std::optional<trigger::assigner> firing;

    explicit assigner_stage(trigger::dispatcher_settings settings = {}, bool signals_are_read = true) : node_stage(2)
    {
        firing.emplace(settings, scope(),
                       trigger::assigner::dependencies{view(), here, calls, trace, credits, ready, ended, in_doubt,
                                                       next, limits, mark, paused, time_limits, past, sent_so_far,
                                                       late});
        open.on_release([this](protocol::service_view service) { firing->released(service); });
        paused.on_resume([this](protocol::service_view service) { firing->released(service); });
        open.on_add([this](trigger::open_execution const& one) { time_limits.watch(one); });
        open.on_end([this](execution_id id) {
            time_limits.forget(id);
            limits.ended(id);
        });
        limits.all_loaded();
        add_task(1);
        host.spawn(next.run());
        host.spawn(limits.run());
        host.spawn(paused.run());
        host.spawn(ends.run());
        host.spawn(time_limits.run());
        host.spawn(past.run());
        host.spawn(mark.run());
        host.spawn(sent_so_far.run());
        host.spawn(late.run());
        host.spawn(firing->run());
        if (signals_are_read)
            firing->may_fire_until(utc_time::max());
        pass(20ms);
    }
    ~assigner_stage() { stage.end(); }

    // Executions that are due now.
    void fire(std::vector<int> const& numbers, int task = 1)
    {
        for (auto const id : numbers)
            add_execution(id, task, 3);
        load();
        due_changed.wake();
    }
    // As after a take-over: a former master may have sent these.
    void put_in_doubt(std::vector<int> const& numbers)
    {
        for (auto const id : numbers) {
            limits.under_way(one(id));
            open.move(one(id), trigger::phase::in_doubt);
        }
    }
    // The same, and they were not due before.
    void fire_on_time(std::vector<int> const& numbers)
    {
        start = stage.database.utc();
        fire(numbers);
    }
    // The clients have been asked about these, and none has them.
    void find_absent(std::vector<int> const& numbers)
    {
        for (auto const id : numbers) {
            limits.absent(one(id));
            next.open(one(id), clock.now(), protocol::attempt_cause::take_over);
        }
    }
    std::vector<execution_id> all_at(std::string const& node)
    {
        std::vector<execution_id> out;
        for (auto const& group : calls.groups(node))
            out.insert(out.end(), group.begin(), group.end());
        return out;
    }
};

} // namespace baton::test
