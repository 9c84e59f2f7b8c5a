import Glibc

/// The natural logarithm.
func logarithm(_ number: Double) -> Double { log(number) }

/// The exponential function.
func exponential(_ number: Double) -> Double { exp(number) }
