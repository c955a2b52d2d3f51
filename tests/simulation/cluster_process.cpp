#include "tests/simulation/cluster_process.hpp"

#include "libs/protocol/client_wire.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace baton::simulation {

namespace {

constexpr std::size_t shared_sessions = 4;

trigger::settings node_settings(std::string const& name, node_options const& options)
{
    trigger::settings made;
    made.name = name;
    made.address = "http://" + name + ":7800";
    made.clients.heartbeat = options.client_heartbeat;
    return made;
}

} // namespace

node_stores server_stores(sim::database_server& server, sim::host& working, sim::host& electing, bool guarded)
{
    node_stores made;
    made.shared = server.connect(working, {.sessions = shared_sessions, .read_limit = 5s});
    made.deciding = server.connect(working, {.sessions = 1, .read_limit = 5s});
    made.signals = server.connect(working, {.sessions = 1, .read_limit = 5s});
    made.members = server.connect(working, {.sessions = 1, .read_limit = 5s});
    made.beating = server.connect(electing, {.sessions = 1, .read_limit = 5s});
    made.other = server.connect(electing, {.sessions = 2, .read_limit = 5s});
    made.own = server.connect(electing, {.sessions = 1, .read_limit = 1s});
    made.guarding = server.connect(electing, {.sessions = 1, .read_limit = 4s, .idle_limit = 2s});
    made.lease = lease::make_clocked_lease(*made.own, "master");
    if (guarded)
        made.guard = lease::make_named_guard(*made.guarding, *made.other, "master");
    return made;
}

node_process::node_process(sim::stage& stage, std::string const& name, int number, node_options const& options,
                           sim::clock_error error)
    : host_(stage.add_host(name, error)),
      electing_(stage.add_host(name, error)),
      stores_(options.open ? options.open(host_, electing_)
                           : server_stores(stage.database, host_, electing_, options.guarded)),
      http_(stage.net.client_for(host_))
{
    auto const settings = node_settings(name, options);
    auto const incarnation = fmt::format("{}#{}", name, number);
    auto const loop_of = [&stage](sim::host& one) {
        return loop_ref(stage.loop.get_executor(), [&one](std::function<void()> next) { one.post(std::move(next)); });
    };
    trigger::world const world{host_.time(),
                               host_.random(),
                               *stores_.shared,
                               *stores_.deciding,
                               *stores_.signals,
                               *stores_.members,
                               *stores_.lease,
                               stores_.guard.get(),
                               *http_,
                               incarnation,
                               "the-secret-of-" + incarnation,
                               nullptr,
                               loop_of(electing_),
                               electing_.time(),
                               *stores_.beating,
                               electing_.random()};
    node_ = std::make_unique<trigger::node>(loop_of(host_), settings, world);
    node_->share_receipts("the-secret-of-the-cluster");
    stage.net.attach(host_, http::parse_url(settings.address), node_->routes());
    host_.spawn(node_->run(), [this] { ended_ = true; });
}

void node_process::kill()
{
    electing_.kill();
    host_.kill();
}

void node_process::hold_sessions()
{
    for (std::size_t i = 0; i < shared_sessions; ++i)
        host_.spawn(hold_session(*stores_.shared));
}

void node_process::hold_decisions()
{
    host_.spawn(hold_session(*stores_.deciding));
}

awaitable<void> node_process::hold_session(storage::database& which)
{
    auto const nothing = [](soci::session&) { return 0; };
    try {
        co_await which.run(nothing);
    } catch (unavailable const&) {
        // The test looks at the node.
    }
}

void node_process::freeze_for(duration span)
{
    electing_.freeze_for(span);
    host_.freeze_for(span);
}

char const* name_of(conduct how)
{
    switch (how) {
    case conduct::honest:
        return "honest";
    case conduct::mute:
        return "mute";
    case conduct::refusing:
        return "refusing";
    case conduct::slow:
        return "slow";
    case conduct::nonsense:
        return "nonsense";
    case conduct::unacknowledging:
        return "unacknowledging";
    case conduct::idle:
        return "idle";
    }
    return "";
}

