//! The terminal library's events as our messages. Press and Repeat act, Release never (SPEC U6).

use super::msg::{Mouse, Msg};
use crate::config::keymap::{Key, KeyCode};
use crossterm::event::{self, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};

/// The message of an event; none for those that mean nothing to us.
#[must_use]
pub fn message(event: event::Event) -> Option<Msg> {
    match event {
        event::Event::Key(key) => self::key(&key).map(Msg::Key),
        event::Event::Paste(text) => Some(Msg::Paste(text)),
        event::Event::Resize(columns, rows) => Some(Msg::Resize(columns, rows)),
        event::Event::Mouse(m) => {
            let what = match m.kind {
                MouseEventKind::ScrollUp => Mouse::WheelUp,
                MouseEventKind::ScrollDown => Mouse::WheelDown,
                MouseEventKind::Down(MouseButton::Left) => Mouse::Press,
                MouseEventKind::Down(MouseButton::Right | MouseButton::Middle)
                | MouseEventKind::Up(_)
                | MouseEventKind::Drag(_)
                | MouseEventKind::Moved
                | MouseEventKind::ScrollLeft
                | MouseEventKind::ScrollRight => return None,
            };
            Some(Msg::Mouse(what, m.column, m.row))
        }
        event::Event::FocusGained | event::Event::FocusLost => None,
    }
}

/// A key press as ours.
#[must_use]
pub fn key(event: &KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let mut key = Key {
        code: KeyCode::Esc,
        ctrl: event.modifiers.contains(KeyModifiers::CONTROL),
        alt: event.modifiers.contains(KeyModifiers::ALT),
        shift: event.modifiers.contains(KeyModifiers::SHIFT),
    };
    key.code = match event.code {
        event::KeyCode::Char(c) => {
            // What terminals send for Ctrl with the signs of the digit row: byte 31 is known as Ctrl+_ to people.
            let c = if key.ctrl && matches!(c, '7' | '/') { '_' } else { c };
            // Capitals arrive as capitals; a plain letter with Shift comes from the newer keyboard protocol.
            if c.is_uppercase() {
                key.shift = false;
            }
            KeyCode::Char(c)
        }
        event::KeyCode::Enter => KeyCode::Enter,
        event::KeyCode::Esc => KeyCode::Esc,
        event::KeyCode::Tab => KeyCode::Tab,
        event::KeyCode::BackTab => {
            key.shift = true;
            KeyCode::Tab
        }
        event::KeyCode::Backspace => KeyCode::Backspace,
        event::KeyCode::Delete => KeyCode::Delete,
        event::KeyCode::Insert => KeyCode::Insert,
        event::KeyCode::Up => KeyCode::Up,
        event::KeyCode::Down => KeyCode::Down,
        event::KeyCode::Left => KeyCode::Left,
        event::KeyCode::Right => KeyCode::Right,
        event::KeyCode::Home => KeyCode::Home,
        event::KeyCode::End => KeyCode::End,
        event::KeyCode::PageUp => KeyCode::PageUp,
        event::KeyCode::PageDown => KeyCode::PageDown,
        event::KeyCode::F(n) => KeyCode::F(n),
        event::KeyCode::Null
        | event::KeyCode::CapsLock
        | event::KeyCode::ScrollLock
        | event::KeyCode::NumLock
        | event::KeyCode::PrintScreen
        | event::KeyCode::Pause
        | event::KeyCode::Menu
        | event::KeyCode::KeypadBegin
        | event::KeyCode::Media(_)
        | event::KeyCode::Modifier(_) => return None,
    };
    Some(key.normal())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(code: event::KeyCode, modifiers: KeyModifiers, kind: KeyEventKind) -> Option<String> {
        key(&KeyEvent::new_with_kind(code, modifiers, kind)).map(|k| k.to_string())
    }

    #[test]
    fn e08_press_and_repeat_act_and_release_never() {
        for code in [event::KeyCode::Char('x'), event::KeyCode::Enter, event::KeyCode::Backspace] {
            assert!(pressed(code, KeyModifiers::NONE, KeyEventKind::Press).is_some());
            assert!(pressed(code, KeyModifiers::NONE, KeyEventKind::Repeat).is_some());
            assert_eq!(pressed(code, KeyModifiers::NONE, KeyEventKind::Release), None);
        }
    }

    #[test]
    fn u7_both_keyboard_protocols_give_the_same_names() {
        let name = |code, modifiers| pressed(code, modifiers, KeyEventKind::Press).unwrap();
        let shift = KeyModifiers::SHIFT;
        assert_eq!(name(event::KeyCode::BackTab, shift), "shift+tab");
        assert_eq!(name(event::KeyCode::BackTab, KeyModifiers::NONE), "shift+tab");
        assert_eq!(name(event::KeyCode::Char('A'), shift), "A");
        assert_eq!(name(event::KeyCode::Char('a'), shift), "A");
        assert_eq!(name(event::KeyCode::Char('?'), shift), "?");
        assert_eq!(name(event::KeyCode::Char('b'), KeyModifiers::CONTROL), "ctrl+b");
        assert_eq!(name(event::KeyCode::Char('7'), KeyModifiers::CONTROL), "ctrl+_");
        assert_eq!(name(event::KeyCode::Enter, shift), "shift+enter");
        assert_eq!(name(event::KeyCode::Enter, KeyModifiers::ALT), "alt+enter");
    }

    #[test]
    fn a_resize_and_a_paste_arrive() {
        assert_eq!(message(event::Event::Resize(3, 4)), Some(Msg::Resize(3, 4)));
        assert_eq!(message(event::Event::Paste("x".into())), Some(Msg::Paste("x".into())));
        assert_eq!(message(event::Event::FocusLost), None);
    }
}
