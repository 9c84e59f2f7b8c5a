import Domain

/// The texts that devices said, as far as the store has to remember them between two batches of notes.
///
/// Texts are bounded by the number of devices, so that a device costs ``bytesOfDevice`` at most, whatever was said. What
/// exceeds that is left out, and the device counts as one that said more than is kept.
struct SeenTexts {
    /// Bytes that texts may take for each device; the row itself, its share of its page and the key take less than 100.
    static let bytesOfDevice = 300
    /// The lowest number of devices that the bound is computed with.
    static let fewestDevices = 1_000
    /// Numbers of texts that are kept in memory; then all are forgotten.
    static let remembered = 4_096
    /// Unused texts that one transaction removes at most.
    static let removedAtOnce = 20_000
    /// Facts of a device of which none are kept.
    static let noFacts = "{}"

    struct Known {
        let number: Int64
        /// The day that the text was noted on last.
        var day: Int64
    }

    /// A text as a key; equal by bytes, as the store compares texts.
    private struct Key: Hashable {
        let text: String

        static func == (left: Key, right: Key) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

        func hash(into hasher: inout Hasher) { hasher.combine(SeenTexts.hash(text)) }
    }

    var devices: Int
    var bytes: Int
    private var known: [Key: Known] = [:]

    init(devices: Int, bytes: Int) {
        self.devices = devices
        self.bytes = bytes
    }

    /// The estimated bytes of a text on disk, both index entries included.
    static func cost(ofBytes count: Int) -> Int { count * 4 / 3 + 60 }

    func hasRoom(for text: String) -> Bool {
        text == Self.noFacts
            || bytes + Self.cost(ofBytes: text.utf8.count) <= max(devices, Self.fewestDevices) * Self.bytesOfDevice
    }

    /// Returns what is remembered of a text.
    subscript(_ text: String) -> Known? { known[Key(text: text)] }

    mutating func remember(_ text: String, _ entry: Known) {
        if known.count >= Self.remembered { known = [:] }
        known[Key(text: text)] = entry
    }

    /// Subtracts texts that were removed, given their lengths in bytes; their numbers must not be used again.
    mutating func forget(_ lengths: [Int]) {
        bytes -= lengths.reduce(0) { $0 + Self.cost(ofBytes: $1) }
        if !lengths.isEmpty { known = [:] }
    }

    /// FNV-1a, 64 bits.
    static func hash(_ text: String) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int64(bitPattern: hash)
    }
}
