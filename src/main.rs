//! Parses arguments and calls the library; the only place that ends the process.
fn main() {}
