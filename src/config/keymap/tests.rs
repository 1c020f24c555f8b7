//! Tests of the table of keys: complete, free of clashes, and changed by the configuration.

use super::*;
use std::collections::HashSet;

#[test]
fn u7_every_action_with_a_key_of_its_own_is_in_the_table() {
    let map = Keymap::built_in();
    // Reached by a slash command only.
    let by_command = [Action::AgentsPicker];
    for action in Action::ALL {
        let bound = Context::ALL.iter().any(|c| !map.keys(*c, *action).is_empty());
        assert!(bound != by_command.contains(action), "{}", action.name());
        assert_eq!(Action::from_name(action.name()), Some(*action));
        assert!(!action.about().is_empty());
    }
}

#[test]
fn u7_no_key_does_two_things_in_a_context() {
    let (map, warnings) = Keymap::load(&BTreeMap::new(), Path::new("x"));
    assert_eq!(warnings, []);
    for context in Context::ALL {
        let mut seen = HashSet::new();
        for (action, keys) in map.of(*context) {
            for key in keys {
                assert!(seen.insert(*key), "{key} twice in [{}], second time for {}", context.name(), action.name());
            }
        }
    }
    // What the input line binds must not hide a global key.
    let global: HashSet<Key> = map.of(Context::Global).flat_map(|(_, k)| k.iter().copied()).collect();
    for (action, keys) in map.of(Context::Composer) {
        for key in keys {
            assert!(!global.contains(key), "{key} of {} hides a global one", action.name());
        }
    }
}

#[test]
fn u7_every_ctrl_key_has_a_second_binding_without_ctrl() {
    let map = Keymap::built_in();
    for context in Context::ALL {
        for (action, keys) in map.of(*context) {
            if keys.iter().any(|k| k.ctrl) {
                assert!(keys.iter().any(|k| !k.ctrl), "{} in [{}]", action.name(), context.name());
            }
        }
    }
    assert_eq!(map.find(&[Context::Global], "f6".parse().unwrap()), Some(Action::ToBackground));
    assert_eq!(map.find(&[Context::Global], "ctrl+b".parse().unwrap()), Some(Action::ToBackground));
    assert_eq!(map.find(&[Context::Global], "f2".parse().unwrap()), Some(Action::ToggleTrace));
    assert_eq!(map.find(&[Context::Global], "f3".parse().unwrap()), Some(Action::ToggleTasks));
    assert_eq!(map.find(&[Context::Empty], "?".parse().unwrap()), Some(Action::Help));
}

#[test]
fn keys_are_read_as_they_are_written() {
    for text in ["ctrl+o", "shift+tab", "f2", "alt+enter", "a", "A", "?", "space", "pageup", "ctrl+alt+x", "alt+plus", "ctrl+_", "alt+-", "esc"] {
        assert_eq!(text.parse::<Key>().unwrap().to_string(), text);
    }
    assert_eq!("Ctrl+O".parse::<Key>(), "ctrl+o".parse());
    assert_eq!("shift+a".parse::<Key>(), "A".parse());
    for bad in ["", "ctrl+", "hyper+x", "f99", "entr"] {
        assert!(bad.parse::<Key>().is_err(), "{bad:?}");
    }
    assert_eq!("ctrl+o".parse::<Key>().unwrap().sign(), "^O");
    assert_eq!("shift+tab".parse::<Key>().unwrap().sign(), "⇧⇥");
    assert_eq!("pageup".parse::<Key>().unwrap().sign(), "pageup");
}

#[test]
fn own_keys_replace_and_take_over_and_errors_are_warnings() {
    let own = |entries: &[(&str, &[&str])]| {
        entries.iter().map(|(a, k)| ((*a).to_owned(), k.iter().map(|k| (*k).to_owned()).collect())).collect::<BTreeMap<_, Vec<_>>>()
    };
    let (map, warnings) = Keymap::load(&own(&[("toggle-trace", &["f3"])]), Path::new("c.toml"));
    assert_eq!(warnings, []);
    assert_eq!(map.find(&[Context::Global], "f3".parse().unwrap()), Some(Action::ToggleTrace));
    assert_eq!(map.find(&[Context::Global], "ctrl+o".parse().unwrap()), None);
    assert_eq!(map.keys(Context::Global, Action::ToggleTasks), ["ctrl+t".parse().unwrap()]);

    let (map, warnings) = Keymap::load(&own(&[("toggle-trce", &["f3"]), ("help", &["nokey"])]), Path::new("c.toml"));
    assert_eq!(warnings.len(), 2);
    assert!(warnings.iter().any(|w| w.message.contains("toggle-trace")), "{warnings:?}");
    assert!(warnings.iter().any(|w| w.message.contains("nokey") && w.file == Path::new("c.toml")));
    assert_eq!(map.find(&[Context::Global], "f1".parse().unwrap()), Some(Action::Help), "a bad key leaves the old ones");

    let (map, _) = Keymap::load(&own(&[("suspend", &[])]), Path::new(""));
    assert_eq!(map.find(&[Context::Global], "ctrl+z".parse().unwrap()), None, "an empty list takes the keys away");
}
