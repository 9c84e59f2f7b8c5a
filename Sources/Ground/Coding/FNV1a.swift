/// The 128-bit FNV-1a hash.
///
/// It is not collision-resistant and suits only input that no attacker chooses.
package enum FNV1a {
    package static func hash(_ bytes: some Sequence<UInt8>) -> UInt128 {
        bytes.reduce(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d) { hash, byte in
            (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b
        }
    }

    /// Returns the hash as 32 lower-case hex digits.
    package static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = String(hash(bytes), radix: 16)
        return String(repeating: "0", count: 32 - digits.utf8.count) + digits
    }
}
