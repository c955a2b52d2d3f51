// A process that acquires a lock again and again and writes a history of what it knew and did.
//
//     lock_worker URL KIND NAME FOLDER --count N [--permits N] [--ttl MS] [--hold US] [--rest US] [--wait MS]
//                 [--no-watchdog] [--leave FILE] [--replicas N]
//
// FOLDER/history-PID has one line per event. T is CLOCK_MONOTONIC in nanoseconds, which all processes of a host share:
//     asked T 0               just before the call
//     acquired T TOKEN MODE   the call was granted the lock: "alone", or "shared" if others may hold it too
//     held T TOKEN            the lock was valid at T, as checked after T
//     leaving T TOKEN         just before the release
//     released T TOKEN HOW    released, was_lost or unknown
//     lost T TOKEN            lost() was requested
//     refused T 0             a wait ended without the lock
//     failed T 0              the store did not answer
// After a release the process waits for --rest, so that another can get the lock. The process ends after N grants, or
// when FOLDER/stop exists. A quarter of the acquisitions of read_write write. Only an exclusive holder reads
// FOLDER/counter and writes it incremented. FOLDER/fence is a resource that compares tokens: it accepts a write with
// the highest token so far and refuses another. The process prints "ready" when it starts, "acquired TOKEN" for each
// grant with --leave, and at its end its counts as JSON.
//
// With --leave a holder works until FILE exists, even after it has lost the lock, and writes to the fence before it
// prints "acquired" and again at its end. Without --leave a holder ends its work as soon as the lock is not valid. It
// may then be gone before lost() is requested, since another thread requests it.

#include <CLI/CLI.hpp>

#include <array>
#include <baton/lock/store.hpp>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <iostream>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;

std::int64_t monotonic_ns()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

struct options {
    std::string url, kind, name, folder, leave;
    int count = 1;
    std::size_t permits = 1;
    std::int64_t ttl_ms = 10'000, hold_us = 0, rest_us = 0, wait_ms = 60'000;
    std::size_t replicas = 0;
    bool no_watchdog = false;
};

class file {
public:
    file(std::string const& name, int flags) : descriptor_(::open(name.c_str(), flags | O_CREAT | O_CLOEXEC, 0644))
    {
        if (descriptor_ < 0)
            throw std::runtime_error("cannot open " + name);
    }
    ~file() { ::close(descriptor_); }
    file(file const&) = delete;
    file& operator=(file const&) = delete;
    int descriptor() const { return descriptor_; }

