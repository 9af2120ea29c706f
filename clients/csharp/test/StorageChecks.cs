using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Savepoint;

/// <summary>Checks of damaged files, and of a store that refuses writes.</summary>
internal static class StorageChecks
{
    private static readonly string[] Types = { "A", "Bäume 🚀", "C\u2028", "D", "E" };

    public static void Run(string folder, Action<string, Action> check)
    {
        check("whichever byte is changed or cut off, the rest is sent, the damage is reported once, and new events go on", () => AnyDamage(folder));
        check("JSON of another shape does not stop new events, and is reported", () => OtherShapes(folder));
        check("a store that refuses writes: all is sent, and the next run reuses no number", RefusedWrites);
        check("the id of the device and a logout survive a damaged file", Copies);
    }

    private static void AnyDamage(string folder)
    {
        var files = Filled(folder);
        var count = 0;
        foreach (var name in files.Keys)
        {
            for (var at = 0; at < files[name].Length; at++)
            {
                var flipped = (byte[])files[name].Clone();
                flipped[at] ^= (byte)(1 << (at % 8));
                CheckDamage(folder, files, name, flipped, at, at + 1);
                CheckDamage(folder, files, name, files[name].Take(at).ToArray(), at, files[name].Length);
                count++;
            }
        }
        Checks.Same(count > 500, true);
    }

    private static void CheckDamage(string folder, Dictionary<string, byte[]> files, string name, byte[] damaged, int from, int to)
    {
        var texts = files.ToDictionary(file => file.Key, file => Encoding.UTF8.GetString(file.Key == name ? damaged : file.Value));
        var store = new MemoryStore();
        store.Apply(texts);
        var errors = new List<string>();
        var queue = Open(store, errors);
        queue.Add(new[] { EventOf("New") });
        var sent = SendAll(queue);
        var what = name + " " + from + "-" + to + ": ";
        var missing = Untouched(files, name, from, to).Where(type => !sent.Any(it => it.EndsWith(EventOf(type), StringComparison.Ordinal)));
        Checks.Same(what + string.Join(",", missing), what);
        Checks.Same(what + sent.Last().EndsWith(EventOf("New"), StringComparison.Ordinal), what + "True");
        Checks.Same(what + string.Join(" ", errors), what + "storage_damaged");
        Checks.Same(what + sent.Select(NumberOf).Distinct().Count(), what + sent.Count);
        var again = new List<string>();
        Checks.Same(Open(store, again).IsEmpty(), true);
        Checks.Same(what + string.Join(" ", again), what);
    }

    /// <summary>The events whose record, from its start to its end, has none of the damaged bytes.</summary>
    private static IEnumerable<string> Untouched(Dictionary<string, byte[]> files, string name, int from, int to)
    {
        foreach (var file in files)
        {
            var end = 0;
            foreach (var line in Encoding.UTF8.GetString(file.Value).Split('\n'))
            {
                var start = end;
                end += Encoding.UTF8.GetByteCount(line) + 1;
                if (file.Key == name && from < end && to > start) continue;
                foreach (var type in Types.Where(type => line.EndsWith(EventOf(type), StringComparison.Ordinal))) yield return type;
            }
        }
    }

    private static void OtherShapes(string folder)
    {
        foreach (var text in new[] { "", "{}", "[]", "null", "5", "{\"install\":\"i\",\"next\":1,\"head\":0,\"end\":2}" })
        {
            var store = new MemoryStore();
            store.Apply(Filled(folder).ToDictionary(file => file.Key, file => text));
            var errors = new List<string>();
            var queue = Open(store, errors);
            queue.Add(Types.Select(EventOf));
            Checks.Same(SendAll(queue).Count, Types.Length);
            Checks.Same(errors.Contains("storage_damaged"), true);
        }
    }

