/// One setting of `larder serve`, with its names and its default.
struct Setting {
    /// The base name: `listen` is the flag `--listen` and the variable `LARDER_LISTEN`.
    let name: String
    let placeholder: String
    let defaultValue: String
    let help: String
    /// The valid range of a whole number; `nil` for other settings.
    var range: ClosedRange<Int>?

    var flag: String { "--\(name)" }

    /// The setting as an option of the command line.
    var shape: OptionShape {
        let byDefault = defaultValue.isEmpty ? "" : " (default \(defaultValue))"
        return OptionShape(name: flag, placeholder: placeholder, help: help + byDefault, variable: variable)
    }

    /// The unit of a number, which the name states.
    var unit: String {
        if name.hasSuffix("-per-second") { return "per second" }
        let words = name.split(separator: "-").map(String.init)
        return words.first { ["bytes", "seconds", "hours", "days"].contains($0) } ?? "count"
    }

    var variable: String {
        "LARDER_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}

/// The value of a setting and its source.
struct SettingValue {
    let text: String
    let source: Source

    enum Source: String {
        case flag
        case environment
        case builtIn = "default"
    }
}
