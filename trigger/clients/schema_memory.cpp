#include "trigger/clients/schema_memory.hpp"

#include <algorithm>

namespace baton::trigger {

schema_memory::answer schema_memory::take(protocol::service_key const& service, std::string const& hash, instant now)
{
    auto& of = services_[service];
    if (auto const found = of.find(hash); found != of.end()) {
        if (now - found->second < limits_.keep)
            return answer::known;
        found->second = now;
        return answer::write;
    }
    if (!make_room(of, now)) {
        if (of.empty())
            services_.erase(service);
        return answer::too_many;
    }
    of.emplace(hash, now);
    ++size_;
    return answer::write;
}

// A client that changes its schemas at each registration must not have the node write all day.
bool schema_memory::make_room(documents& of, instant now)
{
    if (of.size() < limits_.of_service)
        return size_ < limits_.documents;
    auto const oldest =
        std::min_element(of.begin(), of.end(), [](auto const& a, auto const& b) { return a.second < b.second; });
    if (now - oldest->second < limits_.quick)
        return false;
    of.erase(oldest);
    --size_;
    return true;
}

void schema_memory::forget(protocol::service_key const& service, std::string const& hash)
{
    auto const found = services_.find(service);
    if (found == services_.end())
        return;
    size_ -= found->second.erase(hash);
    if (found->second.empty())
        services_.erase(found);
}

void schema_memory::forget_old(instant now)
{
    for (auto next = services_.begin(); next != services_.end();) {
        auto const here = next++;
        size_ -= std::erase_if(here->second, [&](auto const& one) { return now - one.second >= limits_.keep; });
        if (here->second.empty())
            services_.erase(here);
    }
}

} // namespace baton::trigger
