//! `${VAR}` and `${VAR:-default}` in a configuration. Reads no environment by itself.

/// Replace the variables of a text. `${VAR:-x}` is `x` when the variable is unset or empty. What is not of these two
/// forms stays as it is; values are not expanded again.
///
/// # Errors
/// The name of a variable that is not set and has no default.
pub(super) fn expand(text: &str, env: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from)) = rest.split_once("${") {
        out.push_str(before);
        let Some((inside, after)) = from.split_once('}') else {
            out.push_str("${");
            rest = from;
            continue;
        };
        let (name, default) = inside.split_once(":-").map_or((inside, None), |(name, default)| (name, Some(default)));
        if !is_name(name) {
            out.push_str("${");
            rest = from;
            continue;
        }
        match (env(name), default) {
            (Some(value), Some(_)) if !value.is_empty() => out.push_str(&value),
            (_, Some(default)) => out.push_str(default),
            (Some(value), None) => out.push_str(&value),
            (None, None) => return Err(name.to_owned()),
        }
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_') && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::expand;

    fn env(name: &str) -> Option<String> {
        match name {
            "HOME" => Some("/people/u".into()),
            "EMPTY" => Some(String::new()),
            "NESTED" => Some("${HOME}".into()),
            _ => None,
        }
    }

    #[test]
    fn variables_are_replaced_once_and_everything_else_stays() {
        let all = [
            ("", ""),
            ("plain $HOME", "plain $HOME"),
            ("${HOME}/x${HOME}", "/people/u/x/people/u"),
            ("a${EMPTY}b", "ab"),
            ("${EMPTY:-d}${NONE:-}${NONE:-x y}", "dx y"),
            ("${HOME:-d}", "/people/u"),
            ("${NESTED}", "${HOME}"),
            ("${", "${"),
            ("${HOME", "${HOME"),
            ("${}${1A}${a b}é}", "${}${1A}${a b}é}"),
            ("${${HOME}", "${/people/u"),
        ];
        for (text, right) in all {
            assert_eq!(expand(text, &env).as_deref(), Ok(right), "{text}");
        }
    }

    #[test]
    fn an_unset_variable_is_named() {
        assert_eq!(expand("${HOME} ${TOKEN_1}", &env), Err("TOKEN_1".into()));
    }
}
