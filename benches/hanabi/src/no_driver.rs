//! An adapter that draws nothing, so that only the CPU time of Bevy, `wgpu` and the compared crates is measured. It must not
//! know which crate is measured.

use bevy::render::RenderPlugin;
use bevy::render::renderer::{
    RenderAdapter, RenderAdapterInfo, RenderDevice, RenderInstance, RenderQueue, WgpuWrapper,
};
use bevy::render::settings::{RenderCreation, RenderResources};
use bevy::tasks::block_on;
use std::sync::Arc;
use wgpu::{
    BackendOptions, Backends, DeviceDescriptor, Features, Instance, InstanceDescriptor, Limits,
    NoopBackendOptions, RequestAdapterOptions,
};

/// A renderer of `wgpu`'s backend without a driver.
pub fn render_plugin() -> RenderPlugin {
    RenderPlugin {
        render_creation: RenderCreation::Manual(resources()),
        synchronous_pipeline_compilation: true,
        ..RenderPlugin::default()
    }
}

fn resources() -> RenderResources {
    let instance = Instance::new(InstanceDescriptor {
        backends: Backends::NOOP,
        backend_options: BackendOptions {
            noop: NoopBackendOptions { enable: true },
            ..BackendOptions::default()
        },
        ..InstanceDescriptor::new_without_display_handle()
    });
    let options = RequestAdapterOptions::default();
    let adapter = block_on(instance.request_adapter(&options)).expect("the backend has an adapter");
    let (device, queue) = block_on(adapter.request_device(&DeviceDescriptor {
        // The backend has no texture formats of its own.
        required_features: adapter.features()
            - Features::all_experimental_mask()
            - Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES,
        // Those of the adapter are so large that Bevy would run out of memory.
        required_limits: Limits::default(),
        ..DeviceDescriptor::default()
    }))
    .expect("the adapter has a device");
    RenderResources(
        RenderDevice::from(device),
        RenderQueue(Arc::new(WgpuWrapper::new(queue))),
        RenderAdapterInfo(WgpuWrapper::new(adapter.get_info())),
        RenderAdapter(Arc::new(WgpuWrapper::new(adapter))),
        RenderInstance(Arc::new(WgpuWrapper::new(instance))),
    )
}
