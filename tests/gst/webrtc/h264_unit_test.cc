#include "webrtc/h264_unit.h"

#include <gtest/gtest.h>

#include <vector>

namespace farwheel {
namespace {

using Bytes = std::vector<std::uint8_t>;

TEST(H264Unit, AnIdrSliceStartsDecodingWhereverItStands) {
  EXPECT_TRUE(can_start_decoding(Bytes{0, 0, 0, 1, 0x65, 0x88}));
  EXPECT_TRUE(can_start_decoding(Bytes{0, 0, 1, 0x67, 1, 2, 0, 0, 0, 1, 0x68, 3, 0, 0, 1, 0x25}));
}

TEST(H264Unit, ParameterSetsAloneDoNot) {
  EXPECT_FALSE(can_start_decoding(Bytes{0, 0, 0, 1, 0x67, 0x42, 0, 0, 0, 1, 0x68, 0xce}));
  EXPECT_FALSE(can_start_decoding(Bytes{0, 0, 1, 0x67, 1, 0, 0, 1, 0x68, 1, 0, 0, 1, 0x41, 0x9a}));
}

TEST(H264Unit, ARecoveryPointDoesAnotherMessageDoesNot) {
  EXPECT_TRUE(can_start_decoding(Bytes{0, 0, 1, 0x06, 0x06, 1, 0x80, 0, 0, 1, 0x41}));
  EXPECT_FALSE(can_start_decoding(Bytes{0, 0, 1, 0x06, 0x05, 1, 0x80, 0, 0, 1, 0x41}));
}

TEST(H264Unit, CutsAreNoKeyFrames) {
  const Bytes whole{0, 0, 1, 0x06, 0x06};
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(can_start_decoding(std::span(whole).first(size))) << size;
  }
  EXPECT_FALSE(can_start_decoding(Bytes{0x65, 0, 0, 1}));
}

}  // namespace
}  // namespace farwheel
