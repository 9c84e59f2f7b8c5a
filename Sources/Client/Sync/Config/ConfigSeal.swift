import Domain
import Ground
import HTTP
import Transport

/// A verified signature over a whole `/config` response (semantics.md §6).
struct ConfigSeal: Sendable, Equatable {
    let keyID: KeyID
    let created: Timestamp
    /// The end of the signature's validity.
    let expires: Timestamp
    let configVersion: Int64
    /// The digest of the body.
    let digest: SHA256Digest

    /// The value of `Accept-Signature`; equal for all clients, so that caches store one response.
    static let accepted = "\(ConfigSignature.label)=();alg=\"ed25519\";tag=\"\(ConfigSignature.tag)\""

    /// The milliseconds by which the server's clock may be ahead of its estimated time.
    static let clockSkewMilliseconds: Int64 = 60_000

    /// The facts that a response is verified against.
    struct Expectation {
        let keys: TrustedKeys
        /// The `Larder-Base`, as ``ConfigSignature/base(app:channel:)`` returns it.
        let base: String
        /// The latest time that any clock gives.
        let now: Timestamp
    }

    init(keyID: KeyID, created: Timestamp, expires: Timestamp, configVersion: Int64, digest: SHA256Digest) {
        self.keyID = keyID
        self.created = created
        self.expires = expires
        self.configVersion = configVersion
        self.digest = digest
    }

    /// Verifies the signature of a response; does not compare its config version with earlier ones.
    ///
    /// Throws `unsigned` also for a response that has only signatures of other kinds.
    init(
        verifying response: ClientResponse, expecting expectation: Expectation, by cryptography: any Cryptography
    ) throws(ConfigRefusal) {
        let fields = response.head.fields
        let candidate = try SignatureCandidate(in: fields, trusting: expectation.keys)
        let digest = cryptography.sha256(response.body)
        let field = fields.combined(.contentDigest).flatMap { StructuredDictionary($0) }
        guard field?["sha-256"]?.value == .bytes(digest.bytes) else { throw .otherBody }
        let message = SignatureBase.bytes(
            of: try candidate.components(of: response.head), parameters: candidate.parameters)
        guard
            expectation.keys.verify(
                [.init(keyID: candidate.keyID, value: candidate.signature)], of: message, by: cryptography)
        else { throw .badSignature }
        // The signature is valid, so the following fields come from the server.
        let base = fields[.larderBase] ?? ""
        guard base == expectation.base else { throw .otherBase(expected: expectation.base, shown: base) }
        guard let version = fields[.larderConfigVersion].flatMap({ Int64($0) }) else {
            throw .malformed("Larder-Config-Version is not a number")
        }
        self.init(
            keyID: candidate.keyID, created: candidate.created, expires: candidate.expires, configVersion: version,
            digest: digest)
        let now = expectation.now
        guard created <= now.adding(milliseconds: Self.clockSkewMilliseconds) else {
            throw .notYet(from: created, now: now)
        }
        guard expires > now else { throw .expired(at: expires, now: now) }
    }
}

/// One signature of a response, before verification.
private struct SignatureCandidate {
    let keyID: KeyID
    let created: Timestamp
    let expires: Timestamp
    let signature: [UInt8]
    /// The signature parameters in their signed form.
    let parameters: String
    private let covered: [String]

    /// Selects the first signature over a whole config by a trusted key.
    init(in fields: Fields, trusting keys: TrustedKeys) throws(ConfigRefusal) {
        guard let field = fields.combined(.signatureInput), let values = fields.combined(.signature) else {
            throw .unsigned
        }
        guard let inputs = StructuredDictionary(field), let signatures = StructuredDictionary(values) else {
            throw .malformed("its header fields are not dictionaries")
        }
        let candidates = inputs.members.filter { $0.item.parameters["tag"] == .string(ConfigSignature.tag) }
        guard !candidates.isEmpty else { throw .unsigned }
        let ids = candidates.map { candidate in
            if case .string(let id)? = candidate.item.parameters["keyid"] { id } else { "" }
        }
        guard let index = ids.firstIndex(where: { id in KeyID(id).map(keys.names) ?? false }),
            let keyID = KeyID(ids[index])
        else { throw .unknownKey(ids) }
        let input = candidates[index]
        guard case .bytes(let value)? = signatures[input.key]?.value else { throw .malformed("it has no value") }
        guard input.item.parameters["alg"] ?? .string("ed25519") == .string("ed25519"),
            let created = input.time("created"), let expires = input.time("expires"), let covered = input.covered
        else { throw .malformed("its parameters are not those of a signature") }
        let missing = ConfigSignature.covered.filter { !covered.contains($0) }
        guard missing.isEmpty else { throw .malformed("it does not cover \(missing.joined(separator: ", "))") }
        if let twice = covered.first(where: { name in covered.count(where: { $0 == name }) > 1 }) {
            throw .malformed("it covers \(twice) twice")
        }
        self.keyID = keyID
        self.created = created
        self.expires = expires
        self.signature = value
        self.covered = covered
        parameters = input.text
    }

    /// Returns the covered components with their values in a response.
    func components(of head: ResponseHead) throws(ConfigRefusal) -> [SignatureBase.Component] {
        var components: [SignatureBase.Component] = []
        for name in covered {
            let value = name == "@status" ? "\(head.status)" : head.fields.combined(FieldName(name))
            guard let value else { throw .malformed("it covers \(name), which is missing") }
            components.append(.init(name, value))
        }
        return components
    }
}

extension StructuredDictionary.Member {
    /// Returns a parameter that is a time in Unix seconds.
    fileprivate func time(_ name: String) -> Timestamp? {
        guard case .integer(let seconds)? = item.parameters[name], (0...Self.maximumSeconds).contains(seconds) else {
            return nil
        }
        return Timestamp(milliseconds: seconds * 1000)
    }

    /// The end of the year 9999.
    private static var maximumSeconds: Int64 { 253_402_300_799 }

    /// The names of the covered components; `nil` if a component has parameters, which this client does not support.
    fileprivate var covered: [String]? {
        guard case .list(let items) = item.value else { return nil }
        var names: [String] = []
        for item in items {
            guard case .string(let name) = item.value, item.parameters.isEmpty else { return nil }
            names.append(name)
        }
        return names
    }
}

extension Fields {
    /// Returns all lines of a field as one value (RFC 9421 §2.1).
    fileprivate func combined(_ name: FieldName) -> String? {
        let lines = all.filter { $0.name == name }.map(\.value)
        return lines.isEmpty ? nil : lines.joined(separator: ", ")
    }
}