    private static void RefusedWrites()
    {
        // Refused after each number of changes, and for good.
        for (var taken = 0; taken < 8; taken++)
        {
            var store = new FullStore { ChangesLeft = taken };
            var numbers = new List<string>();
            var events = new List<string>();
            var first = Open(store, new List<string>());
            foreach (var type in Types)
            {
                first.Add(new[] { EventOf(type), EventOf(type + " 2") });
                if (type == "A" || type == "D") Collect(first, numbers, events);
            }
            Collect(first, numbers, events);
            store.ChangesLeft = int.MaxValue;
            var next = Open(store, new List<string>());
            next.Add(Types.Select(type => EventOf("After " + type)));
            Collect(next, numbers, events);
            // An event that is sent again has the same number, and a number is never that of two events.
            var pairs = numbers.Zip(events, (number, text) => number + " " + text).Distinct().Count();
            Checks.Same(taken + ": " + numbers.Distinct().Count(), taken + ": " + pairs);
            Checks.Same(taken + ": " + events.Distinct().Count(), taken + ": " + Types.Length * 3);
            Checks.Same(taken + ": " + pairs, taken + ": " + Types.Length * 3);
        }
    }

    private static void Copies()
    {
        foreach (var name in new[] { "device", "session" })
        {
            var store = new MemoryStore();
            var errors = new List<string>();
            var keeper = new Keeper(store, "owner", error => errors.Add(error.Code));
            keeper.WriteValue(name, "\"kept\"");
            keeper.Apply(new Dictionary<string, string> { [name] = "{\"broken" });
            Checks.Same(keeper.ReadValue(name), "kept");
            Checks.Same(keeper.ReadValue(name), "kept");
            Checks.Same(string.Join(" ", errors), "storage_damaged");
        }
    }

    /// <summary>What a run leaves that has sent one event, and has three batches that wait, the first of them sent before.</summary>
    private static Dictionary<string, byte[]> Filled(string folder)
    {
        var path = Path.Combine(folder, "filled-" + RandomId.New());
        var queue = Open(new FileStore(path), new List<string>());
        queue.Add(new[] { EventOf("Sent") });
        SendAll(queue);
        queue.Add(Types.Select(EventOf));
        queue.Take();
        return Directory.GetFiles(path).ToDictionary(file => Path.GetFileNameWithoutExtension(file), File.ReadAllBytes);
    }

    private static EventQueue Open(IStore store, List<string> errors)
    {
        var options = new SavepointOptions { BatchEvents = 2 };
        return new EventQueue(new Keeper(store, "owner", error => errors.Add(error.Code)), options, dropped => { });
    }

    private static void Collect(EventQueue queue, List<string> numbers, List<string> events)
    {
        foreach (var sent in SendAll(queue))
        {
            numbers.Add(NumberOf(sent));
            events.Add(sent.Substring(NumberOf(sent).Length));
        }
    }

    /// <summary>Each as installation, number and event.</summary>
    private static List<string> SendAll(EventQueue queue)
    {
        var sent = new List<string>();
        for (var batch = queue.Take(); batch != null; batch = queue.Take())
        {
            for (var i = 0; i < batch.Events.Count; i++)
            {
                if (batch.Events[i] != "") sent.Add(batch.Install + " " + (batch.First + i) + " " + batch.Events[i]);
            }
            queue.Settle(batch, new Settlement { Accepted = batch.Events.Count });
        }
        return sent;
    }

    private static string NumberOf(string sent)
    {
        return sent.Substring(0, sent.IndexOf('{'));
    }

    private static string EventOf(string type)
    {
        return "{\"eventType\":\"" + type + "\"}";
    }

    /// <summary>Refuses writes after a number of changes.</summary>
    private sealed class FullStore : IStore
    {
        public int ChangesLeft;
        private readonly MemoryStore store = new MemoryStore();

        public string Read(string name)
        {
            return store.Read(name);
        }

        public void Apply(IReadOnlyDictionary<string, string> changes)
        {
            if (ChangesLeft-- <= 0) throw new IOException("The disk is full.");
            store.Apply(changes);
        }
    }
}
