//! Every intent of the user, bindable by name: keys and slash commands both yield it.
//!
//! Must not: know keys, screens or the engine. Names are kebab-case and never change: people's `[keys]` refer to them.

/// Makes the enum, its list and its two texts from one table, so that none of them can be stale.
macro_rules! actions {
    ($($variant:ident = $name:literal, $about:literal;)*) => {
        /// An intent of the user.
        #[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
        pub enum Action {
            $(#[doc = $about] $variant,)*
        }

        impl Action {
            /// All of them, in the order of the help.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name used in `[keys]` and in the key table.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it does, in a few words for the help.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self { $(Self::$variant => $about,)* }
            }
        }
    };
}

actions! {
    Submit = "submit", "send the message; queue it while a turn runs";
    Newline = "newline", "begin a new line (also \\ then Enter)";
    Interrupt = "interrupt", "close what is open, else stop the running turn";
    CycleMode = "cycle-mode", "next permission mode";
    ToggleTrace = "toggle-trace", "fold or unfold the subagent pane";
    FocusTrace = "focus-trace", "select a subagent in its pane";
    ToggleTasks = "toggle-tasks", "open the task panel";
    AnswerQuestion = "answer-question", "open a waiting question";
    ToBackground = "to-background", "move what runs to the background";
    Help = "help", "keys and commands";
    AgentsPicker = "agents-picker", "enable and disable subagent types";
    Search = "search", "search the conversation";
    TranscriptPager = "transcript-pager", "read the whole conversation in the pager";
    ExternalEditor = "external-editor", "write the message in your editor";
    CopyMessage = "copy-message", "copy the last reply to the clipboard";
    Redraw = "redraw", "paint the whole screen again";
    Suspend = "suspend", "go to the shell; fg comes back";
    ClearOrQuit = "clear-or-quit", "clear the input line; twice when it is empty: quit";
    Quit = "quit", "quit";
    ScrollUp = "scroll-up", "a line back";
    ScrollDown = "scroll-down", "a line on";
    PageUp = "page-up", "a page back";
    PageDown = "page-down", "a page on";
    ScrollTop = "scroll-top", "to the first line";
    ScrollEnd = "scroll-end", "to the last line, and follow";
    PreviousMessage = "previous-message", "to your message before";
    NextMessage = "next-message", "to your message after";
    ExpandOutput = "expand-output", "unfold or fold outputs and reports";
    ToggleThinking = "toggle-thinking", "unfold or fold reasoning";
    HistorySearch = "history-search", "search earlier messages";
    Complete = "complete", "take the selected completion";
    LineUp = "line-up", "a line up; earlier messages on the first line";
    LineDown = "line-down", "a line down; later messages on the last line";
    CharLeft = "char-left", "a character left";
    CharRight = "char-right", "a character right";
    WordLeft = "word-left", "a word left";
    WordRight = "word-right", "a word right";
    LineStart = "line-start", "to the start of the line";
    LineEnd = "line-end", "to the end of the line";
    DeleteBack = "delete-back", "delete the character before";
    DeleteForward = "delete-forward", "delete the character after";
    DeleteWordBack = "delete-word-back", "delete the word before";
    DeleteWordForward = "delete-word-forward", "delete the word after";
    ClearLine = "clear-line", "delete to the start of the line";
    DeleteToEnd = "delete-to-end", "delete to the end of the line";
    Undo = "undo", "undo";
    Redo = "redo", "redo";
    SelectUp = "select-up", "selection up";
    SelectDown = "select-down", "selection down";
    Choose = "choose", "open or choose";
    Toggle = "toggle", "switch on or off";
    Close = "close", "close";
    InsertReport = "insert-report", "put its report into your message, as a marked block";
    StopTask = "stop-task", "ask for the report now";
    AbortTask = "abort-task", "end it at once";
    BackgroundTask = "background-task", "move it to the background";
    DismissTask = "dismiss-task", "take a finished one off the list";
    Steer = "steer", "write to this subagent";
    AllowOnce = "allow-once", "allow this call";
    AllowAgent = "allow-agent", "allow calls like this of this agent";
    AllowSession = "allow-session", "allow calls like this in this session";
    AllowAlways = "allow-always", "allow calls like this for good";
    AlwaysProject = "always-project", "for good: in this project";
    AlwaysUser = "always-user", "for good: everywhere";
    Deny = "deny", "deny";
    DenyBecause = "deny-because", "deny and say why";
    StopAgent = "stop-agent", "deny and stop the asking agent";
    AnswerLater = "answer-later", "leave the question for later";
    StartAll = "start-all", "start all subagents";
    StartSome = "start-some", "choose which subagents start";
    StartNone = "start-none", "start no subagent";
    TrustYes = "trust-yes", "trust the project's files";
    TrustNo = "trust-no", "go on without the project's files";
    ExitWait = "exit-wait", "wait for the background tasks, then quit";
    ExitStop = "exit-stop", "stop the background tasks and quit";
}

impl Action {
    /// The action of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|a| a.name() == name)
    }
}
