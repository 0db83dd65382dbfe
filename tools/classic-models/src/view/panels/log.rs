//! The warnings and errors of the models, and the log, as text that can be selected.

use crate::view::log_buffer::{LogLine, Severity};
use crate::view::panels::data::Shown;
use crate::view::panels::style::{ERROR, WARNING};
use bevy_egui::egui::{Label, RichText, ScrollArea, Ui};

/// Draws the panel.
pub fn show(ui: &mut Ui, shown: &Shown) {
    let lines = lines(shown);
    ScrollArea::both()
        .auto_shrink(false)
        .stick_to_bottom(true)
        .show(ui, |ui| {
            if lines.is_empty() {
                ui.weak("No warnings.");
            }
            for line in lines {
                let text = RichText::new(&line.text);
                let text = match line.severity {
                    Severity::Error => text.color(ERROR),
                    Severity::Warning => text.color(WARNING),
                    Severity::Info => text,
                };
                ui.add(Label::new(text).selectable(true).extend());
            }
        });
}

/// The lines of the log, then the problems of the models that it does not have.
fn lines(shown: &Shown) -> Vec<LogLine> {
    let mut lines = shown.log.to_vec();
    for problem in &shown.data.problems {
        if lines.iter().any(|line| line.text.contains(&problem.text)) {
            continue;
        }
        lines.push(LogLine {
            severity: match problem.is_error {
                true => Severity::Error,
                false => Severity::Warning,
            },
            text: match &*problem.model {
                "" => problem.text.clone(),
                model => format!("{model}: {}", problem.text),
            },
        });
    }
    lines
}
