//! Packs the color of a team for shaders.

use bevy::prelude::*;

/// Packs a team's color into a `MeshTag`: sRGB with red in the lowest byte, then green and blue, and bit 24 set. The
/// tag of an entity without a team color is 0.
pub(crate) fn team_color_tag(color: Color) -> u32 {
    let color = Srgba::from(color);
    // Casting saturates channels that are out of range.
    let byte = |channel: f32| (channel * 255.0).round() as u8;
    u32::from_le_bytes([byte(color.red), byte(color.green), byte(color.blue), 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn team_color_is_packed_as_srgb_bytes() {
        assert_eq!(team_color_tag(Color::srgb_u8(1, 2, 3)), 0x0103_0201);
        assert_eq!(team_color_tag(Color::BLACK), 0x0100_0000);
        assert_eq!(team_color_tag(Color::srgb(2.0, -1.0, 0.5)), 0x0180_00ff);
        let linear = Color::linear_rgb(0.214_041_14, 0.0, 1.0);
        assert_eq!(team_color_tag(linear), 0x01ff_0080);
    }
}
