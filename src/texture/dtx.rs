//! DTX: indexed colours become RGBA of 8 bits; blocks stay as they are where the GPU can sample them.
