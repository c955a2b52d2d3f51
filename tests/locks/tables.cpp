// Makes the tables of locks: lock_tables URL

#include <baton/lock/store.hpp>
#include <iostream>

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::cerr << "usage: lock_tables URL\n";
        return 2;
    }
    try {
        baton::lock::store(argv[1]).create_tables();
    } catch (std::exception const& failure) {
        std::cerr << "lock_tables: " << failure.what() << '\n';
        return 1;
    }
}
