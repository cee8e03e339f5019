// Initialises GStreamer before the first test, and lets it go after the last so that leak checkers
// see only what tests left.
#include <gst/gst.h>
#include <gtest/gtest.h>

namespace {

class GstEnvironment : public ::testing::Environment {
 public:
  void SetUp() override { gst_init(nullptr, nullptr); }
  void TearDown() override { gst_deinit(); }
};

const auto* const kEnvironment = ::testing::AddGlobalTestEnvironment(new GstEnvironment);

}  // namespace
