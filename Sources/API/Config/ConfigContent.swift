import HTTP
import Synchronization

/// The document of a view, in the codings that are made of it so far.
struct ConfigContent: Sendable {
    /// The making of the codings, which the first request that wants one takes upon itself.
    final class Claim: Sendable {
        private let isTaken = Atomic(false)

        /// Whether the caller is the first.
        func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
    }

    let etagName: String
    let body: CodedBody
    /// `nil` once the codings are made, or where there will be none.
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

    /// The same with its codings.
    func with(_ body: CodedBody) -> ConfigContent { ConfigContent(body, etagName: etagName) }
}
