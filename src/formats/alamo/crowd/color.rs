//! The team colors of members.

use crate::formats::alamo::crowd::instance::AloCrowd;
use crate::formats::alamo::crowd::instance::AloPoseTable;
use crate::formats::alamo::materials::team_color::team_color_tag;
use crate::root::skins::TeamColor;
use bevy::prelude::*;

type ColorChanged = Or<(Changed<AloCrowd>, Changed<TeamColor>)>;

/// Writes the team colors of members to their rows.
pub(crate) fn color_crowds(
    changed: Query<(&AloCrowd, Option<&TeamColor>), ColorChanged>,
    mut removed: RemovedComponents<TeamColor>,
    members: Query<&AloCrowd>,
    mut table: ResMut<AloPoseTable>,
) {
    for root in removed.read() {
        if let Ok(member) = members.get(root) {
            table.set_extra(member.row(), 0);
        }
    }
    for (member, team) in &changed {
        let tag = team.map_or(0, |team| team_color_tag(team.0));
        table.set_extra(member.row(), tag);
    }
}
