#include "cli/web_process.hpp"

#include "cli/process.hpp"
#include "libs/base/log.hpp"
#include "web/gate.hpp"

namespace baton::cli {

namespace {

constexpr duration web_answers_for = 5s; // for requests in progress when the listener closes

} // namespace

web_process::web_process(asio::io_context& loop, time_source& time, random_source& random, web_config config)
    : config_(std::move(config)),
      zones_(config_.site.zones_check),
      time_(time),
      stop_bell_(loop.get_executor()),
      stores_(open_stores(config_.database.where(),
                          {.sessions = config_.database.sessions, .lock_namespace = config_.site.name_space}, time)),
      http_(http::make_client(time, {.connection_limit = bounds_of(file_limit()).outgoing}))
{
    web::dependencies const outside{time, random, *stores_.shared, *stores_.lease, *http_};
    site_ = std::make_unique<web::site>(config_.site, outside);
    door_ = std::make_unique<database_door>(
        site_->routes(), [this](http::request const& message) { return web::may_enter(message, config_.site.token); });
    auto listener = listener_of(config_.listen);
    listener.admit = site_->admitter();
    listener_ = http::make_server(loop.get_executor(), time, std::move(listener), door_->routes());
}

std::string web_process::address() const
{
    bool const v6 = config_.listen.address.find(':') != std::string::npos;
    auto const host = v6 ? "[" + config_.listen.address + "]" : config_.listen.address;
    return "http://" + host + ":" + std::to_string(listener_->port());
}

awaitable<void> web_process::open()
{
    std::function<void(std::string const&)> const waits = [this](auto const& reason) { door_->closed_because(reason); };
    co_await prepare(stores_, time_, waits);
    door_->open();
    opened_ = true;
}

// Ends with a failure only: the listener goes on.
awaitable<void> web_process::stay_open()
{
    if (!opened_)
        co_await open();
    log::info("web", "listening", {{"address", address()}});
    co_await site_->run();
}

awaitable<void> web_process::serve()
{
    co_await until_one_ends(stay_open(), listener_->run(web_answers_for));
}

awaitable<void> web_process::run()
{
    using namespace asio::experimental::awaitable_operators;
    std::exception_ptr failure;
    auto const first = co_await (kept(serve(), failure) || stop_bell_.wait());
    if (failure && first.index() == 0) // otherwise the failure is the cancellation by the stop
        std::rethrow_exception(failure);
}

} // namespace baton::cli
