#include "baton/client/service.hpp"

#include "client-sdk/src/runtime.hpp"
#include "client-sdk/src/settings.hpp"
#include "client-sdk/src/worker_pool.hpp"
#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "libs/base/process.hpp"
#include "libs/http/server.hpp"
#include "libs/protocol/handler_schemas.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace baton::client {

namespace {
constexpr duration last_requests = 500ms;     // for calls in progress when the listener closes
constexpr std::size_t call_limit = 16u << 20; // bytes of one dispatch
constexpr std::size_t most_connections = 2'000;

std::shared_ptr<void> take_log(service_options const& options)
{
    if (!options.log)
        return nullptr;
    return log::take_over([to = options.log](log::level which, std::string_view line) {
        to(static_cast<log_level>(which), line); // the same levels in the same order
    });
}

// Throws std::invalid_argument that names the handler.
protocol::handler_schema checked(std::string const& name, handler_info const& about)
{
    try {
        return protocol::checked_schema(name, about.description, about.payload_schema);
    } catch (invalid_input const& wrong) {
        throw std::invalid_argument(std::string("handler: ") + wrong.what());
    }
}

} // namespace

// Everything on the loop runs on one thread; the pool's threads and the callers of start and stop only post to it.
struct service::impl {
    explicit impl(service_options given) : random(entropy()), options(checked(std::move(given), random)) {}

    void start(bool with_signals);
    void announce(std::string const& name, handler_info const& about);
    void compose();
    void listen();
    awaitable<void> live(bool with_signals);
    awaitable<void> serve();
    awaitable<void> stop_when_asked();
    awaitable<void> stop_at_signal(bool with_signals);
    void wait();

    seeded_random random;
    service_options options;
    std::shared_ptr<void> own_log = take_log(options);
    handler_table handlers;
    std::vector<protocol::handler_schema> schemas; // of some of them
    std::size_t schema_bytes = 0;
    system_time time;

    asio::io_context io{1};
    waker stop_bell{io.get_executor()};
    std::unique_ptr<http::client> http;
    std::unique_ptr<runtime> work;
    std::unique_ptr<http::server> listener; // none if the service fetches
    std::unique_ptr<worker_pool> pool;      // destroyed first, because its threads call the members above
    std::uint16_t port = 0;
    std::string address;

    std::mutex mutex; // of what follows
    std::condition_variable changed;
    bool started = false;
    bool ended = false;
    std::thread thread;
};

void service::impl::start(bool with_signals)
{
    std::lock_guard const lock(mutex);
    if (started)
        throw std::logic_error("a service starts once");
    if (handlers.empty())
        throw std::logic_error("a service needs a handler before it starts"); // no node would take it
    compose();
    asio::co_spawn(io, live(with_signals), [this](std::exception_ptr const& failure) {
        if (failure)
            log::error("client", "the client ended by an unexpected failure");
        io.stop(); // idle connections would keep it running
    });
    thread = std::thread([this] {
        io.run();
        std::lock_guard const end(mutex);
        ended = true;
        changed.notify_all();
    });
    started = true;
}

void service::impl::compose()
{
    std::set<std::string> names;
    for (auto const& [name, run] : handlers)
        names.insert(name);
    http = http::make_client(time);
    if (options.delivery == delivery_mode::push)
        listen();
    pool = std::make_unique<worker_pool>(io.get_executor(), time, handlers, options.slots);
    auto settings = settings_of(options, std::move(names), port);
    settings.link.identity.schemas = schemas;
    work = std::make_unique<runtime>(io.get_executor(), runtime_parts{time, random, *http, *pool}, std::move(settings));
}

void service::impl::listen()
{
    // The runtime announces the listener's port, and answers the listener's requests.
    http::server_settings listening;
    listening.address = options.listen;
    listening.port = options.port;
    listening.body_limit = call_limit;
    // Only nodes call it. The rest of the files are the service's own.
    listening.connection_limit = std::clamp<std::size_t>(file_limit() / 2, 16, most_connections);
    listening.peer_limit = std::max<std::size_t>(listening.connection_limit / 4, 16);
    listening.admit = [this](http::request const& head) { return work->admitter()(head); };
    try {
        listener = http::make_server(io.get_executor(), time, listening,
                                     [this](http::request const& message) { return work->handler()(message); });
    } catch (unavailable const& failure) {
        throw std::runtime_error(failure.what());
    } catch (invalid_input const& failure) {
        throw std::invalid_argument(std::string("listen: ") + failure.what());
    }
    port = listener->port();
    address = advertised(options, port);
}

awaitable<void> service::impl::live(bool with_signals)
{
    using namespace asio::experimental::awaitable_operators;
    co_await (serve() || stop_when_asked() || stop_at_signal(with_signals));
    pool->close();
}

awaitable<void> service::impl::serve()
{
    using namespace asio::experimental::awaitable_operators;
    if (listener)
        co_await (supervised("client listener", listener->run(last_requests)) || work->run());
    else
        co_await work->run();
}

awaitable<void> service::impl::stop_when_asked()
{
    co_await stop_bell.wait();
    co_await work->drain(options.grace, options.stop_ahead);
}

awaitable<void> service::impl::stop_at_signal(bool with_signals)
{
    if (with_signals)
        co_await stop_signals([this] { stop_bell.wake(); });
    waker never(io.get_executor());
    co_await never.wait();
}

// Any number of threads may wait; the first to notice the end joins.
void service::impl::wait()
{
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return ended || !started; });
    if (thread.joinable())
        thread.join();
}

service::service(service_options options) : impl_(std::make_unique<impl>(std::move(options))) {}

service::~service()
{
    stop();
}

void service::impl::announce(std::string const& name, handler_info const& about)
{
    if (about.description.empty() && about.payload_schema.is_null())
        return;
    auto one = checked(name, about);
    auto const bytes = schema_bytes + protocol::bytes_of(one);
    if (bytes > protocol::most_schemas_bytes)
        throw std::invalid_argument("handler: with the schema of '" + name + "' all schemas of the service have " +
                                    std::to_string(bytes) + " bytes and may have " +
                                    std::to_string(protocol::most_schemas_bytes) + ": shorten some, or leave them out");
    schemas.push_back(std::move(one));
    schema_bytes = bytes;
}

void service::handle(std::string name, handler run, handler_info about)
{
    std::lock_guard const lock(impl_->mutex);
    if (impl_->started)
        throw std::logic_error("handlers are named before the service starts");
    if (name.empty() || count_characters(name) > 150 || has_control(name) || name.find('/') != std::string::npos)
        throw std::invalid_argument(
            "handler: its name must have 1 to 150 characters, and no control characters or slashes");
    if (!run)
        throw std::invalid_argument("handler: '" + name + "' has no function");
    if (impl_->handlers.contains(name))
        throw std::invalid_argument("handler: '" + name + "' is named twice");
    impl_->announce(name, about);
    impl_->handlers.emplace(std::move(name), std::move(run));
}

void service::start()
{
    impl_->start(false);
}

void service::run()
{
    impl_->start(true);
    impl_->wait();
}

void service::stop()
{
    {
        std::lock_guard const lock(impl_->mutex);
        if (impl_->started) // without effect once it has ended
            asio::post(impl_->io, [state = impl_.get()] { state->stop_bell.wake(); });
    }
    impl_->wait();
}

std::uint16_t service::port() const
{
    return impl_->port;
}

std::string service::address() const
{
    return impl_->address;
}

std::string const& service::instance() const
{
    return impl_->options.instance;
}

} // namespace baton::client
