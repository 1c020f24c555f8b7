//! Budgets in tokens, cost and seconds (SPEC S16). Pure arithmetic.
//!
//! A pool has limits, what was spent and what is reserved for children with a budget of their own. Children without
//! one draw from their parent's pool directly.

use crate::protocol::Budget;

/// Amounts in the three currencies.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Amount {
    /// Input (cached too) plus output tokens.
    pub tokens: u64,
    /// US dollars.
    pub cost_usd: f64,
    /// Seconds of work.
    pub seconds: f64,
}

/// A budget and its use.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Pool {
    /// None of its fields set means unlimited.
    pub limit: Budget,
    /// Used so far.
    pub spent: Amount,
    /// Set aside for running children.
    pub reserved: Amount,
}

/// Told at this part of the budget.
pub const WARN_AT: f64 = 0.8;

impl Pool {
    /// A fresh pool.
    #[must_use]
    pub fn new(limit: Budget) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Whether it limits anything.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.limit.tokens.is_some() || self.limit.cost_usd.is_some() || self.limit.seconds.is_some()
    }

    /// The largest used part of any limit; 0 when unlimited. 1 or more means used up.
    #[must_use]
    pub fn used(&self) -> f64 {
        let part = |spent: f64, limit: Option<f64>| limit.map_or(0.0, |l| if l <= 0.0 { 1.0 } else { spent / l });
        part(as_f64(self.spent.tokens), self.limit.tokens.map(as_f64))
            .max(part(self.spent.cost_usd, self.limit.cost_usd))
            .max(part(self.spent.seconds, self.limit.seconds))
    }

    /// What is left beside reservations; None in a field means unlimited.
    #[must_use]
    pub fn left(&self) -> Budget {
        let money = |limit: Option<f64>, spent: f64, reserved: f64| limit.map(|l| (l - spent - reserved).max(0.0));
        Budget {
            tokens: self.limit.tokens.map(|l| l.saturating_sub(self.spent.tokens).saturating_sub(self.reserved.tokens)),
            cost_usd: money(self.limit.cost_usd, self.spent.cost_usd, self.reserved.cost_usd),
            seconds: money(self.limit.seconds, self.spent.seconds, self.reserved.seconds),
        }
    }

    /// Whether nothing is left in some currency.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let left = self.left();
        left.tokens == Some(0) || left.cost_usd.is_some_and(|c| c <= 0.0) || left.seconds.is_some_and(|s| s <= 0.0)
    }

    /// Set aside what a child wants, cut to what is left. None when nothing is left.
    pub fn reserve(&mut self, want: Budget) -> Option<Budget> {
        if self.is_empty() {
            return None;
        }
        let left = self.left();
        let min = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, None) => a,
            (None, _) => None,
        };
        let given = Budget {
            tokens: want.tokens.map(|w| left.tokens.map_or(w, |l| w.min(l))),
            cost_usd: min(want.cost_usd, left.cost_usd),
            seconds: min(want.seconds, left.seconds),
        };
        self.reserved.tokens += given.tokens.unwrap_or(0);
        self.reserved.cost_usd += given.cost_usd.unwrap_or(0.0);
        // Seconds run beside each other: nothing is set aside for them.
        Some(given)
    }

    /// Give back a reservation and charge what was really used.
    pub fn settle(&mut self, given: Budget, spent: Amount) {
        self.reserved.tokens = self.reserved.tokens.saturating_sub(given.tokens.unwrap_or(0));
        self.reserved.cost_usd = (self.reserved.cost_usd - given.cost_usd.unwrap_or(0.0)).max(0.0);
        self.charge(spent);
    }

    /// Charge tokens and cost.
    pub fn charge(&mut self, spent: Amount) {
        self.spent.tokens = self.spent.tokens.saturating_add(spent.tokens);
        self.spent.cost_usd += spent.cost_usd;
    }
}

#[allow(clippy::cast_precision_loss)] // Token counts stay far below 2^52.
fn as_f64(n: u64) -> f64 {
    n as f64
}

/// What a child is told at 80 %.
#[must_use]
pub fn warning(pool: &Pool) -> String {
    let mut left = Vec::new();
    let l = pool.left();
    if let Some(t) = l.tokens {
        left.push(format!("{t} tokens"));
    }
    if let Some(c) = l.cost_usd {
        left.push(format!("${c:.4}"));
    }
    if let Some(s) = l.seconds {
        left.push(format!("{s:.0} seconds"));
    }
    format!("More than 80 % of your budget is used; left: {}. Finish what matters most and report soon.", left.join(", "))
}

/// What is said with the last request, at 100 %.
pub const USED_UP: &str =
    "Your budget is used up. This is your last request, without tools: give the complete report of what you have found so far, and say what is missing.";

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(n: u64) -> Budget {
        Budget { tokens: Some(n), ..Budget::default() }
    }

    #[test]
    fn s16_reservations_come_back_and_use_is_charged() {
        let mut pool = Pool::new(tokens(1000));
        let a = pool.reserve(tokens(600)).unwrap();
        assert_eq!(a.tokens, Some(600));
        let b = pool.reserve(tokens(600)).unwrap();
        assert_eq!(b.tokens, Some(400), "cut to what is left");
        assert!(pool.reserve(tokens(1)).is_none(), "zero left means refused");
        pool.settle(a, Amount { tokens: 100, ..Amount::default() });
        assert_eq!(pool.left().tokens, Some(500));
        pool.settle(b, Amount { tokens: 900, ..Amount::default() });
        assert_eq!(pool.left().tokens, Some(0));
        assert!(pool.used() >= 1.0);
    }

    #[test]
    fn s16_unlimited_is_never_used_up() {
        let mut pool = Pool::default();
        pool.charge(Amount { tokens: u64::MAX, cost_usd: 1e9, seconds: 1e9 });
        assert!(pool.used() == 0.0 && !pool.is_empty() && !pool.is_limited());
        assert_eq!(pool.reserve(tokens(7)).unwrap().tokens, Some(7));
    }

    #[test]
    fn s16_a_zero_budget_is_used_up_at_once() {
        assert!(Pool::new(tokens(0)).used() >= 1.0);
        assert!(Pool::new(Budget { cost_usd: Some(0.0), ..Budget::default() }).is_empty());
    }
}
