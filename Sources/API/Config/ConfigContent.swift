import HTTP
import Synchronization

/// The document of a view, with the content codings that have been made so far.
struct ConfigContent: Sendable {
    /// A claim to compress the document; the first request that accepts a coding takes it.
    final class Claim: Sendable {
        private let isTaken = Atomic(false)

        /// Takes the claim; returns whether the caller is the first to do so.
        func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
    }

    let etagName: String
    let body: CodedBody
    /// The claim on the codings; `nil` if they are made or the document is too short for them.
    let claim: Claim?

    init(_ bytes: [UInt8], etagName: String) {
        self.etagName = etagName
        body = CodedBody(uncoded: bytes)
        claim = bytes.count >= CodedBody.leastCodedBytes ? Claim() : nil
    }

    private init(_ body: CodedBody, etagName: String) {
        self.etagName = etagName
        self.body = body
        claim = nil
    }

    /// Returns a copy with coded bodies.
    func with(_ body: CodedBody) -> ConfigContent { ConfigContent(body, etagName: etagName) }
}
