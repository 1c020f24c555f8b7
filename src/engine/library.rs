//! What people bring, as the engine uses it: agent types, skills, instructions, memory, own commands, trust.
use crate::config::{Config, Paths};
use crate::extend::agents::AgentType;
use crate::protocol::event::AgentTypeView;
use std::path::{Path, PathBuf};
/// stub
pub struct Library {}
#[allow(missing_docs, clippy::unused_self)]
impl Library {
    pub fn empty(_c: &Config) -> Self { Self {} }
    pub fn load(&mut self, _c: &Config, _p: &Paths, _w: &Path, _t: bool) -> Vec<String> { Vec::new() }
    pub fn untrusted(&self, _p: &Paths, _w: &Path) -> Option<Vec<String>> { None }
    pub fn trust(&self, _p: &Paths, _w: &Path) -> Result<(), String> { Ok(()) }
    pub fn enabled_type(&self, _n: &str) -> Result<&AgentType, String> { Err(String::new()) }
    pub fn enable(&mut self, _p: &Paths, _n: &str, _e: bool) -> Result<(), String> { Ok(()) }
    pub fn type_views(&self) -> Vec<AgentTypeView> { Vec::new() }
    pub fn types_text(&self) -> String { String::new() }
    pub fn agent_description(&self) -> String { String::new() }
    pub fn skill(&self, _n: &str) -> Result<String, String> { Err(String::new()) }
    pub fn skill_list(&self) -> String { String::new() }
    pub fn skills_text(&self) -> String { String::new() }
    pub fn instructions(&self) -> &str { "" }
    pub fn memory(&self) -> &str { "" }
    pub fn commands(&self) -> Vec<(String, String)> { Vec::new() }
    pub fn expand(&self, _n: &str, _a: &str) -> Result<String, String> { Err(String::new()) }
    pub fn remember(&self, _p: &Paths, _w: &Path, _t: &str, _u: bool) -> Result<PathBuf, String> { Err(String::new()) }
}
