import Domain
import TestKit
import Testing

@Suite(.ownThread)
struct BadZipTests {
    let good = CraftedZip([.deflated("a", Array("aaaaaaaaaaaaaaaaaaaaaaaaa".utf8)), .stored("b")])

    @Test func `the intact zip is accepted`() throws {
        #expect(try Unpacking.refusal(of: good) == nil)
    }

    // MARK: The file

    @Test(arguments: ["", "PK", "hello", String(repeating: "x", count: 100_000)])
    func `bytes that are not a zip are refused`(text: String) throws {
        #expect(try Unpacking.refusal(ofBytes: Array(text.utf8)) == Refusal("not-a-zip"))
    }

    @Test func `a zip that breaks off is refused wherever it does`() throws {
        let bytes = good.bytes
        for count in stride(from: 5, to: bytes.count, by: 1) {
            #expect(try Unpacking.refusal(ofBytes: Array(bytes.prefix(count)))?.reason == "truncated")
        }
    }

    @Test func `bytes before or after are refused`() throws {
        #expect(try Unpacking.refusal(of: good.with { $0.suffix = [0] }) == Refusal("trailing-data"))
        #expect(try Unpacking.refusal(of: good.with { $0.prefix = Array("#!stub".utf8) }) == Refusal("leading-data"))
        #expect(try Unpacking.refusal(ofBytes: Array("#!stub".utf8) + good.bytes) == Refusal("leading-data"))
    }

    @Test func `a second end is refused`() throws {
        let other = CraftedZip([.stored("evil")]).bytes
        #expect(try Unpacking.refusal(of: good.with { $0.comment = other }) == Refusal("ambiguous-end"))
        // An end record in the comment that does not reach to the end, which libarchive would accept.
        #expect(try Unpacking.refusal(of: good.with { $0.comment = other + [0] }) == Refusal("ambiguous-end"))
    }

    @Test func `comments are accepted up to the format's limit`() throws {
        let comment = [UInt8](repeating: 0x20, count: 8 * 1024)
        #expect(try Unpacking.refusal(of: good.with { $0.comment = comment }) == nil)
        #expect(try Unpacking.refusal(of: good.with { $0.comment = comment + [0x20] }) == Refusal("comment-too-long"))
    }

    @Test func `a part of several is refused`() throws {
        #expect(try Unpacking.refusal(of: good.with { $0.disk = 1 })?.reason == "multi-part")
    }

    @Test(
        arguments: [
            Lie("one more", { $0.entryCount = 3 }), Lie("one less", { $0.entryCount = 1 }),
            Lie("directory too far", { $0.directoryOffset = 4000 }),
            Lie("directory too large", { $0.directorySize = 4000 }),
            Lie("zip64 says another count", { ($0.hasZip64End, $0.zip64EntryCount) = (true, 3) }),
            Lie("zip64 count past 63 bits", { ($0.hasZip64End, $0.zip64EntryCount) = (true, .max) }),
        ] as [Lie<CraftedZip>])
    func `an end that lies is refused`(lie: Lie<CraftedZip>) throws {
        #expect(try Unpacking.refusal(of: good.with(lie.apply))?.reason == "directory-damaged")
    }

    // MARK: The headers

    @Test(
        arguments: [
            Lie("name", { $0.localName = Array("z".utf8) }), Lie("longer name", { $0.localName = Array("bb".utf8) }),
            Lie("method", { $0.localMethod = 8 }), Lie("CRC", { $0.localCRC = 1 }), Lie("size", { $0.localSize = 1 }),
            Lie("packed size", { $0.localPackedSize = 1 }), Lie("encryption", { $0.localFlags = 1 }),
            Lie("sizes of a stored file", { ($0.size, $0.localSize) = (8, 8) }),
            Lie("no header there", { $0.localOffset = 1 }),
            Lie("header past the end", { $0.localOffset = 4000 }),
            Lie("zero sizes without a descriptor", { ($0.localSize, $0.localPackedSize) = (0, 0) }),
        ] as [Lie<CraftedZip.Entry>])
    func `a local header that disagrees is refused`(lie: Lie<CraftedZip.Entry>) throws {
        let zip = good.with { $0.entries[1] = $0.entries[1].with(lie.apply) }
        #expect(try Unpacking.refusal(of: zip) == Refusal("headers-disagree", "b"))
    }

