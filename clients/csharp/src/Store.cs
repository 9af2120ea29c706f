using System.Collections.Generic;

namespace Savepoint
{
    /// <summary>
    /// Where the client keeps the session, the queue of events and the last responses. It is called from one thread at a time, never from
    /// the one that calls <see cref="SavepointClient.Track"/>.
    /// </summary>
    /// <example><code>
    /// options.Store = new FileStore(Path.Combine(Application.persistentDataPath, "savepoint"));
    /// </code></example>
    public interface IStore
    {
        /// <summary>The text kept under a name; null where there is none. Names have letters, digits and hyphens.</summary>
        /// <example><code>var text = store.Read("queue");</code></example>
        string Read(string name);

        /// <summary>
        /// Keeps all of these changes or none of them, also when the process is killed in the middle. A null text removes the name.
        /// </summary>
        /// <example><code>store.Apply(new Dictionary&lt;string, string&gt; { ["a"] = "1", ["b"] = null });</code></example>
        void Apply(IReadOnlyDictionary<string, string> changes);
    }

    /// <summary>Keeps everything in memory: for tests, and where everything may be lost with the process.</summary>
    /// <example><code>options.Store = new MemoryStore();</code></example>
    public sealed class MemoryStore : IStore
    {
        private readonly Dictionary<string, string> values = new Dictionary<string, string>();

        /// <inheritdoc/>
        /// <example><code>var text = store.Read("queue");</code></example>
        public string Read(string name)
        {
            lock (values)
            {
                string value;
                return values.TryGetValue(name, out value) ? value : null;
            }
        }

        /// <inheritdoc/>
        /// <example><code>store.Apply(new Dictionary&lt;string, string&gt; { ["a"] = "1" });</code></example>
        public void Apply(IReadOnlyDictionary<string, string> changes)
        {
            lock (values)
            {
                foreach (var change in changes)
                {
                    if (change.Value == null) values.Remove(change.Key);
                    else values[change.Key] = change.Value;
                }
            }
        }
    }
}
