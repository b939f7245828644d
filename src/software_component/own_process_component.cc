// SPDX-License-Identifier: Apache-2.0
#include "software_component/own_process_component.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "software_component/child_process.h"
#include "software_component/description_frame.h"
#include "software_component/end_reason.h"
#include "software_component/frame.h"

namespace cotree {
namespace {

using Clock = std::chrono::steady_clock;
using Kind = ComponentFailure::Kind;

constexpr int kLinesSaid = 5;  // of the component, in a message
constexpr int kAllLines = 1 << 20;
constexpr double kFarewell = 0.5;  // seconds for a component to be destroyed in order

class OwnProcessComponent final : public SoftwareComponent {
 public:
  OwnProcessComponent(const ComponentRequest& request, const ComponentOptions& options)
      : SoftwareComponent(request), options_(options) {}
  ~OwnProcessComponent() override {
    if (child_.pid() == 0 || !failure_.Alive()) return;
    request_.Begin(static_cast<uint16_t>(ComponentCall::kClose), ++sequence_);
    stream_.SetTimeout(kFarewell);
    FrameHeader header;
    std::span<const std::byte> payload;
    if (stream_.Send(request_.Finish()) == FrameStream::Status::kFrame) stream_.Receive(&header, &payload);
  }

  bool Load(const ComponentRequest& request, int library) {
    const std::string program = options_.host_program.empty() ? DefaultHostProgram() : options_.host_program;
    HostArguments host{library, options_.memory_limit, {options_.network, options_.write}};
    for (std::string& folder : host.confinement.write) {
      std::error_code error;
      if (!std::filesystem::is_directory(folder, error))
        return Fail(Kind::kLoad, "cannot be given `" + folder + "` to write to: it is no folder");
      folder = std::filesystem::canonical(folder, error).string();
    }
    if (const std::string why = child_.Start(program, host); !why.empty()) return Fail(Kind::kProtocol, why);
    stream_ = FrameStream(child_.data());
    request_.Begin(static_cast<uint16_t>(ComponentCall::kLoad), ++sequence_);
    WriteRequest(request, &request_);
    return Exchange(options_.load_limit, [this](FrameReader* reply) {
      unconfined_ = reply->Get<uint32_t>();
      return ReadDescription(reply, &description_);
    });
  }

  std::string Said() override { return LastLines(child_.Ask(), kAllLines, ChildReport::kMostSaid); }
  std::string Unconfined() const override { return DescribeUnconfined(unconfined_); }
  int ProcessId() const override { return child_.pid(); }

 protected:
  bool DoOutputs(uint32_t group, double t, std::span<const double> x, std::span<const double> u,
                 std::span<double> values) override {
    request_.Begin(static_cast<uint16_t>(ComponentCall::kOutputs), ++sequence_);
    request_.Put(group);
    PutPoint(t, x, u);
    return Evaluate(values);
  }
  bool DoDerivatives(double t, std::span<const double> x, std::span<const double> u,
                     std::span<double> dx) override {
    request_.Begin(static_cast<uint16_t>(ComponentCall::kDerivatives), ++sequence_);
    PutPoint(t, x, u);
    return Evaluate(dx);
  }
  bool DoUpdate(double t, std::span<const double> x, std::span<const double> u) override {
    request_.Begin(static_cast<uint16_t>(ComponentCall::kUpdate), ++sequence_);
    PutPoint(t, x, u);
    return Exchange(options_.call_limit, [](FrameReader* reply) { return reply->Done(); });
  }
  bool DoJacobian(double t, std::span<const double> x, std::span<const double> u,
                  std::span<double> matrix) override {
    request_.Begin(static_cast<uint16_t>(ComponentCall::kJacobian), ++sequence_);
    PutPoint(t, x, u);
    return Evaluate(matrix);
  }
  bool DoSave(std::span<std::byte> bytes) override {
    request_.Begin(static_cast<uint16_t>(ComponentCall::kSave), ++sequence_);
    return Evaluate(bytes);
  }
  bool DoRestore(std::span<const std::byte> bytes) override {
    request_.Begin(static_cast<uint16_t>(ComponentCall::kRestore), ++sequence_);
    request_.PutList(bytes);
    return Exchange(options_.call_limit, [](FrameReader* reply) { return reply->Done(); });
  }

