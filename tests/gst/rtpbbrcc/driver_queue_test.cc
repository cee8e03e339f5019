// The backlog below us, in a network namespace of the test's own with a link that hardly moves.
#include "rtpbbrcc/driver_queue.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

namespace farwheel {
namespace {

bool run(const char* command) {
  return std::system(command) == 0;
}

Timestamp at_s(std::int64_t s) {
  return Timestamp::from_seconds(static_cast<double>(s));
}

TEST(DriverQueue, SaysNothingOfAnInterfaceThatIsNotThere) {
  DriverQueue queue;
  queue.set_interface("no-such-if0");
  EXPECT_FALSE(queue.read(at_s(1)));
  EXPECT_TRUE(queue.interface().empty());
}

TEST(DriverQueue, FindsTheInterfaceOfAPath) {
  DriverQueue queue;
  // The last: what none of ours sends from is left out.
  for (const SendAddress& path :
       {SendAddress{"", "127.0.0.1"}, SendAddress{"127.0.0.1", "127.0.0.1"},
        SendAddress{"::1", "127.0.0.1"}, SendAddress{"203.0.113.9", "127.0.0.1"}}) {
    queue.set_path(path);
    queue.read(at_s(1));
    EXPECT_EQ(queue.interface(), "lo") << path.local;
  }
}

TEST(DriverQueue, ReadsTheBacklogOfARealQueue) {
  if (unshare(CLONE_NEWNET) != 0) GTEST_SKIP() << "no right to make a network namespace";
  if (!run("ip link add d0 type veth peer name d1 && ip link set d1 up && "
           "tc qdisc add dev d0 root tbf rate 8kbit burst 2000 limit 100000 && "
           "ip link set d0 up && ip link set lo up && ip address add 10.77.0.1/24 dev d0 && "
           "ip route add default via 10.77.0.3 && "
           "ip neighbour add 10.77.0.2 lladdr 02:00:00:00:00:01 dev d0")) {
    GTEST_SKIP() << "no veth or tbf here";
  }
  DriverQueue queue;
  EXPECT_EQ(queue.read(at_s(1)), DataSize::zero());
  EXPECT_EQ(queue.interface(), "d0") << "by the default route";
  queue.set_path({"", "not a number"});
  queue.read(at_s(3));
  EXPECT_EQ(queue.interface(), "d0") << "by the default route";
  // A packet to an address of our own never sees the device that has it.
  queue.set_path({"10.77.0.1", "10.77.0.1"});
  queue.read(at_s(3));
  EXPECT_EQ(queue.interface(), "lo");
  queue.set_path({"10.77.0.1", "10.77.0.2"});
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  ASSERT_GE(fd, 0);
  sockaddr_in peer = {};
  peer.sin_family = AF_INET;
  peer.sin_port = htons(9);
  inet_pton(AF_INET, "10.77.0.2", &peer.sin_addr);
  const char bytes[1000] = {};
  for (int i = 0; i < 10; ++i) {
    sendto(fd, bytes, sizeof(bytes), 0, reinterpret_cast<sockaddr*>(&peer), sizeof(peer));
  }
  close(fd);
  const auto backlog = queue.read(at_s(4));
  ASSERT_TRUE(backlog);
  // The bucket lets one packet, perhaps two, through.
  EXPECT_GE(*backlog, DataSize::from_bytes(8 * 1042));
  EXPECT_LE(*backlog, DataSize::from_bytes(9 * 1042));
  EXPECT_EQ(queue.interface(), "d0");
}

}  // namespace
}  // namespace farwheel
