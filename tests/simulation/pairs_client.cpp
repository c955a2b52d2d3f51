#include "tests/simulation/pairs_client.hpp"

#include "libs/http/parse_as.hpp"
#include "libs/protocol/client_wire.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace pairs_sim {

namespace protocol = baton::protocol;

namespace {

constexpr duration remembered = 60s; // the SDK remembers for ten minutes, which is a lot of simulated work

duration utc_span(client_records const& records, handler_call const& call)
{
    return records.utc() - call.began;
}

client::runtime_settings settings_of(client_options const& options)
{
    client::runtime_settings made;
    made.limits.slots = options.slots;
    made.limits.queue = options.queue;
    made.limits.remember = remembered;
    made.handlers = {"work"};
    for (auto const& address : options.nodes)
        made.link.nodes.push_back(http::parse_url(address));
    auto& identity = made.link.identity;
    identity.project = options.project;
    identity.service = options.service;
    identity.tags = options.tags;
    identity.instance = fmt::format("{}#{}", options.name, options.number);
    identity.secret = "the-secret-of-" + identity.instance;
    if (options.fetches)
        identity.delivery = protocol::delivery_way::fetch;
    else
        identity.address = "http://" + options.name + ":9000";
    return made;
}

// Notes when the client leaves.
class noting_client final : public http::client {
public:
    noting_client(std::unique_ptr<http::client> inner, std::function<void()> on_leave)
        : inner_(std::move(inner)), on_leave_(std::move(on_leave))
    {}

    awaitable<http::response> send(http::url to, http::request message, duration limit) override
    {
        if (message.target == protocol::path_leave)
            on_leave_();
        return inner_->send(std::move(to), std::move(message), limit);
    }

private:
    std::unique_ptr<http::client> inner_;
    std::function<void()> on_leave_;
};

} // namespace

played_client::played_client(sim::stage& stage, client_options const& options, client_records& records)
    : stage_(stage),
      host_(stage.add_host(options.name)),
      records_(records),
      http_(std::make_unique<noting_client>(stage.net.client_for(host_), [this] { note_leave(); }))
{
    auto const settings = settings_of(options);
    client::runtime_parts const parts{host_.time(), host_.random(), *http_, *this};
    runtime_ = std::make_unique<client::runtime>(stage.loop.get_executor(), parts, settings);
    if (!options.fetches)
        stage.net.attach(host_, http::parse_url(settings.link.identity.address), noting(runtime_->handler()));
    host_.spawn(runtime_->run());
}

// Notes what the client takes.
http::handler played_client::noting(http::handler next)
{
    return [this, next = std::move(next)](http::request const& message) -> awaitable<http::response> {
        auto answer = co_await next(message);
        if (message.target == protocol::path_dispatch && answer.status == 200)
            if (auto const said = http::parse_if<protocol::dispatch_answer>(answer.body))
                for (auto const& each : said->executions)
                    if (each.answer == protocol::ack::accepted)
                        records_.acceptances.push_back({each.execution.value(), each.attempt, records_.utc()});
        co_return answer;
    };
}

void played_client::note_leave()
{
    for (auto const index : calls_)
        if (auto& call = records_.calls[index]; !call.ended && !call.left)
            call.left = records_.utc();
}

void played_client::kill()
{
    for (auto const index : calls_)
        if (auto& call = records_.calls[index]; !call.ended)
            call.died = records_.utc();
    host_.kill();
}

void played_client::drain(duration grace, std::function<void()> ended)
{
    host_.spawn(leave(grace), std::move(ended));
}

awaitable<void> played_client::leave(duration grace)
{
    co_await runtime_->drain(grace);
}

void played_client::start(std::shared_ptr<client::job> work, std::function<void(client::outcome)> done)
{
    handler_call call;
    call.execution = work->work.execution.value();
    call.attempt = work->work.attempt;
    call.task = work->work.task.value();
    call.instance = runtime_->instance();
    call.began = records_.utc();
    stage_.log.note(fmt::format("{} starts execution {} attempt {}", call.instance, call.execution, call.attempt));
    calls_.push_back(records_.calls.size());
    records_.calls.push_back(std::move(call));
    host_.spawn(handle(std::move(work), std::move(done), records_.calls.size() - 1));
}

awaitable<void> played_client::handle(std::shared_ptr<client::job> work, std::function<void(client::outcome)> done,
                                      std::size_t call)
{
    constexpr duration step = 50ms;
    auto& time = host_.time();
    auto const how = records_.behave(work->work.task.value(), work->work.execution.value(), work->work.attempt);
    auto end = time.now() + how.span;
    while (time.now() < end) {
        auto const next = std::min(end, time.now() + step);
        co_await time.sleep_until(next);
        if (records_.hurry)
            break;
        auto& mine = records_.calls[call];
        if (work->stop.stop_requested() && !mine.asked_to_stop) {
            mine.asked_to_stop = records_.utc();
            end = how.deaf_for > 0s ? std::max(end, time.now() + how.deaf_for) : time.now();
        }
    }
    auto& mine = records_.calls[call];
    mine.ended = records_.utc();
    // The SDK takes what returns after its timeout for timed out, also if it could not ask it to stop before.
    bool const in_time = work->work.timeout_us == 0 || utc_span(records_, mine) < duration{work->work.timeout_us};
    mine.succeeded = how.succeeds && !mine.asked_to_stop && in_time;
    auto returned = client::result::ok();
    if (!how.succeeds || mine.asked_to_stop) {
        returned = client::result::fail("this attempt fails");
        if (how.final)
            returned = client::result::fail("this attempt fails").in_class("bad_input");
    }
    done(client::make_outcome(returned, client::read(time)));
}

} // namespace pairs_sim