client_process::client_process(sim::stage& stage, client_options const& options, std::vector<handler_run>& runs,
                               std::function<void(handler_run const&)> on_start)
    : stage_(stage),
      host_(stage.add_host(options.name)),
      project_(options.project),
      runs_(runs),
      on_start_(std::move(on_start)),
      kill_(options.kill),
      http_(stage.net.client_for(host_))
{
    client::runtime_settings settings;
    settings.limits.slots = options.slots;
    settings.limits.queue = options.slots;
    settings.limits.remember = options.remember;
    settings.handlers = {"work", "flaky", "long", "deadly"};
    for (auto const& address : options.nodes)
        settings.link.nodes.push_back(http::parse_url(address));
    settings.link.identity.project = options.project;
    settings.link.identity.service = cluster_service;
    settings.link.identity.instance = fmt::format("{}#{}", options.name, options.number);
    if (options.fetches)
        settings.link.identity.delivery = protocol::delivery_way::fetch;
    else
        settings.link.identity.address = "http://" + options.name + ":9000";
    settings.link.identity.secret = "the-secret-of-" + settings.link.identity.instance;
    client::runtime_parts const parts{host_.time(), host_.random(), *http_, *this};
    runtime_ = std::make_unique<client::runtime>(stage.loop.get_executor(), parts, settings);
    if (!options.fetches)
        address_ = http::parse_url(settings.link.identity.address);
    behave(options.how);
    host_.spawn(runtime_->run());
}

void client_process::behave(conduct how)
{
    conduct_ = how;
    if (!address_)
        return;
    if (how == conduct::refusing)
        stage_.net.detach(*address_);
    else
        stage_.net.attach(host_, *address_, [this](http::request const& message) { return answer(message); });
}

awaitable<http::response> client_process::answer(http::request message)
{
    if (conduct_ == conduct::mute)
        co_await host_.time().sleep_for(1h);
    if (conduct_ == conduct::slow) {
        auto const pause = sim::random_between(host_.random(), 500ms, 8s);
        co_await host_.time().sleep_for(pause);
    }
    auto const handle_honestly = runtime_->handler();
    auto said = co_await handle_honestly(message);
    if (conduct_ == conduct::nonsense && message.target != protocol::path_probe)
        said = http::text_response(200, "I did it");
    if (conduct_ == conduct::unacknowledging && message.target == protocol::path_dispatch)
        said = http::json_response(200, protocol::dispatch_answer{});
    co_return said;
}

void client_process::start(std::shared_ptr<client::job> work, std::function<void(client::outcome)> done)
{
    handler_run run;
    run.execution = work->work.execution.value();
    run.attempt = work->work.attempt;
    run.task = work->work.task;
    run.project = project_;
    run.host = &host_;
    run.instance = runtime_->instance();
    run.began = host_.time().now();
    on_start_(run);
    runs_.push_back(std::move(run));
    if (work->work.handler == "deadly")
        return kill_();
    if (conduct_ == conduct::idle)
        return;
    host_.spawn(handle(std::move(work), std::move(done), runs_.size() - 1));
}

awaitable<void> client_process::handle(std::shared_ptr<client::job> work, std::function<void(client::outcome)> done,
                                       std::size_t run)
{
    // Most are short; some are long enough for a "running" report.
    bool const is_long = host_.random().below(10) == 0;
    auto const most = is_long ? 3'000'000u : 200'000u;
    auto const usual = duration{static_cast<std::int64_t>(1'000 + host_.random().below(most))};
    auto const end = host_.time().now() + (work->work.handler == "long" ? duration{20s} : usual);
    bool const fails = work->work.handler == "flaky" && host_.random().below(3) == 0;
    while (host_.time().now() < end && !work->stop.stop_requested()) {
        auto const next = std::min(end, host_.time().now() + 100ms);
        co_await host_.time().sleep_until(next);
    }
    bool const succeeded = !fails && !work->stop.stop_requested();
    runs_[run].ended = true;
    runs_[run].succeeded = succeeded;
    auto const returned = succeeded ? client::result::ok() : client::result::fail("this attempt fails");
    done(client::make_outcome(returned, client::read(host_.time())));
}

} // namespace baton::simulation
