import Artifacts
import Domain
import Ground
import TestKit

/// A server that accepts one upload in parts and publishes it, with the failures of a test.
final class TusServer: Sendable {
    /// The failure of a part.
    enum Mishap: Sendable {
        /// The connection ends without a response, and so many of the part's bytes are kept.
        case cut(keeping: Int)
        /// The part is rejected, and none of its bytes are kept.
        case refused(status: Int, code: String = "")
    }

    static let id = String(repeating: "5", count: 32)

    private let bytes = Shared<[UInt8]>([])
    private let mishaps: Shared<[Mishap]>
    private let making: Shared<TinyServer.Reply?>
    private let publishing: Shared<[TinyServer.Reply]>
    private let server: Shared<TinyServer?> = Shared(nil)

    /// - Parameters:
    ///   - mishaps: The failures of the first parts, in order.
    ///   - making: The response to the creation of an upload, instead of success.
    ///   - publishing: The first responses to publishing, in order.
    init(mishaps: [Mishap] = [], making: TinyServer.Reply? = nil, publishing: [TinyServer.Reply] = []) {
        self.mishaps = Shared(mishaps)
        self.making = Shared(making)
        self.publishing = Shared(publishing)
        let server = TinyServer { [unowned self] in reply(to: $0) }
        self.server.change { $0 = server }
    }

    func stop() { server.value?.stop() }

    var base: String { server.value?.base ?? "" }

    /// The received bytes of the upload.
    var uploaded: [UInt8] { bytes.value }

    /// The method and the path below `/api/v1` of all requests, without ids.
    var calls: [String] {
        requests.map { request in
            let path = request.path.dropFirst("/api/v1".utf8.count)
            return "\(request.method) \(path.hasSuffix(Self.id) ? "/uploads/ID" : path)"
        }
    }

    var requests: [TinyServer.Request] { server.value?.requests ?? [] }

    private func reply(to request: TinyServer.Request) -> TinyServer.Reply {
        let isUpload = request.path.hasPrefix("/api/v1/uploads")
        if isUpload, request.fields["tus-resumable"] != "1.0.0" { return .response(412) }
        switch request.method {
        case "GET": return .response(200, [:], Array("{}".utf8))
        case "POST" where isUpload:
            return making.value ?? .response(201, ["Location": "https://elsewhere/api/v1/uploads/\(Self.id)"])
        case "HEAD": return .response(200, ["Upload-Offset": "\(bytes.value.count)"])
        case "PATCH": return take(request)
        case "DELETE": return .response(204)
        default:
            var reply: TinyServer.Reply?
            publishing.change { if !$0.isEmpty { reply = $0.removeFirst() } }
            return reply ?? .response(201, [:], Array("{}".utf8))
        }
    }

    private func take(_ part: TinyServer.Request) -> TinyServer.Reply {
        guard part.fields["content-type"] == "application/offset+octet-stream" else { return .response(415) }
        guard part.fields["upload-offset"] == "\(bytes.value.count)" else { return .response(409) }
        let digest = OpenSSLCryptography().sha256(part.body)
        guard part.fields["upload-checksum"] == "sha256 \(Base64.encode(digest.bytes))" else { return .response(460) }
        var mishap: Mishap?
        mishaps.change { if !$0.isEmpty { mishap = $0.removeFirst() } }
        switch mishap {
        case .cut(let count):
            bytes.change { $0 += part.body.prefix(count) }
            return .raw([])
        case .refused(let status, let code): return .response(status, [:], Array(#"{"code":"\#(code)"}"#.utf8))
        case nil:
            bytes.change { $0 += part.body }
            return .response(204, ["Upload-Offset": "\(bytes.value.count)"])
        }
    }
}
