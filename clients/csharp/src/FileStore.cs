using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;

namespace Savepoint
{
    /// <summary>Keeps everything as files of a folder, which survive a killed process. One process at a time.</summary>
    /// <example><code>
    /// options.Store = new FileStore(Path.Combine(Application.persistentDataPath, "savepoint"));
    /// </code></example>
    public sealed class FileStore : IStore
    {
        /// <summary>Changes that are being applied; after a crash the next start applies them again.</summary>
        private const string Journal = "journal";

        private static readonly Encoding Utf8 = new UTF8Encoding(false);
        private readonly object turn = new object();
        private readonly string folder;
        private bool isOpen;

        /// <summary>Uses <paramref name="folder"/>, and makes it if it is not there.</summary>
        /// <example><code>var store = new FileStore("player-data");</code></example>
        public FileStore(string folder)
        {
            this.folder = folder;
        }

        /// <inheritdoc/>
        /// <example><code>var text = store.Read("queue");</code></example>
        public string Read(string name)
        {
            lock (turn)
            {
                Open();
                return ReadFile(name);
            }
        }

        /// <inheritdoc/>
        /// <example><code>store.Apply(new Dictionary&lt;string, string&gt; { ["a"] = "1" });</code></example>
        public void Apply(IReadOnlyDictionary<string, string> changes)
        {
            lock (turn)
            {
                Open();
                if (changes.Count == 1)
                {
                    ApplyFiles(changes);
                    return;
                }
                WriteFile(Journal, Records.Write(Json.Write(changes)));
                // The changes count from here on, whatever fails: the next call reads the journal, and applies it.
                isOpen = false;
                try
                {
                    Open();
                }
                catch (IOException)
                {
                    // See above.
                }
                catch (UnauthorizedAccessException)
                {
                    // See above.
                }
            }
        }

        private void Open()
        {
            if (isOpen) return;
            Directory.CreateDirectory(folder);
            var text = ReadFile(Journal);
            bool isDamaged;
            // A damaged journal counts for nothing: its changes were never reported as kept. The queue notices if a part of them was applied.
            var json = text == null ? null : Records.Read(text, out isDamaged).FirstOrDefault();
            if (json != null)
            {
                var journal = Json.AsObject(Json.TryRead(json));
                var changes = new Dictionary<string, string>();
                foreach (var change in journal) changes[change.Key] = change.Value as string;
                ApplyFiles(changes);
                File.Delete(PathOf(Journal));
            }
            isOpen = true;
        }

        private void ApplyFiles(IReadOnlyDictionary<string, string> changes)
        {
            foreach (var change in changes)
            {
                if (change.Value == null) File.Delete(PathOf(change.Key));
                else WriteFile(change.Key, change.Value);
            }
        }

        private string ReadFile(string name)
        {
            var path = PathOf(name);
            return File.Exists(path) ? File.ReadAllText(path, Utf8) : null;
        }

        /// <summary>Moved into place as a whole: a reader finds the old text or the new one.</summary>
        private void WriteFile(string name, string text)
        {
            var path = PathOf(name);
            using (var file = new FileStream(path + ".new", FileMode.Create, FileAccess.Write))
            {
                var bytes = Utf8.GetBytes(text);
                file.Write(bytes, 0, bytes.Length);
                file.Flush(true);
            }
            if (File.Exists(path)) File.Replace(path + ".new", path, null);
            else File.Move(path + ".new", path);
        }

        private string PathOf(string name)
        {
            return Path.Combine(folder, name + ".json");
        }
    }
}
