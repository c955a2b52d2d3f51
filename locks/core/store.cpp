#include "locks/include/baton/lock/store.hpp"

#include "locks/core/store_core.hpp"

#include <stdexcept>

namespace baton::lock {

namespace {

constexpr std::size_t longest_text = 190; // bytes, as wide as the columns

store_options checked(store_options how)
{
    if (how.sessions < 1 || how.sessions > 1'000)
        throw std::invalid_argument("lock store: sessions: must be 1 to 1000");
    if (how.limit < std::chrono::seconds{1} || how.limit > std::chrono::seconds{60})
        throw std::invalid_argument("lock store: limit: must be 1 to 60 seconds");
    if (how.rows < 1 || how.rows > 1'000)
        throw std::invalid_argument("lock store: rows: must be 1 to 1000");
    if (how.redis_wait_replicas > 100)
        throw std::invalid_argument("lock store: redis_wait_replicas: must be 100 at most");
    if (how.zookeeper_session < std::chrono::milliseconds{200} || how.zookeeper_session > std::chrono::hours{1})
        throw std::invalid_argument("lock store: zookeeper_session: must be 200 ms to an hour");
    return how;
}

std::string checked_name(std::string name)
{
    if (name.empty() || name.size() > longest_text || name.find('\0') != std::string::npos)
        throw std::invalid_argument("lock: its name must have 1 to 190 bytes, none of them zero");
    return name;
}

lock_options checked(lock_options how)
{
    if (how.ttl < std::chrono::milliseconds{100} || how.ttl > std::chrono::hours{1})
        throw std::invalid_argument("lock: ttl: must be 100 ms to an hour");
    if (how.max_hold < std::chrono::milliseconds{0})
        throw std::invalid_argument("lock: max_hold: must not be negative");
    if (how.label.size() > longest_text || how.label.find('\0') != std::string::npos)
        throw std::invalid_argument("lock: label: must have 190 bytes at most, none of them zero");
    return how;
}

} // namespace

struct store::impl {
    std::shared_ptr<store_core> inside;
};

store::store(std::string const& url, store_options options)
    : impl_(std::make_unique<impl>(impl{std::make_shared<store_core>(url, checked(options))}))
{}

store::~store()
{
    impl_->inside->close();
}

void store::create_tables()
{
    impl_->inside->create_tables();
}

named_lock store::make(char const* kind, std::string name, lock_options options)
{
    return make(kind, std::move(name), std::move(options), lock_share{});
}

named_lock store::make(char const* kind, std::string name, lock_options options, lock_share const& of)
{
    auto how = checked(std::move(options));
    return named_lock(impl_->inside, impl_->inside->make(kind, checked_name(std::move(name)), std::move(how), of));
}

named_lock store::record(std::string name, lock_options options)
{
    return make("record", std::move(name), std::move(options));
}

named_lock store::lease(std::string name, lock_options options)
{
    return make("lease", std::move(name), std::move(options));
}

named_lock store::row(std::string name, lock_options options)
{
    if (options.ttl < std::chrono::seconds{1})
        throw std::invalid_argument("lock: ttl: of a row lock must be a second at least");
    return make("row", std::move(name), std::move(options));
}

named_lock store::redis(std::string name, lock_options options)
{
    bool const majority = impl_->inside->has("redlock");
    return make(majority ? "redlock" : "redis", std::move(name), std::move(options));
}

named_lock store::zookeeper(std::string name, lock_options options)
{
    return make("zookeeper", std::move(name), std::move(options));
}

named_lock store::semaphore(std::string name, std::size_t permits, lock_options options)
{
    if (permits < 1 || permits > static_cast<std::size_t>(most_permits))
        throw std::invalid_argument("lock: permits: must be 1 to 10000");
    lock_share const one{1, static_cast<std::int64_t>(permits)};
    return make("semaphore", std::move(name), std::move(options), one);
}

read_write_lock store::read_write(std::string name, lock_options options)
{
    auto reader = make("read", name, options, reader_share);
    auto writer = make("write", std::move(name), std::move(options), writer_share);
    return read_write_lock(std::move(reader), std::move(writer));
}

named_lock store::record_classic(std::string name, lock_options options)
{
    return make("classic", std::move(name), std::move(options));
}

std::size_t store::reap(std::chrono::seconds age)
{
    if (age < std::chrono::minutes{1})
        throw std::invalid_argument("lock store: age: must be a minute at least");
    return impl_->inside->reap(age);
}

std::vector<kind_metrics> store::metrics() const
{
    return impl_->inside->metrics();
}

} // namespace baton::lock
