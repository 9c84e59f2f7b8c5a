/// The constants of the format (PKWARE APPNOTE 6.3.10, §4.3).
enum ZipFormat {
    static let localSignature: UInt32 = 0x0403_4B50
    static let centralSignature: UInt32 = 0x0201_4B50
    static let endSignature: UInt32 = 0x0605_4B50
    static let zip64EndSignature: UInt32 = 0x0606_4B50
    static let zip64LocatorSignature: UInt32 = 0x0706_4B50

    /// Lengths of the records without their variable parts.
    static let localLength = 30
    static let centralLength = 46
    static let endLength = 22
    static let zip64EndLength = 56
    static let zip64LocatorLength = 20

    /// The values of 32-bit and 16-bit fields that refer to zip64.
    static let beyond32: UInt32 = .max
    static let beyond16: UInt16 = .max

    enum Flag {
        static let encrypted: UInt16 = 1 << 0
        static let dataDescriptor: UInt16 = 1 << 3
        static let strongEncryption: UInt16 = 1 << 6
        static let utf8: UInt16 = 1 << 11
        static let maskedHeaders: UInt16 = 1 << 13
    }

    enum Method: UInt16 {
        case stored = 0
        case deflated = 8
    }

    enum Extra {
        static let zip64: UInt16 = 0x0001
        static let unicodePath: UInt16 = 0x7075
    }
}
