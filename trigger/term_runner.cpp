#include "trigger/term_runner.hpp"

#include <algorithm>
#include <optional>

namespace baton::trigger {

term_runner::term_runner(std::string name_space, master_settings const& settings, dependencies deps,
                         master::dependencies for_master, asio::any_io_executor loop)
    : name_space_(std::move(name_space)),
      settings_(settings),
      deps_(deps),
      for_master_(for_master),
      loop_(std::move(loop))
{}

awaitable<void> term_runner::run(std::int64_t epoch)
{
    auto& log = for_master_.log;
    log.won(deps_.election.began_by());
    deps_.epochs.learn(epoch, "this node");
    term const present{
        {name_space_, epoch}, deps_.election.state(),   deps_.time, deps_.clock, deps_.election.began_by().replaced,
        settings_.room,       deps_.epochs.name_space()};
    std::optional<master> lead;
    lead.emplace(settings_, present, for_master_, loop_);
    deps_.link.open(epoch, *lead);
    std::exception_ptr failure;
    try {
        co_await lead->run();
    } catch (...) {
        failure = std::current_exception();
    }
    deps_.link.close();
    lead.reset();
    // In the background: neither the release of the lease nor the successor waits for the log.
    auto const acted_until = std::min(deps_.time.now(), deps_.election.state().deadline());
    deps_.background.spawn("the log of terms", log.write_end(present.fence, acted_until, why_ended(failure)));
    if (failure)
        std::rethrow_exception(failure);
}

std::string term_runner::why_ended(std::exception_ptr const& failure) const
{
    if (!failure)
        return "a newer master has raised the fence";
    if (auto const text = failure_text(failure))
        return "its duty failed: " + *text;
    auto const& told = deps_.election.why_ended();
    return told.empty() ? "the node ended" : told;
}

} // namespace baton::trigger
