/// An input of a fuzzer, split into bytes and the offsets at which to cut them.
///
/// The low four bits of the first byte are the number of cuts; two bytes for each follow, and then the bytes
/// themselves. An input that begins with the text `0` has no cuts.
struct CutInput {
    let bytes: [UInt8]
    let cuts: [Int]

    init?(_ input: [UInt8]) {
        guard let first = input.first else { return nil }
        let count = Int(first & 0x0F)
        let start = 1 + 2 * count
        guard input.count >= start else { return nil }
        let bytes = Array(input[start...])
        self.bytes = bytes
        cuts = (0..<count).map { cut in
            (Int(input[1 + 2 * cut]) << 8 | Int(input[2 + 2 * cut])) % (bytes.count + 1)
        }.sorted()
    }
}
