using System;
using System.Collections.Generic;
using System.Linq;
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
        /// <summary>Kept twice, because nothing can replace them.</summary>
        private static readonly string[] Twice = { "queue", "session", "device" };

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

        /// <summary>
        /// A value that <see cref="Put"/> has kept; null where there is none, or no copy of it is sound. Damage is reported once, because the
        /// value is then kept anew or removed.
        /// </summary>
        public object ReadValue(string name, out bool isDamaged)
        {
            var texts = NamesOf(name).Select(Read).ToList();
            var json = texts.Select(SoundJson).FirstOrDefault(sound => sound != null);
            // Copies are written together. Where they differ, one of them is damaged or old.
            isDamaged = texts.Any(text => text != texts[0]) || (texts[0] != null && json == null);
            if (isDamaged)
            {
                ReportDamage(name);
                WriteValue(name, json);
            }
            return json == null ? null : Json.TryRead(json);
        }

        public object ReadValue(string name)
        {
            bool isDamaged;
            return ReadValue(name, out isDamaged);
        }

        public void WriteValue(string name, string json)
        {
            var changes = new Dictionary<string, string>();
            Put(changes, name, json);
            Apply(changes);
        }

        /// <summary>Adds a value, as JSON, to changes that are to be applied. Null removes it.</summary>
        public static void Put(Dictionary<string, string> changes, string name, string json)
        {
            foreach (var copy in NamesOf(name)) changes[copy] = json == null ? null : Records.Write(json);
        }

        public void ReportDamage(string name)
        {
            onError(new SavepointException("storage_damaged", "Stored data is damaged, and was left out: " + name + "."));
        }

        /// <summary>Says whether the store has taken these changes, and all before them.</summary>
        public bool Apply(Dictionary<string, string> changes)
        {
            lock (turn)
            {
                foreach (var change in changes) unwritten[prefix + change.Key] = change.Value;
                if (unwritten.Count == 0) return true;
                try
                {
                    store.Apply(unwritten);
                    unwritten.Clear();
                    return true;
                }
                catch (Exception cause)
                {
                    onError(new SavepointException("storage_failed", "The storage could not be written; memory is used.", cause));
                    return false;
                }
            }
        }

        private static string SoundJson(string text)
        {
            bool isDamaged;
            return text == null ? null : Records.Read(text, out isDamaged).FirstOrDefault();
        }

        private static IEnumerable<string> NamesOf(string name)
        {
            return Twice.Contains(name) ? new[] { name, name + "-copy" } : new[] { name };
        }
    }
}
