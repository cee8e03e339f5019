// States in any order, settings that cannot be, and the WHIP server before strangers.
#include <gio/gio.h>

#include <cstdlib>
#include <fstream>

#include "pair.h"

namespace farwheel {
namespace {

constexpr double kLong = 30;

// Sends `request` to host:port as it is and returns all that comes until the server closes.
std::string talk(const std::string& address, const std::string& request) {
  GObjectPtr<GSocketClient> client(g_socket_client_new());
  g_socket_client_set_timeout(client.get(), 15);
  GObjectPtr<GSocketConnection> connection(
      g_socket_client_connect_to_host(client.get(), address.c_str(), 0, nullptr, nullptr));
  if (!connection) return "no connection";
  GOutputStream* out = g_io_stream_get_output_stream(G_IO_STREAM(connection.get()));
  g_output_stream_write_all(out, request.data(), request.size(), nullptr, nullptr, nullptr);
  GInputStream* in = g_io_stream_get_input_stream(G_IO_STREAM(connection.get()));
  std::string reply;
  char buffer[4096];
  gssize got = 0;
  while ((got = g_input_stream_read(in, buffer, sizeof(buffer), nullptr, nullptr)) > 0) {
    reply.append(buffer, static_cast<std::size_t>(got));
  }
  return got < 0 ? reply + " [timeout]" : reply;
}

std::string request(const std::string& method, const std::string& path, const std::string& headers,
                    const std::string& body = "") {
  return method + " " + path + " HTTP/1.1\r\nHost: x\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

int status(const std::string& reply) {
  return reply.size() > 12 ? std::atoi(reply.substr(9, 3).c_str()) : 0;
}

constexpr char kSdp[] = "Content-Type: application/sdp\r\n";

TEST(WhipServer, RefusesStrangersAndLives) {
  Station station;
  const std::string at = station.address();
  EXPECT_EQ(status(talk(at, request("GET", "/", ""))), 404);
  EXPECT_EQ(status(talk(at, request("POST", "/whip/a", "", "v=0"))), 415);
  EXPECT_EQ(status(talk(at, request("POST", "/whip/a", "Content-Type: text/plain\r\n", "v=0"))),
            415);
  EXPECT_EQ(status(talk(at, request("POST", "/whip/a", kSdp, ""))), 400);
  EXPECT_EQ(status(talk(at, request("POST", "/whip/a", kSdp, "garbage"))), 400);
  EXPECT_EQ(status(talk(at, request("POST", "/whip/a", kSdp, std::string(5000, '\xff')))), 400);
  EXPECT_EQ(status(talk(at, request("POST", "/whip/..", kSdp, "v=0"))), 404);
  EXPECT_EQ(status(talk(at, request("POST", "/whip/a/b", kSdp, "v=0"))), 405);
  EXPECT_EQ(status(talk(at, request("PATCH", "/whip/a/b", ""))), 405);
  EXPECT_EQ(status(talk(at, request("DELETE", "/whip/a/b", ""))), 404);
  EXPECT_EQ(status(talk(at, request("GET", "/whip/a", ""))), 204);
  EXPECT_EQ(status(talk(at, request("GET", "/whip/a/b", ""))), 404);
  EXPECT_EQ(status(talk(at, request("POST", "/whip/a", kSdp,
                                    "v=0\r\no=- 1 0 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n"
                                    "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\n"))),
            422);
  EXPECT_EQ(talk(at, "\x16\x03\x01 no http at all\r\n\r\n").find(" 20"), std::string::npos);
  EXPECT_EQ(station.number("sessions-total"), 0u);
  Vehicle vehicle(station.url());
  EXPECT_TRUE(wait_until([&] { return station.count("video_0").buffers >= 5; }, kLong));
  // A vehicle that hears nothing asks whether its session lives.
  const std::string session = vehicle.text("session-url").substr(station.url().size());
  EXPECT_EQ(status(talk(at, request("GET", session, ""))), 204) << session;
  EXPECT_EQ(status(talk(at, request("GET", session + "x", ""))), 404);
}

TEST(WhipServer, BoundsTheBody) {
  Station station;
  const std::string at = station.address();
  const std::string large(200'000, 'a');
  EXPECT_EQ(status(talk(at, request("POST", "/whip/a", kSdp, large))), 413);
  std::string chunked = "POST /whip/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n" +
                        std::string(kSdp) + "\r\n";
  for (int i = 0; i < 40; ++i) chunked += "1000\r\n" + std::string(4096, 'a') + "\r\n";
  const std::string reply = talk(at, chunked + "0\r\n\r\n");
  EXPECT_NE(status(reply), 201) << reply;
  EXPECT_EQ(status(talk(at, request("GET", "/whip/a", ""))), 204) << "the server is dead";
}

TEST(WhipServer, SlowRequestLosesItsConnection) {
  Station station;
  const std::string reply =
      talk(station.address(), "POST /whip/a HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n" +
                                  std::string(kSdp) + "\r\nv=0");
  EXPECT_EQ(reply.find("[timeout]"), std::string::npos) << "held open for 15 s";
}

TEST(WhipServer, SaysThatItTakesRadarAndClosesConnections) {
  Station station;
  const std::string reply = talk(station.address(), request("OPTIONS", "/whip/a", ""));
  EXPECT_EQ(status(reply), 200);
  EXPECT_NE(reply.find("Accept-Post: application/sdp"), std::string::npos) << reply;
  EXPECT_NE(reply.find("Connection: close"), std::string::npos) << reply;
  const GstObjectPtr<GstElementFactory> radar(gst_element_factory_find("radarklvdepay"));
  EXPECT_EQ(reply.find("farwheel:radar-klv") != std::string::npos, radar != nullptr) << reply;
}

TEST(WhipServer, WantsTheToken) {
  Station station("127.0.0.1:0", "s3cret");
  const std::string at = station.address();
  const std::string reply = talk(at, request("POST", "/whip/a", kSdp, "v=0"));
  EXPECT_EQ(status(reply), 401);
  EXPECT_NE(reply.find("WWW-Authenticate: Bearer"), std::string::npos);
  EXPECT_EQ(status(talk(at, request("DELETE", "/whip/a/b", "Authorization: Bearer no\r\n"))), 401);
  Vehicle stranger(station.url());
  EXPECT_NE(stranger.message(GST_MESSAGE_WARNING, kLong).find("401"), std::string::npos);
  Vehicle friendly(station.url(), kCamera, "auth-token=s3cret");
  EXPECT_TRUE(wait_until([&] { return station.count("video_0").buffers >= 5; }, kLong));
}

TEST(States, NonLoopbackIsRefusedWithTheOptionsName) {
  Station station("0.0.0.0:0");
  EXPECT_EQ(station.result(), GST_STATE_CHANGE_FAILURE);
  EXPECT_TRUE(station.has_error());
  Vehicle vehicle("http://192.0.2.1:8080");
  EXPECT_EQ(vehicle.result(), GST_STATE_CHANGE_FAILURE);
  EXPECT_NE(vehicle.message(GST_MESSAGE_ERROR, 1).find("tls-"), std::string::npos);
}

TEST(States, PortInUseIsAnErrorThatSaysSo) {
  Station first;
  Station second(first.address());
  EXPECT_EQ(second.result(), GST_STATE_CHANGE_FAILURE);
}

TEST(States, StationIsLiveBeforeAnyVehicle) {
  Station station;
  gst_element_set_state(station.pipeline(), GST_STATE_PAUSED);
  EXPECT_EQ(gst_element_get_state(station.pipeline(), nullptr, nullptr, 5 * GST_SECOND),
            GST_STATE_CHANGE_NO_PREROLL);
  gst_element_set_state(station.pipeline(), GST_STATE_PLAYING);
  EXPECT_EQ(gst_element_get_state(station.pipeline(), nullptr, nullptr, 5 * GST_SECOND),
            GST_STATE_CHANGE_SUCCESS);
}

TEST(States, RestartsOfEitherSide) {
  Station station;
  Vehicle vehicle(station.url());
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t before = station.count("video_0").buffers;
    ASSERT_TRUE(wait_until([&] { return station.count("video_0").buffers > before + 3; }, kLong));
    gst_element_set_state(vehicle.pipeline(), GST_STATE_READY);
    gst_element_set_state(vehicle.pipeline(), GST_STATE_PLAYING);
  }
  std::uint64_t before = station.count("video_0").buffers;
  ASSERT_TRUE(wait_until([&] { return station.count("video_0").buffers > before + 3; }, kLong));
  gst_element_set_state(vehicle.pipeline(), GST_STATE_PAUSED);
  gst_element_set_state(vehicle.pipeline(), GST_STATE_PLAYING);
  before = station.count("video_0").buffers;
  ASSERT_TRUE(wait_until([&] { return station.count("video_0").buffers > before + 3; }, kLong));
  gst_element_set_state(station.pipeline(), GST_STATE_PAUSED);
  gst_element_set_state(station.pipeline(), GST_STATE_PLAYING);
  before = station.count("video_0").buffers;
  EXPECT_TRUE(wait_until([&] { return station.count("video_0").buffers > before + 3; }, kLong));
}

TEST(States, StoppedAtAnyMomentOfNegotiation) {
  Station station;
  for (int milliseconds : {0, 5, 20, 50, 100, 150, 200, 300, 450}) {
    Vehicle vehicle(station.url());
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  }
  const std::uint64_t before = station.count("video_0").buffers;
  Vehicle vehicle(station.url());
  EXPECT_TRUE(wait_until([&] { return station.count("video_0").buffers > before + 3; }, kLong));
}

TEST(States, StationStoppedAtAnyMomentOfNegotiation) {
  std::string address;
  {
    Station station;
    address = station.address();
  }
  Vehicle vehicle("http://" + address);
  for (int milliseconds : {50, 150, 250, 350, 500, 700}) {
    Station station(address);
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  }
  Station station(address);
  EXPECT_TRUE(wait_until([&] { return station.count("video_0").buffers > 3; }, kLong));
}

TEST(States, NothingLeaks) {
  GWeakRef sink;
  GWeakRef src;
  g_weak_ref_init(&sink, nullptr);
  g_weak_ref_init(&src, nullptr);
  {
    Station station;
    Vehicle vehicle(station.url());
    ASSERT_TRUE(wait_until([&] { return station.count("video_0").buffers > 3; }, kLong));
    g_weak_ref_set(&sink, vehicle.element("s").get());
    g_weak_ref_set(&src, station.src());
  }
  const auto gone = [](GWeakRef* ref) {
    const GObjectPtr<GObject> object(static_cast<GObject*>(g_weak_ref_get(ref)));
    return object == nullptr;
  };
  EXPECT_TRUE(gone(&sink));
  EXPECT_TRUE(gone(&src));
  g_weak_ref_clear(&sink);
  g_weak_ref_clear(&src);
}

TEST(States, WithoutAnyPadAndWithReleasedOnes) {
  Station station;
  Vehicle empty(station.url(), "fakesrc ! fakesink async=false");
  GstElementPtr sink = empty.element("s");
  GstPadPtr pad(gst_element_request_pad_simple(sink.get(), "video_%u"));
  ASSERT_TRUE(pad);
  EXPECT_STREQ(GST_PAD_NAME(pad.get()), "video_0");
  gst_element_release_request_pad(sink.get(), pad.get());
  GstPadPtr other(gst_element_request_pad_simple(sink.get(), "radar_%u"));
  ASSERT_TRUE(other);
  EXPECT_STREQ(GST_PAD_NAME(other.get()), "radar_0");
  gst_element_release_request_pad(sink.get(), other.get());
}

}  // namespace
}  // namespace farwheel

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
