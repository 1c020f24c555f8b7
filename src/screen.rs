//! stub
/// stub
pub fn run(_s: crate::engine::Setup, _e: &crate::app::Edge, _p: Option<String>, _r: tokio::runtime::Runtime) -> anyhow::Result<u8> { Ok(1) }
