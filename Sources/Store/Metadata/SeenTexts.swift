import Domain

/// The texts that devices sent, as far as the store remembers them between two batches of devices.
///
/// The number of devices bounds the texts, so that a device costs ``bytesOfDevice`` at most, whatever it sends. Longer
/// texts are left out, and the device is marked as one that sent more than is kept.
struct SeenTexts {
    /// The bytes that texts may take per device; the row itself, its share of its page and the key take less than 100.
    static let bytesOfDevice = 300
    /// The lowest number of devices with which the bound is computed.
    static let fewestDevices = 1_000
    /// The number of texts that are remembered; once it is reached, all are forgotten.
    static let remembered = 4_096
    /// The maximum number of unused texts that one transaction removes.
    static let removedAtOnce = 100_000
    /// The number of batches after which the devices and bytes are counted again, if other nodes change them.
    static let sharedBatches = 64
    /// The text for a device none of whose facts are kept.
    static let noFacts = "{}"

    /// A text as a key, compared by bytes as in the store.
    private struct Key: Hashable {
        let text: String

        static func == (left: Key, right: Key) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

        func hash(into hasher: inout Hasher) { hasher.combine(SeenTexts.hash(text)) }
    }

    var devices: Int
    var bytes: Int
    /// The numbers of remembered texts.
    private var known: [Key: Int64] = [:]
    private var batches = 0

    init(devices: Int, bytes: Int) {
        self.devices = devices
        self.bytes = bytes
    }

    /// Begins a batch of devices that other nodes may have preceded: they may have removed remembered texts.
    ///
    /// Returns `false` if the devices and bytes have to be counted again.
    mutating func beginSharedBatch() -> Bool {
        known = [:]
        batches += 1
        return batches < Self.sharedBatches
    }

    /// Returns the estimated bytes of a text on disk, both index entries included.
    static func cost(ofBytes count: Int) -> Int { count * 4 / 3 + 60 }

    func hasRoom(for text: String) -> Bool {
        text == Self.noFacts
            || bytes + Self.cost(ofBytes: text.utf8.count) <= max(devices, Self.fewestDevices) * Self.bytesOfDevice
    }

    /// The number of a remembered text.
    subscript(_ text: String) -> Int64? { known[Key(text: text)] }

    mutating func remember(_ text: String, _ number: Int64) {
        if known.count >= Self.remembered { known = [:] }
        known[Key(text: text)] = number
    }

    /// Subtracts removed texts by their lengths in bytes; their numbers must not be used again.
    mutating func forget(_ lengths: [Int]) {
        bytes -= lengths.reduce(0) { $0 + Self.cost(ofBytes: $1) }
        if !lengths.isEmpty { known = [:] }
    }

    /// Returns the 64-bit FNV-1a hash.
    static func hash(_ text: String) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int64(bitPattern: hash)
    }
}
