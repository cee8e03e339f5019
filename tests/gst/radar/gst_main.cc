#include "element_watch.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  farwheel::testing::start_gst(&argc, &argv);
  return RUN_ALL_TESTS();
}
