#include <gtest/gtest.h>

#include "units/data.h"

namespace farwheel {
namespace {

TEST(Units, RateIsSizeOverTime) {
  EXPECT_EQ(DataSize::from_bytes(1230) / TimeDelta::from_micros(1968), DataRate::from_mbps(5));
  EXPECT_EQ(DataSize::from_bytes(1230) / DataRate::from_mbps(5), TimeDelta::from_micros(1968));
  EXPECT_EQ(DataRate::from_mbps(5) * TimeDelta::from_millis(50), DataSize::from_bytes(31250));
}

TEST(Units, DegenerateDivisionsAreInfiniteNotSmall) {
  EXPECT_TRUE((DataSize::from_bytes(1) / TimeDelta::zero()).is_infinite());
  EXPECT_TRUE((DataSize::from_bytes(1) / TimeDelta::from_millis(-1)).is_infinite());
  EXPECT_TRUE((DataSize::from_bytes(1) / DataRate::zero()).is_infinite());
  EXPECT_EQ(TimeDelta::from_millis(5) / TimeDelta::zero(), 0.0);
}

TEST(Units, InfinityAbsorbsAndSumsSaturate) {
  const TimeDelta endless = TimeDelta::infinite();
  EXPECT_TRUE((endless + TimeDelta::from_millis(1)).is_infinite());
  EXPECT_TRUE((endless - TimeDelta::from_millis(1)).is_infinite());
  EXPECT_TRUE((DataRate::infinite() * 0.5).is_infinite());
  EXPECT_EQ(DataRate::infinite() * 0.0, DataRate::zero());
  const DataSize huge = DataSize::from_bytes(std::numeric_limits<std::int64_t>::max() - 1);
  EXPECT_TRUE((huge + huge).is_infinite());
  EXPECT_FALSE((Timestamp::infinite_future() - TimeDelta::from_millis(1)).is_finite());
}

// A product beyond 64 bits is as exact as one within.
TEST(Units, LongSpansAndLargeSizesAreExact) {
  const TimeDelta day = TimeDelta::from_seconds(86400);
  EXPECT_EQ(DataRate::from_bps(100000007) * day, DataSize::from_bytes(1080000075600));
  EXPECT_EQ(DataSize::from_bytes(1080000075600) / day, DataRate::from_bps(100000007));
  EXPECT_EQ(DataSize::from_bytes(1080000075600) / DataRate::from_bps(100000007), day);
  EXPECT_EQ(TimeDelta::from_nanos(3) * -0.5, TimeDelta::from_nanos(-2));
  const DataSize most = DataSize::from_bytes(std::numeric_limits<std::int64_t>::max() - 1);
  EXPECT_EQ(DataSize::zero() - most - most, DataSize::zero() - DataSize::infinite());
}

TEST(Units, NotANumberNeverPoisonsAQuantity) {
  EXPECT_EQ(DataRate::from_mbps(std::numeric_limits<double>::quiet_NaN()), DataRate::zero());
  EXPECT_EQ(TimeDelta::from_seconds(1e300), TimeDelta::infinite());
}

static_assert(DataRate::from_kbps(1) == DataRate::from_bps(1000));
static_assert(Timestamp::from_millis(7) - Timestamp::from_millis(2) == TimeDelta::from_millis(5));
static_assert(!std::is_default_constructible_v<DataRate>);
static_assert(!std::is_convertible_v<std::int64_t, TimeDelta>);

}  // namespace
}  // namespace farwheel
