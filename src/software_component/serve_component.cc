// SPDX-License-Identifier: Apache-2.0
#include "software_component/serve_component.h"

#include <memory>

#include "software_component/description_frame.h"
#include "software_component/frame.h"
#include "software_component/in_process_component.h"

namespace cotree {
namespace {

/** One connection, one component. The vectors are made once, at loading. */
class Server {
 public:
  Server(int socket, int library, uint32_t unconfined)
      : stream_(socket), library_(library), unconfined_(unconfined) {}

  int Run() {
    FrameHeader header;
    std::span<const std::byte> payload;
    while (true) {
      const FrameStream::Status status = stream_.Receive(&header, &payload);
      if (status == FrameStream::Status::kClosed) return 0;
      if (status != FrameStream::Status::kFrame) return 1;
      FrameReader request(payload);
      reply_.Begin(header.kind | FrameHeader::kReply, header.sequence);
      const auto call = static_cast<ComponentCall>(header.kind);
      if (!Answer(call, &request)) return 1;
      if (stream_.Send(reply_.Finish()) != FrameStream::Status::kFrame) return 0;
      if (call == ComponentCall::kClose) return 0;
    }
  }

 private:
  // Status, notes that are new, then the results or the reason. False: the request is malformed.
  bool Answer(ComponentCall call, FrameReader* request) {
    if (call == ComponentCall::kLoad) return AnswerLoad(request);
    if (!component_) return false;
    switch (call) {
      case ComponentCall::kOutputs:
        return AnswerOutputs(request);
      case ComponentCall::kDerivatives:
        return AnswerDerivatives(request);
      case ComponentCall::kUpdate:
        if (!ReadPoint(request) || !request->Done()) return false;
        PutStatus(component_->Update(t_, x_, u_));
        return true;
      case ComponentCall::kJacobian:
        return AnswerJacobian(request);
      case ComponentCall::kSave:
        if (!request->Done()) return false;
        if (PutStatus(component_->Save(discrete_))) reply_.PutList(std::span<const std::byte>(discrete_));
        return true;
      case ComponentCall::kRestore:
        request->GetList(std::span<std::byte>(discrete_));
        if (!request->Done()) return false;
        PutStatus(component_->Restore(discrete_));
        return true;
      case ComponentCall::kClose:
        component_.reset();
        reply_.Put(uint32_t{0});
        reply_.Put(uint32_t{0});
        return true;
      case ComponentCall::kLoad:
        break;
    }
    return false;
  }

  bool AnswerLoad(FrameReader* request) {
    ComponentRequest wanted;
    ComponentFailure failure;
    if (component_ || !ReadRequest(request, &wanted)) return false;
    component_ = LoadInProcess(wanted, library_, &failure);
    if (!component_) {
      reply_.Put(static_cast<uint32_t>(failure.kind));
      reply_.Put(uint32_t{0});
      reply_.PutText(failure.reason);
      return true;
    }
    const ComponentDescription& d = component_->description();
    x_.resize(d.states.size());
    dx_.resize(d.states.size());
    u_.resize(d.inputs.size());
    y_.resize(d.outputs.size());
    discrete_.resize(d.discrete_bytes);
    PutStatus(true);
    reply_.Put(unconfined_);
    WriteDescription(d, &reply_);
    return true;
  }

  bool AnswerOutputs(FrameReader* request) {
    const auto group = request->Get<uint32_t>();
    const auto& groups = component_->description().groups;
    if (!ReadPoint(request) || !request->Done() || group >= groups.size()) return false;
    if (!PutStatus(component_->Outputs(group, t_, x_, u_, y_))) return true;
    reply_.Put(static_cast<uint32_t>(groups[group].outputs.size()));
    for (const uint32_t output : groups[group].outputs) reply_.Put(y_[output]);
    return true;
  }

  bool AnswerDerivatives(FrameReader* request) {
    if (!ReadPoint(request) || !request->Done()) return false;
    if (PutStatus(component_->Derivatives(t_, x_, u_, dx_))) reply_.PutList(std::span<const double>(dx_));
    return true;
  }

  bool AnswerJacobian(FrameReader* request) {
    if (!ReadPoint(request) || !request->Done() || !component_->description().has_jacobian) return false;
    matrix_.resize((x_.size() + y_.size()) * (x_.size() + u_.size()));
    if (PutStatus(component_->Jacobian(t_, x_, u_, matrix_)))
      reply_.PutList(std::span<const double>(matrix_));
    return true;
  }

  bool ReadPoint(FrameReader* request) {
    t_ = request->Get<double>();
    request->GetList(std::span<double>(x_));
    request->GetList(std::span<double>(u_));
    return request->Ok();
  }

  bool PutStatus(bool ok) {
    reply_.Put(static_cast<uint32_t>(ok ? ComponentFailure::Kind::kNone : component_->failure().kind));
    const auto& notes = component_->notes();
    reply_.Put(static_cast<uint32_t>(notes.size() - notes_sent_));
    for (; notes_sent_ < notes.size(); ++notes_sent_) reply_.PutText(notes[notes_sent_]);
    if (!ok) reply_.PutText(component_->failure().reason);
    return ok;
  }

  FrameStream stream_;
  int library_;
  uint32_t unconfined_;
  FrameWriter reply_;
  std::unique_ptr<SoftwareComponent> component_;
  size_t notes_sent_ = 0;
  double t_ = 0.0;
  std::vector<double> x_, dx_, u_, y_, matrix_;
  std::vector<std::byte> discrete_;
};

}  // namespace

int ServeComponent(int socket, int library, uint32_t unconfined) {
  return Server(socket, library, unconfined).Run();
}

}  // namespace cotree
