#include "cli/trigger_process.hpp"

#include "cli/process.hpp"
#include "libs/base/id.hpp"
#include "libs/base/log.hpp"
#include "libs/storage/cluster_secret.hpp"
#include "trigger/api/admission.hpp"
#include "trigger/api/authorize.hpp"

namespace baton::cli {

namespace {

constexpr duration node_answers_for = 1s; // for requests in progress when the listener closes

stores_settings stores_of(trigger_config const& config)
{
    stores_settings out;
    out.sessions = config.database.sessions;
    out.lock_namespace = config.node.election.name_space;
    // A hanging call must return before the deadline by which a lost term has drained.
    out.call_limit = config.node.election.grace * 4 / 5;
    out.lease_limit = config.node.election.ttl / 3; // so that a renewal can be tried again in time
    out.guarded = config.node.guard.enabled;
    out.guard_silence = config.node.guard.silence;
    return out;
}

std::string host_part(std::string const& address)
{
    return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

} // namespace

trigger_process::trigger_process(measured_loop& loop, time_source& time, random_source& random, trigger_config config)
    : config_(std::move(config)),
      zones_(config_.node.zones.period),
      time_(time),
      stop_bell_(loop.executor()),
      electing_("election"),
      election_random_(entropy()),
      stores_(open_stores(config_.database.where(), stores_of(config_), time)),
      http_(http::make_client(time, {.connection_limit = bounds_of(file_limit()).outgoing})),
      door_([this](http::request const& message) { return routes_(message); },
            [this](http::request const& message) { return trigger::authorized(message, config_.node.token); })
{
    // The node needs the port of the listener, so the listener comes first and gets its routes afterwards.
    auto const secret = secret_hex(32);
    auto settings = listener_of(config_.listen);
    settings.admit = trigger::make_admitter(config_.node.token, secret);
    listener_ = http::make_server(loop.executor(), time, std::move(settings), door_.routes());
    if (config_.node.address.empty())
        config_.node.address = "http://" + host_part(config_.listen.address) + ":" + std::to_string(listener_->port());
    trigger::world outside{time,
                           random,
                           *stores_.shared,
                           *stores_.deciding,
                           *stores_.signals,
                           *stores_.members,
                           *stores_.lease,
                           stores_.guard.get(),
                           *http_,
                           make_incarnation(host_name(), process_id(), boot_id(), random),
                           secret,
                           &last_resort_,
                           loop_ref(electing_.loop().executor()),
                           time_,
                           *stores_.members,
                           election_random_,
                           {&loop, &electing_.loop()}};
    node_ = std::make_unique<trigger::node>(loop_ref(loop.executor()), config_.node, std::move(outside));
    routes_ = node_->routes();
}

// No coroutine of the election is left, unless the loop was stopped before run() had ended.
trigger_process::~trigger_process()
{
    electing_.end();
}

awaitable<void> trigger_process::await_database()
{
    using namespace asio::experimental::awaitable_operators;
    std::function<void(std::string const&)> const waits = [this](auto const& reason) { door_.closed_because(reason); };
    std::function<awaitable<void>()> const then = [this] { return share_receipts(); };
    std::exception_ptr failure;
    co_await (kept(prepare(stores_, time_, waits, then), failure) || stop_bell_.wait());
    if (failure && !stopping_) // otherwise it is the cancellation by the stop
        std::rethrow_exception(failure);
}

awaitable<void> trigger_process::share_receipts()
{
    auto offered = secret_hex(32);
    auto const secret = co_await storage::cluster_secret(*stores_.shared, std::move(offered));
    node_->share_receipts(secret);
}

awaitable<void> trigger_process::work()
{
    co_await await_database();
    if (stopping_)
        co_return;
    prepared_ = true;
    door_.open();
    log::info("trigger", "listening", {{"node", config_.node.name}, {"address", config_.node.address}});
    when_open_();
    co_await node_->run();
}

awaitable<void> trigger_process::run()
{
    co_await until_one_ends(work(), listener_->run(node_answers_for));
}

void trigger_process::stop()
{
    stopping_ = true;
    if (prepared_)
        node_->stop();
    else
        stop_bell_.wake();
}

} // namespace baton::cli