 private:
  void PutPoint(double t, std::span<const double> x, std::span<const double> u) {
    request_.Put(t);
    request_.PutList(x);
    request_.PutList(u);
  }

  template <typename Value>
  bool Evaluate(std::span<Value> results) {
    return Exchange(options_.call_limit, [results](FrameReader* reply) {
      reply->GetList(results);
      return reply->Done();
    });
  }

  // Sends the request, waits for the reply, and reads its results with `read`.
  template <typename Read>
  bool Exchange(double limit, Read&& read) {
    constexpr double kEver = std::numeric_limits<double>::infinity();
    const double left = options_.total_limit > 0 ? options_.total_limit - seconds_used_ : kEver;
    if (left <= 0) return FailTime(0.0);
    const bool is_last = left < (limit > 0 ? limit : kEver);
    if (options_.follow_caller && failure_.call != ComponentCall::kLoad) child_.FollowCaller();
    stream_.SetTimeout(is_last ? left : limit, options_.interrupted);
    const Clock::time_point began = Clock::now();
    FrameStream::Status status = stream_.Send(request_.Finish());
    FrameHeader header;
    std::span<const std::byte> payload;
    if (status == FrameStream::Status::kFrame) status = stream_.Receive(&header, &payload);
    seconds_used_ += std::chrono::duration<double>(Clock::now() - began).count();
    if (status == FrameStream::Status::kTimeout) return FailTime(is_last ? 0.0 : limit);
    if (status == FrameStream::Status::kClosed) return FailEnded();
    if (status == FrameStream::Status::kInterrupted) {
      child_.End(LifeLine::kKill);
      return Fail(Kind::kInterrupted, "interrupted");
    }
    if (status != FrameStream::Status::kFrame || header.sequence != sequence_) return FailReply();
    FrameReader reply(payload);
    const auto kind = static_cast<Kind>(reply.Get<uint32_t>());
    for (uint32_t notes = reply.Count(sizeof(uint32_t)); notes > 0; --notes) Note(reply.GetText());
    if (kind == Kind::kNone) return read(&reply) || FailReply();
    const std::string reason = reply.GetText();
    if (!reply.Done() || kind > Kind::kProtocol) return FailReply();
    Fail(kind, reason);
    failure_.said = LastLines(child_.Ask(), kLinesSaid, ComponentFailure::kMostText);
    if (!failure_.Alive()) child_.End(LifeLine::kKill);
    return false;
  }

  bool FailTime(double limit) {
    const auto report = child_.End(LifeLine::kKill);
    Fail(Kind::kTime, limit > 0 ? "no answer within " + PlainNumber(limit) + " s"
                                : "too slow: its calls together took more than " +
                                      PlainNumber(options_.total_limit) + " s");
    failure_.said = LastLines(report, kLinesSaid, ComponentFailure::kMostText);
    return false;
  }
  bool FailEnded() {
    const auto report = child_.End(LifeLine::kEnded);
    EndReason reason = FindEndReason(report, options_.memory_limit);
    Fail(reason.kind, std::move(reason.text));
    failure_.said = LastLines(report, kLinesSaid, ComponentFailure::kMostText);
    return false;
  }
  bool FailReply() {
    child_.End(LifeLine::kKill);
    return Fail(Kind::kProtocol,
                "its process sent a reply that makes no sense (did it write to foreign files?)");
  }

  ComponentOptions options_;
  ChildProcess child_;
  FrameStream stream_;
  FrameWriter request_;
  uint32_t sequence_ = 0;
  uint32_t unconfined_ = 0;
  double seconds_used_ = 0.0;
};

}  // namespace

std::unique_ptr<SoftwareComponent> LoadInOwnProcess(const ComponentRequest& request, int library,
                                                    const ComponentOptions& options,
                                                    ComponentFailure* failure) {
  auto component = std::make_unique<OwnProcessComponent>(request, options);
  if (component->Load(request, library)) return component;
  *failure = component->failure();
  return nullptr;
}

}  // namespace cotree
