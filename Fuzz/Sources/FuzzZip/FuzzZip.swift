import ArtifactsProbe

/// Runs one input of libFuzzer; a finding of `ZipProbe` ends the process.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    if let finding = ZipProbe.finding(in: input) { fatalError(finding) }
    return 0
}
