//! A running system: yields the births of any span of time, whatever the steps.
//!
//! Births depend on the schedule and on the poses at their times. So many short steps and one long step have the same
//! births, except for particles whose life is over at the end of a step.

mod advance;
mod birth;
mod children;
mod death;
mod instance;
mod stage;
mod state;
mod step;
mod weather_births;
mod work;

pub use stage::{Birth, Space, Stage};
pub use state::Simulation;
