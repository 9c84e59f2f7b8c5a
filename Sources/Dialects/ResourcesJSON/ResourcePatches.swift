import API
import Domain
import Execution
import Ground
import Platform
import Synchronization

/// A cache of text patches between the contents of resources, which are made on the first request.
final class ResourcePatches: Sendable {
    /// The number of cached pairs of contents, with or without a patch; at most 20 KB each.
    static let rememberedPairs = 1024
    /// The limits on the steps and the characters of all patches in one response.
    static let stepsPerResponse = 50_000_000
    static let charactersPerResponse = 256 << 10

    private struct Pair: Hashable {
        let old: SHA256Digest
        let new: SHA256Digest
        let limit: Int
    }

    private struct Outcome {
        let text: String?
        let steps: Int
    }

    private let blobs: any BlobStore
    private let known = Mutex(Generations<Pair, Outcome>(capacity: rememberedPairs))

    init(blobs: any BlobStore) {
        self.blobs = blobs
    }

    /// Returns the patches of a list for a client that has a version (clients.md P1–P3).
    ///
    /// Omits the last patches of the list if all together exceed the limits. Blocks.
    ///
    /// - Parameter held: The contents that patches may start from.
    func patches(
        for list: ResourceList, of offer: ResourceOffer, from version: VersionString, held: [ResourceID: SHA256Digest]
    ) -> [ResourceList.Item.ID: ResourcePatch] {
        var patches: [ResourceList.Item.ID: ResourcePatch] = [:]
        var (steps, characters) = (0, 0)
        for item in list.items where offer.patches(from: version, toComing: item.isComing) {
            let new = item.resource
            guard let old = held[new.id], old != new.digest, new.size <= TextPatch.maximumBytes else { continue }
            let outcome = outcome(Pair(old: old, new: new.digest, limit: offer.diffLimit(ofComing: item.isComing)))
            steps += outcome.steps
            characters += outcome.text?.utf8.count ?? 0
            guard steps <= Self.stepsPerResponse, characters <= Self.charactersPerResponse else { break }
            patches[item.id] = outcome.text.map { ResourcePatch(base: old, text: $0) }
        }
        return patches
    }

    private func outcome(_ pair: Pair) -> Outcome {
        if let outcome = known.withLock({ $0.find(pair) }) { return outcome }
        guard pair.limit > 0, let old = read(pair.old), let new = read(pair.new) else {
            return Outcome(text: nil, steps: 0)
        }
        var steps = 0
        let text = TextPatch.make(from: old, to: new, limit: pair.limit, steps: &steps)
        let outcome = Outcome(text: text, steps: steps)
        known.withLock { $0.keep(outcome, under: pair) }
        return outcome
    }

    /// Returns the bytes of a content; `nil` if it is no longer stored, or too long for a patch.
    private func read(_ digest: SHA256Digest) -> [UInt8]? {
        guard let blob = try? blobs.open(digest), blob.size <= TextPatch.maximumBytes else { return nil }
        return blob.readAll()
    }
}
