#include "locks/include/baton/lock/store.hpp"

#include "locks/core/store_core.hpp"

#include <stdexcept>

namespace baton::lock {

namespace {

constexpr std::size_t longest_text = 190; // bytes, the width of the columns

store_options checked(store_options options)
{
    if (options.sessions < 1 || options.sessions > 1'000)
        throw std::invalid_argument("lock store: sessions: must be 1 to 1000");
    if (options.limit < std::chrono::seconds{1} || options.limit > std::chrono::seconds{60})
        throw std::invalid_argument("lock store: limit: must be 1 to 60 seconds");
    if (options.row_sessions < 1 || options.row_sessions > 1'000)
        throw std::invalid_argument("lock store: row_sessions: must be 1 to 1000");
    return options;
}

std::string checked_name(std::string name)
{
    if (name.empty() || name.size() > longest_text || name.find('\0') != std::string::npos)
        throw std::invalid_argument("lock: name: must have 1 to 190 bytes, none of them zero");
    return name;
}

lock_options checked(lock_options options)
{
    if (options.ttl < std::chrono::milliseconds{100} || options.ttl > std::chrono::hours{1})
        throw std::invalid_argument("lock: ttl: must be 100 ms to an hour");
    if (options.max_hold < std::chrono::milliseconds{0})
        throw std::invalid_argument("lock: max_hold: must not be negative");
    if (options.label.size() > longest_text || options.label.find('\0') != std::string::npos)
        throw std::invalid_argument("lock: label: must have 190 bytes at most, none of them zero");
    return options;
}

char const* kind_of(sql_lock form)
{
    switch (form) {
    case sql_lock::record:
        return "record";
    case sql_lock::lease:
        return "lease";
    case sql_lock::row:
        return "row";
    case sql_lock::classic_record:
        return "classic";
    }
    throw std::invalid_argument("lock: form: is not a sql_lock: use one of its four values");
}

// Throws if the store cannot keep a lock in this form.
void check_form(store_core const& store, sql_lock form, lock_options const& options)
{
    if (!store.has("record"))
        throw std::invalid_argument("lock: form: a " + store.default_kind() +
                                    " store is no database: call lock() without a form");
    if (form != sql_lock::row)
        return;
    if (options.ttl < std::chrono::seconds{1})
        throw std::invalid_argument("lock: ttl: must be a second at least for a row lock");
    if (!store.has("row"))
        throw std::invalid_argument("lock: form: SQLite locks no rows: use a record or a lease");
}

} // namespace

struct store::impl {
    std::shared_ptr<store_core> core;
};

store::store(std::string const& url, store_options options)
    : impl_(std::make_unique<impl>(impl{std::make_shared<store_core>(url, checked(options))}))
{}

store::~store()
{
    impl_->core->close();
}

void store::create_tables()
{
    impl_->core->create_tables();
}

named_lock store::make(std::string const& kind, std::string name, lock_options options, lock_share const& share)
{
    auto checked_options = checked(std::move(options));
    auto holder = impl_->core->make(kind, checked_name(std::move(name)), std::move(checked_options), share);
    return named_lock(impl_->core, std::move(holder));
}

named_lock store::lock(std::string name, lock_options options)
{
    return make(impl_->core->default_kind(), std::move(name), std::move(options), lock_share{});
}

named_lock store::lock(std::string name, sql_lock form, lock_options options)
{
    check_form(*impl_->core, form, options);
    return make(kind_of(form), std::move(name), std::move(options), lock_share{});
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

std::size_t store::reap(std::chrono::seconds age)
{
    if (age < std::chrono::minutes{1})
        throw std::invalid_argument("lock store: age: must be a minute at least");
    return impl_->core->reap(age);
}

std::vector<kind_metrics> store::metrics() const
{
    return impl_->core->metrics();
}

} // namespace baton::lock
