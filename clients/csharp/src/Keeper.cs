using System;
using System.Collections.Generic;
using System.Security.Cryptography;
using System.Text;

namespace Savepoint
{
    /// <summary>
    /// The store, under separate names for each service and device. A store that fails must not stop the game: what could not
    /// be written stays in memory, and is written with the next change.
    /// </summary>
    internal sealed class Keeper
    {
        private readonly object turn = new object();
        private readonly IStore store;
        private readonly string prefix;
        private readonly Action<SavepointException> onError;
        private readonly Dictionary<string, string> unwritten = new Dictionary<string, string>();

        public Keeper(IStore store, string owner, Action<SavepointException> onError)
        {
            this.store = store;
            this.onError = onError;
            using (var hash = SHA256.Create())
            {
                var bytes = hash.ComputeHash(Encoding.UTF8.GetBytes(owner));
                prefix = BitConverter.ToString(bytes, 0, 6).Replace("-", "").ToLowerInvariant() + "-";
            }
        }

        public string Read(string name)
        {
            lock (turn)
            {
                string value;
                if (unwritten.TryGetValue(prefix + name, out value)) return value;
                try
                {
                    return store.Read(prefix + name);
                }
                catch (Exception cause)
                {
                    onError(new SavepointException("storage_failed", "The storage could not be read.", cause));
                    return null;
                }
            }
        }

        public void Write(string name, string text)
        {
            Apply(new Dictionary<string, string> { [name] = text });
        }

        public void Apply(Dictionary<string, string> changes)
        {
            lock (turn)
            {
                foreach (var change in changes) unwritten[prefix + change.Key] = change.Value;
                if (unwritten.Count == 0) return;
                try
                {
                    store.Apply(unwritten);
                    unwritten.Clear();
                }
                catch (Exception cause)
                {
                    onError(new SavepointException("storage_failed", "The storage could not be written; memory is used.", cause));
                }
            }
        }
    }
}
