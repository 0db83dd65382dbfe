//! The `.dtx` format: bytes to plain values and (feature `write`) back.