    @Test func `packed bytes that would reach into the directory are refused`() throws {
        let entry = CraftedZip.Entry.stored("b").with { ($0.size, $0.packedSize) = (8, 8) }
        #expect(try Unpacking.refusal(of: [entry])?.reason == "headers-disagree")
    }

    @Test func `entries that lie over each other are refused`() throws {
        let inner = CraftedZip([.stored("inner")]).bytes
        // One local header for two records, and a record within the bytes of another.
        let twice = good.with { zip in
            zip.entries.append(zip.entries[0].with { ($0.name, $0.localName, $0.localOffset) = ([0x63], nil, 0) })
        }
        #expect(try Unpacking.refusal(of: twice)?.reason == "headers-disagree")
        let same = CraftedZip([.stored("a"), .stored("a").with { $0.localOffset = 0 }])
        #expect(try Unpacking.refusal(of: same)?.reason == "overlapping")
        let nested = CraftedZip([.stored("outer", inner), .stored("inner").with { $0.localOffset = 35 }])
        #expect(try Unpacking.refusal(of: nested) == Refusal("overlapping", "inner"))
    }

    @Test(arguments: [0x0001, 0x0041, 0x2001] as [UInt16])
    func `encrypted entries are refused`(flags: UInt16) throws {
        #expect(try Unpacking.refusal(of: [.stored("a").with { $0.flags = flags }]) == Refusal("encrypted", "a"))
    }

    @Test(arguments: [1, 9, 12, 14, 93, 95, 99] as [UInt16])
    func `other ways to compress are refused`(method: UInt16) throws {
        #expect(
            try Unpacking.refusal(of: [.stored("a").with { $0.method = method }]) == Refusal("compression-method", "a"))
    }

    // MARK: The bytes

    @Test func `a wrong crc is refused`() throws {
        let stored = CraftedZip.Entry.stored("a").with { $0.crc32 ^= 1 }
        #expect(try Unpacking.refusal(of: [stored]) == Refusal("checksum-mismatch", "a"))
        let deflated = CraftedZip.Entry.deflated("a", Array("aaaaaaaaaaaaaaaaaaa".utf8)).with { $0.crc32 ^= 1 }
        #expect(try Unpacking.refusal(of: [deflated]) == Refusal("checksum-mismatch", "a"))
    }

    @Test(arguments: [99, 101, 0, 5_000_000] as [UInt32])
    func `a size that lies is refused`(size: UInt32) throws {
        let entry = CraftedZip.Entry.deflated("a", [UInt8](repeating: 1, count: 100)).with { $0.size = size }
        #expect(try Unpacking.refusal(of: [entry]) == Refusal("size-mismatch", "a"))
    }

    @Test func `a deflate stream that is damaged or breaks off is refused`() throws {
        let page = Array(String(repeating: "<p>hello</p>", count: 100).utf8)
        let damaged = CraftedZip.Entry.deflated("a", page).with { $0.packed[0] = 0xFF }
        #expect(try Unpacking.refusal(of: [damaged]) == Refusal("corrupt", "a"))
        let short = CraftedZip.Entry.deflated("a", page).with {
            $0.packed.removeLast(4)
            $0.packedSize -= 4
        }
        #expect(try Unpacking.refusal(of: [short])?.entry == "a")
    }

    @Test func `bytes after the end of a deflate stream are refused`() throws {
        let padded = CraftedZip.Entry.deflated("a", [UInt8](repeating: 1, count: 100)).with {
            $0.packed += [UInt8](repeating: 0, count: 1000)
            $0.packedSize += 1000
        }
        #expect(try Unpacking.refusal(of: [padded, .stored("b")]) == Refusal("corrupt", "a"))
    }

    // MARK: All of it

    @Test func `a zip with any flipped bit is refused or has the same files`() throws {
        let bytes = good.bytes
        let unpacking = try Unpacking()
        let files = try unpacking.tree(of: good).files
        for bit in 0..<bytes.count * 8 {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            do {
                #expect(try unpacking.tree(of: flipped).files == files, "bit \(bit)")
            } catch let error as PlatformError {
                #expect(error.code == .badPackage, "bit \(bit): \(error)")
            }
        }
    }
}
