// An outside project that takes a lock, without a scheduler and with a database of its own.

#include <baton/lock/store.hpp>
#include <iostream>
#include <mutex>

int main()
{
    using namespace std::chrono_literals;
    baton::lock::store locks("sqlite:locks.db");
    locks.create_tables();
    auto stock = locks.lock("stock:42");
    auto other = locks.lock("stock:42");
    std::unique_lock const held(stock, 5s);
    std::cout << "token " << stock.token() << '\n';
    return held && stock.valid() && !other.try_lock() ? 0 : 1;
}
