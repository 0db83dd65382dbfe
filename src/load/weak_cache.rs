//! [`WeakCache`]: values that others hold, shared by key.

use bevy::asset::StrongHandle;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use core::any::Any;
use core::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};

/// Values by key, as long as others hold them. Dropped ones are removed when the next is added.
#[derive(Debug)]
pub(crate) struct WeakCache<K, V>(HashMap<K, Weak<V>>);

impl<K, V> Default for WeakCache<K, V> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<K: Eq + Hash, V> WeakCache<K, V> {
    /// A value that something holds.
    pub(crate) fn get(&self, key: &K) -> Option<Arc<V>> {
        self.0.get(key).and_then(Weak::upgrade)
    }

    /// Adds or replaces a value.
    pub(crate) fn insert(&mut self, key: K, value: &Arc<V>) {
        self.remove_dropped();
        self.0.insert(key, Arc::downgrade(value));
    }

    /// Removes the entries of values that nothing holds. Call it if keys hold something that others wait for.
    pub(crate) fn remove_dropped(&mut self) {
        self.0.retain(|_, value| value.strong_count() > 0);
    }

    /// Forgets the values whose keys do not pass a filter.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&K) -> bool) {
        self.0.retain(|key, _| is_kept(key));
    }

    /// The values that something holds.
    pub(crate) fn values(&self) -> impl Iterator<Item = Arc<V>> {
        self.0.values().filter_map(Weak::upgrade)
    }
}

/// Assets, which their handles hold.
impl<K: Eq + Hash> WeakCache<K, StrongHandle> {
    /// The handle of an asset that something holds.
    pub(crate) fn handle<A: Asset>(&self, key: &K) -> Option<Handle<A>> {
        self.get(key).map(Handle::Strong)
    }

    /// Adds or replaces an asset. One with a constant ID is not added.
    pub(crate) fn insert_handle<A: Asset>(&mut self, key: K, handle: &Handle<A>) {
        if let Handle::Strong(strong) = handle {
            self.insert(key, strong);
        }
    }
}

/// A key that identifies a value by its address. While the key exists, no other value has the same address.
#[derive(Debug)]
pub(crate) struct Address(Weak<dyn Any + Send + Sync>);

impl Address {
    pub(crate) fn of<T: Any + Send + Sync>(value: &Arc<T>) -> Self {
        let value: Weak<T> = Arc::downgrade(value);
        Self(value)
    }
}

impl PartialEq for Address {
    fn eq(&self, other: &Self) -> bool {
        Weak::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Address {}

impl Hash for Address {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_ptr().cast::<()>().hash(state);
    }
}

/// Removes unused entries of a table that would grow with the next insertion. So it has at most about twice as many entries as were
/// in use at once, and each insertion takes constant time on average.
pub(crate) fn remove_unused<K: Eq + Hash, V>(
    table: &mut std::collections::HashMap<K, V>,
    is_used: impl Fn(&K, &V) -> bool,
) {
    if table.len() < table.capacity() {
        return;
    }
    table.retain(|key, value| is_used(key, value));
    // At least as many insertions precede the next call that visits all entries.
    table.reserve(table.len() + 1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::collections::HashMap;

    #[test]
    fn values_are_shared_until_they_are_dropped() {
        let mut cache = WeakCache::default();
        let one = Arc::new(1);
        cache.insert("one", &one);
        assert!(Arc::ptr_eq(&cache.get(&"one").unwrap(), &one));
        drop(one);
        assert_eq!(cache.get(&"one"), None);
        cache.insert("two", &Arc::new(2));
        assert_eq!(cache.0.len(), 1, "the dropped value was removed");
    }

    #[test]
    fn addresses_are_those_of_one_value() {
        let [one, other] = [1, 1].map(Arc::new);
        assert_eq!(Address::of(&one), Address::of(&one.clone()));
        assert_ne!(Address::of(&one), Address::of(&other));
    }

    #[test]
    fn tables_are_bounded_by_their_used_entries() {
        let mut table = HashMap::new();
        let visits = Cell::new(0_u32);
        for key in 0..10_000_u32 {
            remove_unused(&mut table, |key, ()| {
                visits.set(visits.get() + 1);
                *key < 100
            });
            table.insert(key, ());
            assert!(table.len() < 500, "{}", table.len());
        }
        assert!((0..100).all(|key| table.contains_key(&key)));
        assert!(visits.get() < 40_000, "{visits:?}");
    }
}
