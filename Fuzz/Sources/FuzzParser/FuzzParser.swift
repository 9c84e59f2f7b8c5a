import HTTPProbe

/// Runs one input of libFuzzer; a finding of `ParserProbe` ends the process.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    if let finding = ParserProbe.finding(in: input) { fatalError(finding) }
    return 0
}