    void append(std::string const& line)
    {
        if (::write(descriptor_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
            throw std::runtime_error("cannot write");
    }

private:
    int descriptor_;
};

class history {
public:
    explicit history(std::string const& folder)
        : file_(folder + "/history-" + std::to_string(::getpid()), O_WRONLY | O_APPEND)
    {}
    void tell(char const* event, std::int64_t at, std::uint64_t token, std::string const& more = {})
    {
        std::lock_guard const lock(mutex_);
        file_.append(std::string(event) + ' ' + std::to_string(at) + ' ' + std::to_string(token) + more + '\n');
    }

private:
    std::mutex mutex_;
    file file_;
};

long read_number(file const& from)
{
    std::array<char, 32> text{};
    auto const size = ::pread(from.descriptor(), text.data(), text.size() - 1, 0);
    return size > 0 ? std::stol(std::string(text.data(), static_cast<std::size_t>(size))) : 0;
}

void write_number(file const& to, long number)
{
    char text[32];
    auto const size = std::snprintf(text, sizeof text, "%20ld\n", number);
    if (::pwrite(to.descriptor(), text, static_cast<std::size_t>(size), 0) != size)
        throw std::runtime_error("cannot write the counter");
}

// True if the resource accepts the write.
bool write_fenced(file const& resource, std::uint64_t token)
{
    ::flock(resource.descriptor(), LOCK_EX);
    auto const highest = static_cast<std::uint64_t>(read_number(resource));
    bool const accepted = token >= highest;
    if (accepted)
        write_number(resource, static_cast<long>(token));
    ::flock(resource.descriptor(), LOCK_UN);
    return accepted;
}

char const* name_of(baton::lock::release_result result)
{
    switch (result) {
    case baton::lock::release_result::released:
        return " released";
    case baton::lock::release_result::was_lost:
        return " was_lost";
    default:
        return " unknown";
    }
}

struct counts {
    int acquired = 0, refused = 0, failed = 0, lost = 0, fenced_off = 0;
};

class worker {
public:
    explicit worker(options const& settings)
        : options_(settings),
          store_(store_url(settings)),
          history_(settings.folder),
          counter_(settings.folder + "/counter", O_RDWR),
          resource_(settings.folder + "/fence", O_RDWR)
    {
        if (settings.kind == "read_write")
            read_write_ = store_.read_write(settings.name, lock_options_of());
        else
            lock_ = make();
    }

    void run()
    {
        std::cout << "ready" << std::endl;
        while (seen_.acquired < options_.count && !is_stopped()) {
            once();
            std::this_thread::sleep_for(std::chrono::microseconds{options_.rest_us});
        }
        std::printf("{\"acquired\": %d, \"refused\": %d, \"failed\": %d, \"lost\": %d, \"fenced_off\": %d}\n",
                    seen_.acquired, seen_.refused, seen_.failed, seen_.lost, seen_.fenced_off);
    }

private:
    bool is_stopped() const { return ::access((options_.folder + "/stop").c_str(), F_OK) == 0; }

    // A lock on ZooKeeper lasts for half of the session.
    static std::string store_url(options const& settings)
    {
        if (settings.url.starts_with("zookeeper:"))
            return settings.url + "?session=" + std::to_string(settings.ttl_ms * 2) + "ms";
        return settings.replicas == 0 ? settings.url
                                      : settings.url + "?wait_replicas=" + std::to_string(settings.replicas);
    }

    baton::lock::lock_options lock_options_of() const
    {
        baton::lock::lock_options options;
        options.ttl = std::chrono::milliseconds{options_.ttl_ms};
        options.watchdog = !options_.no_watchdog;
        return options;
    }

    baton::lock::named_lock make()
    {
        auto const options = lock_options_of();
        using baton::lock::sql_lock;
        if (options_.kind == "semaphore")
            return store_.semaphore(options_.name, options_.permits, options);
        if (options_.kind == "classic")
            return store_.lock(options_.name, sql_lock::classic_record, options);
        if (options_.kind == "lease")
            return store_.lock(options_.name, sql_lock::lease, options);
        if (options_.kind == "row")
            return store_.lock(options_.name, sql_lock::row, options);
        if (options_.kind == "record" || options_.kind == "redis" || options_.kind == "zookeeper")
            return store_.lock(options_.name, options);
        throw std::invalid_argument("no kind of lock: " + options_.kind);
    }

    void once()
    {
        bool const writes = (::getpid() + seen_.acquired) % 4 == 0;
        if (read_write_)
            once(writes ? read_write_->writer() : read_write_->reader(), writes);
        else
            once(*lock_, options_.permits == 1);
    }

    void once(baton::lock::named_lock& lock, bool alone)
    {
        history_.tell("asked", monotonic_ns(), 0);
        try {
            if (!lock.try_lock_for(std::chrono::milliseconds{options_.wait_ms})) {
                ++seen_.refused;
                history_.tell("refused", monotonic_ns(), 0);
                return;
            }
        } catch (std::system_error const& failure) {
            if (failure.code() != baton::lock::lock_errc::unavailable)
                throw;
            ++seen_.failed;
            history_.tell("failed", monotonic_ns(), 0);
            return;
        }
        ++seen_.acquired;
        auto const token = lock.token();
        history_.tell("acquired", monotonic_ns(), token, alone ? " alone" : " shared");
        {
            std::stop_callback const told(lock.lost(), [this, token] { history_.tell("lost", monotonic_ns(), token); });
            if (options_.leave.empty())
                work(lock, token, alone);
            else
                work_until_told_to_leave(lock, token);
        }
        history_.tell("leaving", monotonic_ns(), token);
        auto const result = lock.unlock();
        seen_.lost += result == baton::lock::release_result::was_lost;
        history_.tell("released", monotonic_ns(), token, name_of(result));
    }

    void work(baton::lock::named_lock& lock, std::uint64_t token, bool alone)
    {
        auto const before = read_number(counter_);
        auto const until = monotonic_ns() + options_.hold_us * 1'000;
        do {
            if (options_.hold_us > 0)
                std::this_thread::sleep_for(std::chrono::microseconds{
                    std::min<std::int64_t>(std::max<std::int64_t>((until - monotonic_ns()) / 1'000, 0), 20'000)});
            auto const at = monotonic_ns();
            if (!lock.valid()) {
                seen_.fenced_off += alone && !write_fenced(resource_, token);
                return;
            }
            history_.tell("held", at, token);
        } while (monotonic_ns() < until && !is_stopped());
        if (!alone)
            return;
        write_number(counter_, before + 1);
        seen_.fenced_off += !write_fenced(resource_, token);
    }

    void work_until_told_to_leave(baton::lock::named_lock& lock, std::uint64_t token)
    {
        seen_.fenced_off += !write_fenced(resource_, token);
        std::cout << "acquired " << token << std::endl;
        while (::access(options_.leave.c_str(), F_OK) != 0) {
            auto const at = monotonic_ns();
            if (lock.valid())
                history_.tell("held", at, token);
            std::this_thread::sleep_for(5ms);
        }
        seen_.fenced_off += !write_fenced(resource_, token);
    }

    options options_;
    baton::lock::store store_;
    std::optional<baton::lock::named_lock> lock_;
    std::optional<baton::lock::read_write_lock> read_write_; // instead of lock_
    history history_;
    file counter_;
    file resource_;
    counts seen_;
};

} // namespace

int main(int argc, char** argv)
{
    options settings;
    CLI::App program("Acquires a lock again and again");
    program.add_option("url", settings.url)->required();
    program.add_option("kind", settings.kind)->required();
    program.add_option("name", settings.name)->required();
    program.add_option("folder", settings.folder)->required();
    program.add_option("--count", settings.count);
    program.add_option("--permits", settings.permits);
    program.add_option("--ttl", settings.ttl_ms);
    program.add_option("--hold", settings.hold_us);
    program.add_option("--rest", settings.rest_us);
    program.add_option("--wait", settings.wait_ms);
    program.add_option("--leave", settings.leave);
    program.add_option("--replicas", settings.replicas);
    program.add_flag("--no-watchdog", settings.no_watchdog);
    CLI11_PARSE(program, argc, argv);
    try {
        worker(settings).run();
    } catch (std::exception const& failure) {
        std::cerr << "lock_worker: " << failure.what() << std::endl;
        return 1;
    }
}
