#pragma once

#include "trigger/master/listed_client.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

namespace baton::trigger {

// Clients by their instance: 47 bytes a client and its name. A hash table of 32-bit numbers with linear probing, beside
// the clients, which stay where they are in memory.
class client_table {
public:
    listed_client* find(std::string_view instance);
    listed_client const* find(std::string_view instance) const
    {
        return const_cast<client_table*>(this)->find(instance);
    }
    listed_client& add(std::string_view instance); // that is not in it
    void erase(std::string_view instance);         // that is in it
    std::size_t size() const { return clients_.size() - unused_.size(); }

private:
    using number = std::uint32_t; // of a client, from 1 on; 0: none
    std::size_t home_of(std::string_view instance) const;
    std::size_t place_of(std::string_view instance) const; // where it is, or the free place where it belongs
    std::size_t behind(std::size_t place) const { return (place + 1) & (places_.size() - 1); }
    void grow();

    std::deque<listed_client> clients_;
    std::vector<number> unused_;
    std::vector<number> places_; // a power of two; at most three quarters are taken
};

} // namespace baton::trigger
