//! A git worktree and branch for a child (SPEC S18). Git runs with the repository's own programs switched off.

use crate::engine::agent::Status;
use crate::engine::feedback::Feedback;
use crate::engine::run::Engine;
use crate::protocol::{AgentId, Ending};
use crate::tools::git::run;
use std::path::{Path, PathBuf};

impl Engine {
    /// Make a child's worktree in a task of its own.
    pub(in crate::engine) fn make_worktree(&mut self, id: AgentId) {
        let session: String = self.journal.id().chars().take(8).collect();
        let branch = format!("tui-agent/{session}-{id}");
        let folder = self.journal.dir().join("worktrees").join(id.to_string());
        let (workspace, feedback) = (self.setup.workspace.clone(), self.feedback.clone());
        self.work.spawn(async move {
            let result = create(&workspace, &folder, &branch).await.map(|()| (folder, branch));
            let _ = feedback.send(Feedback::Worktree { agent: id, result });
        });
    }

    /// It is ready: the child works there.
    pub(in crate::engine) fn worktree_ready(&mut self, id: AgentId, result: Result<(PathBuf, String), String>) {
        let Some(agent) = self.agents.get_mut(&id) else { return };
        if agent.status != Status::Pending {
            return;
        }
        match result {
            Ok((folder, branch)) => {
                let system = agent
                    .voice
                    .system
                    .iter()
                    .map(|s| s.replace(&format!("Working directory: {}", self.setup.workspace.display()), &format!("Working directory: {}", folder.display())))
                    .collect();
                agent.voice.system = std::sync::Arc::new(system);
                agent.place = crate::engine::agent::Place { branch: Some(branch), ..crate::engine::agent::Place::new(folder) };
                self.pending.push_back(id);
                self.start_pending();
            }
            Err(why) => {
                let outcome = super::finish::empty(Ending::Failed, &format!("no worktree could be made: {why}"));
                self.finish_child(id, outcome);
            }
        }
    }

    /// The child ended: keep its branch when something changed, else leave nothing.
    pub(in crate::engine) fn close_worktree(&mut self, id: AgentId) {
        let Some(agent) = self.agents.get(&id) else { return };
        let Some(branch) = agent.place.branch.clone() else { return };
        let (folder, workspace, feedback) = (agent.place.workspace.clone(), self.setup.workspace.clone(), self.feedback.clone());
        self.work.spawn(async move {
            let kept = keep_or_remove(&workspace, &folder, &branch).await;
            let _ = feedback.send(Feedback::WorktreeClosed { agent: id, branch: kept.then_some(branch) });
        });
    }

    /// The look at the worktree is done.
    pub(in crate::engine) fn worktree_closed(&mut self, id: AgentId, branch: Option<String>) {
        let Some(mut outcome) = self.agents.get_mut(&id).and_then(|a| a.outcome.take()) else { return };
        outcome.branch = branch;
        self.finish_child(id, outcome);
    }
}

async fn create(workspace: &Path, folder: &Path, branch: &str) -> Result<(), String> {
    if let Some(parent) = folder.parent() {
        crate::util::fs::create_private_dir(parent).map_err(|e| e.to_string())?;
    }
    let folder = folder.display().to_string();
    run(workspace, &["worktree", "add", "-q", "-b", branch, &folder, "HEAD"]).await.map(|_| ())
}

/// True when the branch holds something; uncommitted changes are committed to it.
async fn keep_or_remove(workspace: &Path, folder: &Path, branch: &str) -> bool {
    let path = folder.display().to_string();
    let dirty = run(folder, &["status", "--porcelain"]).await.map_or(true, |out| !out.trim().is_empty());
    if dirty {
        let who = ["-c", "user.name=tui-agent", "-c", "user.email=tui-agent@localhost", "-c", "commit.gpgsign=false"];
        let _ = run(folder, &["add", "-A"]).await;
        let mut commit = who.to_vec();
        commit.extend(["commit", "-q", "--no-verify", "-m", "Work of a subagent"]);
        let _ = run(folder, &commit).await;
        return true;
    }
    let ahead = run(workspace, &["rev-list", "--count", &format!("HEAD..{branch}")]).await.map_or(true, |n| n.trim() != "0");
    if !ahead {
        let _ = run(workspace, &["worktree", "remove", "--force", &path]).await;
        let _ = run(workspace, &["branch", "-q", "-D", branch]).await;
    }
    ahead
}
