/// Bytes with places to cut them at, in one input of a fuzzer.
///
/// The low four bits of the first byte say how many cuts there are; two bytes for each follow, and then what is cut.
/// So `0`, as text, stands before what is not cut.
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
