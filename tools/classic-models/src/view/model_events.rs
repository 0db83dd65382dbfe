//! Writes the events of models' clips to the log.

use crate::view::viewed_model::ViewedModel;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;

/// Writes an event to the log.
pub fn log_event(event: On<ModelEvent>, models: Query<&ViewedModel>) {
    if let Ok(model) = models.get(event.entity) {
        info!(
            "{}, clip {}, frame {}: {}",
            model.name, event.clip, event.frame, event.name
        );
    }
}
