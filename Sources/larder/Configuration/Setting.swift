/// One setting of `larder serve`: where it comes from, what it is when nobody sets it.
struct Setting {
    /// `listen` is `--listen` and `LARDER_LISTEN`.
    let name: String
    let placeholder: String
    let defaultValue: String
    let help: String
    /// What a setting that is a whole number may be; `nil` for others.
    var range: ClosedRange<Int>?

    var flag: String { "--\(name)" }

    /// The setting as an option of the command line.
    var shape: OptionShape {
        let byDefault = defaultValue.isEmpty ? "" : " (default \(defaultValue))"
        return OptionShape(name: flag, placeholder: placeholder, help: help + byDefault, variable: variable)
    }

    var variable: String {
        "LARDER_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}

/// The value of a setting, and who said so.
struct SettingValue {
    let text: String
    let source: Source

    enum Source: String {
        case flag
        case environment
        case builtIn = "default"
    }
}
