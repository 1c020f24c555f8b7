//! Which tools an agent has (SPEC S1, S5, S8, S10). Pure over the list of tools.

use crate::engine::turn::CallClass;
use crate::protocol::ToolSpec;
use crate::tools::{Class, Input, Tool};
use std::sync::Arc;

/// Never for children, whatever a type lists; `Agent` only where the depth allows (SPEC S8).
pub const NEVER_FOR_CHILDREN: [&str; 4] = ["AskUserQuestion", "SendMessage", "TaskStop", "TodoWrite"];
/// The tool that spawns children.
pub const AGENT: &str = "Agent";

/// All tools of the session with their specs, made once.
pub struct Toolbox {
    tools: Vec<(ToolSpec, Arc<dyn Tool>)>,
}

impl Toolbox {
    /// Over the tools of a session.
    #[must_use]
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Self {
        let mut tools: Vec<(ToolSpec, Arc<dyn Tool>)> = tools.into_iter().map(|t| (t.spec(), t)).collect();
        tools.sort_by(|a, b| a.0.name.cmp(&b.0.name));
        Self { tools }
    }

    /// A tool by its name or an alias.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<(&ToolSpec, &Arc<dyn Tool>)> {
        self.tools.iter().find(|(s, t)| s.name == name || t.aliases().contains(&name)).map(|(s, t)| (s, t))
    }

    /// The tools of the program itself, without those of servers.
    #[must_use]
    pub fn built_in(&self) -> Vec<Arc<dyn Tool>> {
        self.tools.iter().filter(|(s, _)| !s.name.starts_with("mcp__")).map(|(_, t)| Arc::clone(t)).collect()
    }

    /// The specs of all tools, sorted by name.
    pub fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.tools.iter().map(|(s, _)| s)
    }

    /// How a call may run; unknown tools are answered in order like writers.
    #[must_use]
    pub fn class(&self, name: &str, input: &Input) -> CallClass {
        self.find(name).map_or(CallClass::Write, |(_, t)| match t.class(input) {
            Class::Read => CallClass::Read,
            Class::Write => CallClass::Write,
            Class::Agent => CallClass::Agent,
        })
    }
}

/// What a type says about tools.
#[derive(Copy, Clone, Debug)]
pub struct Wanted<'a> {
    /// The type's list; None means all.
    pub tools: Option<&'a [String]>,
    /// Taken away again.
    pub disallowed: &'a [String],
    /// The call's narrowing list.
    pub names: Option<&'a [String]>,
    /// Whether the child may spawn.
    pub may_spawn: bool,
}

/// The names of a child's pool out of its parent's, sorted; and the asked-for names that were dropped.
///
/// # Errors
/// Names that no tool has, and a pool without tools; in words for the model.
pub fn child_pool(parent: &[String], existing: &[String], wanted: Wanted<'_>) -> Result<(Vec<String>, Vec<String>), String> {
    // MCP tools and rules may stand in lists as `mcp__server__*` or `Bash(git:*)`.
    let base = |name: &str| name.split('(').next().unwrap_or(name).trim().to_owned();
    let listed = |list: &[String], name: &str| {
        list.iter().any(|l| {
            let l = base(l);
            l == "*" || l == name || l.strip_suffix('*').is_some_and(|prefix| !prefix.is_empty() && name.starts_with(prefix))
        })
    };
    let allowed = |name: &String| {
        let never = NEVER_FOR_CHILDREN.contains(&name.as_str()) || (name == AGENT && !wanted.may_spawn);
        !never && wanted.tools.is_none_or(|t| listed(t, name)) && !listed(wanted.disallowed, name)
    };
    let pool: Vec<String> = parent.iter().filter(|n| allowed(n)).cloned().collect();
    let Some(names) = wanted.names else {
        return if pool.is_empty() { Err("this type has no tool that exists here; it could do nothing".into()) } else { Ok((pool, Vec::new())) };
    };
    let unknown: Vec<&String> = names.iter().filter(|n| !existing.contains(n)).collect();
    if let Some(first) = unknown.first() {
        return Err(format!("tool_names: there is no tool named {first}; the tools of this type are: {}", pool.join(", ")));
    }
    let kept: Vec<String> = pool.iter().filter(|n| names.contains(n)).cloned().collect();
    let dropped: Vec<String> = names.iter().filter(|n| !kept.contains(n)).cloned().collect();
    if kept.is_empty() {
        return Err(format!("tool_names: none of {} belongs to this type; its tools are: {}", names.join(", "), pool.join(", ")));
    }
    Ok((kept, dropped))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(s: &str) -> Vec<String> {
        s.split_whitespace().map(Into::into).collect()
    }

    #[test]
    fn s5_s8_pools_narrow_and_never_widen() {
        let all = names("Agent AskUserQuestion Bash Edit Glob Grep Read SendMessage TaskStop TodoWrite Write");
        let explore = names("Read Grep Glob Bash");
        let get =
            |tools: Option<&[String]>, list: Option<&[String]>, may_spawn| child_pool(&all, &all, Wanted { tools, disallowed: &[], names: list, may_spawn });
        assert_eq!(get(None, None, false).unwrap().0, names("Bash Edit Glob Grep Read Write"));
        assert_eq!(get(None, None, true).unwrap().0, names("Agent Bash Edit Glob Grep Read Write"));
        assert_eq!(get(Some(&explore), None, true).unwrap().0, names("Bash Glob Grep Read"));
        let (kept, dropped) = get(Some(&explore), Some(&names("Read Write")), false).unwrap();
        assert_eq!((kept, dropped), (names("Read"), names("Write")));
        let (kept, dropped) = get(None, Some(&names("Glob Grep Read Agent")), false).unwrap();
        assert_eq!((kept, dropped), (names("Glob Grep Read"), names("Agent")));
        let error = get(None, Some(&names("nope")), false).unwrap_err();
        assert!(error.contains("nope") && error.contains("Grep"));
        assert!(get(Some(&explore), Some(&names("Write")), false).is_err());
        let disallowed = child_pool(&all, &all, Wanted { tools: Some(&names("*")), disallowed: &names("Grep"), names: None, may_spawn: false });
        assert_eq!(disallowed.unwrap().0, names("Bash Edit Glob Read Write"));
    }

    #[test]
    fn s10_a_grandchild_has_at_most_its_parents_tools() {
        let parent = names("Glob Read");
        let all = names("Agent Bash Glob Read Write");
        assert_eq!(child_pool(&parent, &all, Wanted { tools: None, disallowed: &[], names: None, may_spawn: false }).unwrap().0, names("Glob Read"));
    }
}
