//! A strict parser of a subset of bash, and the allow-list of reading programs (SPEC R3, R4).
