// A client whose handlers append a line to a file when they start and when they end, so that a test knows,
// independently of the ledger, which executions ran:
//
//     cluster_recorder FILE SERVICE SLOTS TRIGGER...
//
// Each line is one write to a file opened with O_APPEND, so lines of several processes do not mix, and written lines
// survive SIGKILL. The fields, separated by tabs:
//
//     start|end  boot-time microseconds  pid  instance  execution  attempt  scheduled_at  shard  outcome  epoch  task
//
// Handlers: "note" does nothing; "nap" sleeps {"ms": n} or until it is stopped; "deaf" sleeps and does not stop; "fail"
// fails the first {"times": n} attempts, with an error of the class {"class": name}, and as final with {"final": true}.
// RECORDER_LISTEN and RECORDER_TOKEN are for nodes that are not on loopback; with RECORDER_FETCHES the client fetches
// its executions. RECORDER_PROJECT is the project of the service, and RECORDER_SCHEMA the schema that it announces for
// "note".

#include <baton/client/service.hpp>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <time.h>
#include <unistd.h>

namespace client = baton::client;

namespace {

std::int64_t boot_micros()
{
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return now.tv_sec * std::int64_t{1'000'000} + now.tv_nsec / 1'000;
}

class journal {
public:
    explicit journal(char const* file) : file_(open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644))
    {
        if (file_ < 0)
            throw std::runtime_error(std::string(file) + " cannot be opened");
    }
    ~journal() { close(file_); }
    journal(journal const&) = delete;
    journal& operator=(journal const&) = delete;

    void name(std::string instance) { instance_ = std::move(instance); }

    void write(char const* event, client::execution const& run, char const* outcome) const
    {
        std::string line = event;
        auto const add = [&line](std::string const& field) { line += '\t' + field; };
        add(std::to_string(boot_micros()));
        add(std::to_string(getpid()));
        add(instance_);
        add(std::to_string(run.id()));
        add(std::to_string(run.attempt()));
        add(std::to_string(run.scheduled_at().time_since_epoch().count()));
        add(std::to_string(run.shard_index()) + "/" + std::to_string(run.shard_total()));
        add(outcome);
        add(std::to_string(run.epoch()));
        add(run.task());
        line += '\n';
        if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
            throw std::runtime_error("the journal cannot be written");
    }

private:
    int file_;
    std::string instance_;
};

client::result note(client::execution&)
{
    return client::result::ok();
}

// With a member "shard" only that shard naps.
client::result nap(client::execution& run)
{
    if (run.payload().value("shard", run.shard_index()) != run.shard_index())
        return client::result::ok();
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, run.stop_token(), std::chrono::milliseconds{run.payload().at("ms").get<int>()},
                   [] { return false; });
    return run.stop_requested() ? client::result::fail("stopped") : client::result::ok();
}

nlohmann::json state_and_time(std::optional<client::past_execution> const& past)
{
    if (!past)
        return nullptr;
    return {{"id", past->id},
            {"scheduled_at", past->scheduled_at.time_since_epoch().count()},
            {"state", past->state},
            {"ended", past->ended_at.has_value()}};
}

// Its value tells what the handler was told of earlier executions.
client::result past(client::execution& run)
{
    if (run.payload().value("fail", false))
        return client::result::fail("its payload says so");
    return client::result::ok(
        {{"previous", state_and_time(run.previous())}, {"last_success", state_and_time(run.last_success())}});
}

client::result deaf(client::execution& run)
{
    std::this_thread::sleep_for(std::chrono::milliseconds{run.payload().at("ms").get<int>()});
    return client::result::ok();
}

client::result fail(client::execution& run)
{
    auto const& wanted = run.payload();
    if (run.attempt() > wanted.at("times").get<int>())
        return client::result::ok();
    auto const why = "attempt " + std::to_string(run.attempt()) + " fails because its payload says so";
    if (wanted.value("final", false))
        return client::result::give_up(why);
    return client::result::fail(why).in_class(wanted.value("class", ""));
}

client::service::handler recorded(journal const& log, client::result (*handler)(client::execution&))
{
    return [&log, handler](client::execution& run) {
        log.write("start", run, "-");
        auto outcome = handler(run);
        log.write("end", run, outcome.succeeded() ? "succeeded" : "failed");
        return outcome;
    };
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 5) {
        std::cerr << "usage: cluster_recorder FILE SERVICE SLOTS TRIGGER...\n";
        return 2;
    }
    try {
        journal log(argv[1]);
        client::service_options options{
            .name = argv[2], .triggers = {argv + 4, argv + argc}, .slots = std::stoi(argv[3])};
        if (auto const* listen = std::getenv("RECORDER_LISTEN"))
            options.listen = listen;
        if (auto const* token = std::getenv("RECORDER_TOKEN"))
            options.token = token;
        if (auto const* project = std::getenv("RECORDER_PROJECT"))
            options.project = project;
        if (auto const* tag = std::getenv("RECORDER_TAG"))
            options.tags = {tag};
        if (auto const* instance = std::getenv("RECORDER_INSTANCE"))
            options.instance = instance;
        if (auto const* grace = std::getenv("RECORDER_GRACE_MS"))
            options.grace = std::chrono::milliseconds{std::stoi(grace)};
        if (std::getenv("RECORDER_FETCHES"))
            options.delivery = client::delivery_mode::fetch;
        client::service service{std::move(options)};
        log.name(service.instance());
        client::handler_info about;
        if (auto const* schema = std::getenv("RECORDER_SCHEMA")) {
            about.description = "Writes that it ran";
            about.payload_schema = nlohmann::json::parse(schema);
        }
        service.handle("note", recorded(log, note), about);
        service.handle("nap", recorded(log, nap));
        service.handle("deaf", recorded(log, deaf));
        service.handle("past", recorded(log, past));
        service.handle("fail", recorded(log, fail));
        service.run();
        return 0;
    } catch (std::exception const& failure) {
        std::cerr << "cluster_recorder: " << failure.what() << '\n';
        return 1;
    }
}
