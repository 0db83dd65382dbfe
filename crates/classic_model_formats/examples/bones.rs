//! Prints the bones of an Alamo model, indented by their depth.
//!
//! Run it with `cargo run -p classic_model_formats --example bones -- model.alo`.

use classic_model_formats::alo;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: bones MODEL.alo")?;
    let bytes = std::fs::read(&path)?;
    let file = alo::parse(&bytes)?;
    let mut depths: Vec<usize> = Vec::new();
    for bone in &file.bones {
        // Parents come before their children.
        let depth = bone.parent.map_or(0, |parent| depths[parent as usize] + 1);
        depths.push(depth);
        println!("{:indent$}{}", "", bone.name, indent = 2 * depth);
    }
    for warning in &file.warnings {
        eprintln!("{path}: warning: {warning}");
    }
    Ok(())
}
