// ssim WIDTH HEIGHT A B: reads pairs of frame numbers, one pair a line, and prints for each the
// structural similarity of A's frame and B's: the mean of the index of Wang et al., "Image quality
// assessment: from error visibility to structural similarity" (2004), over windows of 8x8 pixels
// four apart. The files hold frames of 8-bit luma. Ends with status 1 at a frame that is not there.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <vector>

namespace {

constexpr int kWindow = 8;
constexpr int kApart = 4;
constexpr double kC1 = 0.01 * 255 * 0.01 * 255;
constexpr double kC2 = 0.03 * 255 * 0.03 * 255;

class Frames {
 public:
  Frames(const char* path, int width, int height)
      : file_(path, std::ios::binary),
        pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}

  bool read(std::int64_t number) {
    file_.clear();
    file_.seekg(number * static_cast<std::int64_t>(pixels_.size()));
    file_.read(reinterpret_cast<char*>(pixels_.data()),
               static_cast<std::streamsize>(pixels_.size()));
    return static_cast<bool>(file_);
  }
  const std::uint8_t* data() const { return pixels_.data(); }

 private:
  std::ifstream file_;
  std::vector<std::uint8_t> pixels_;
};

double of_window(const std::uint8_t* a, const std::uint8_t* b, int stride) {
  double sum_a = 0;
  double sum_b = 0;
  double squares_a = 0;
  double squares_b = 0;
  double products = 0;
  for (int y = 0; y < kWindow; ++y) {
    for (int x = 0; x < kWindow; ++x) {
      const double va = a[y * stride + x];
      const double vb = b[y * stride + x];
      sum_a += va;
      sum_b += vb;
      squares_a += va * va;
      squares_b += vb * vb;
      products += va * vb;
    }
  }
  constexpr double kCount = kWindow * kWindow;
  const double mean_a = sum_a / kCount;
  const double mean_b = sum_b / kCount;
  const double variance_a = squares_a / kCount - mean_a * mean_a;
  const double variance_b = squares_b / kCount - mean_b * mean_b;
  const double covariance = products / kCount - mean_a * mean_b;
  return (2 * mean_a * mean_b + kC1) * (2 * covariance + kC2) /
         ((mean_a * mean_a + mean_b * mean_b + kC1) * (variance_a + variance_b + kC2));
}

double ssim(const std::uint8_t* a, const std::uint8_t* b, int width, int height) {
  double sum = 0;
  std::int64_t windows = 0;
  for (int y = 0; y + kWindow <= height; y += kApart) {
    for (int x = 0; x + kWindow <= width; x += kApart) {
      sum += of_window(a + y * width + x, b + y * width + x, width);
      ++windows;
    }
  }
  return windows > 0 ? sum / static_cast<double>(windows) : 0;
}

}  // namespace

int main(int count, char** arguments) {
  const int width = count == 5 ? std::atoi(arguments[1]) : 0;
  const int height = count == 5 ? std::atoi(arguments[2]) : 0;
  if (width < kWindow || height < kWindow || width > 8192 || height > 8192) {
    std::fputs("usage: ssim WIDTH HEIGHT A B, and pairs of frame numbers on standard input\n",
               stderr);
    return 2;
  }
  Frames a(arguments[3], width, height);
  Frames b(arguments[4], width, height);
  std::int64_t first = 0;
  std::int64_t second = 0;
  while (std::cin >> first >> second) {
    if (!a.read(first) || !b.read(second)) {
      std::fprintf(stderr, "ssim: no frame %lld of %s or no frame %lld of %s\n",
                   static_cast<long long>(first), arguments[3], static_cast<long long>(second),
                   arguments[4]);
      return 1;
    }
    std::printf("%.5f\n", ssim(a.data(), b.data(), width, height));
  }
  return 0;
}
