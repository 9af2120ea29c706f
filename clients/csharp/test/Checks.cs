using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Threading;
using System.Threading.Tasks;
using Savepoint;

/// <summary>Checks that need no service. Prints <c>ok</c> or <c>FAILED</c> and a name a line. Its arguments are an empty
/// folder and what the compiler has taken from the comments.</summary>
internal static class Checks
{
    private static string folder;

    private static void Main(string[] args)
    {
        folder = args[0];
        Check("JSON: texts, numbers and nesting come back as they were", JsonComesBack);
        Check("JSON: half of a surrogate pair is escaped", () => Same(Json.Write("a\ud800b"), "\"a\\ud800b\""));
        Check("JSON: what is not JSON is refused", JsonRefuses);
        Check("Track never throws, for any argument", TrackNeverThrows);
        Check("a callback that throws does no harm", CallbackThrows);
        Check("a store that fails loses nothing while the process lives", StoreFails);
        Check("the file store finishes what a kill has interrupted", JournalIsApplied);
        Check("damaged files do not stop the queue", DamagedFiles);
        StorageChecks.Run(folder, Check);
        Check("another device starts an installation at once", AnotherDevice);
        Check("a login after a restart does not take the experiments away", ExperimentsStay);
        Check("every public member is documented with an example", () => DocumentedWithExample(args[1]));
        Check("callbacks come on the thread of the game", CallbacksOnContext);
    }

    private static void JsonComesBack()
    {
        const string text = "{\"a\":[1,-2.50,1e+100,true,null,\"\\u0001ü🚀\\\\\\\"\\n\"],\"b\":{\"c\":{}},\"price\":0.30}";
        var value = Json.Read(" " + text + "\n");
        Same(Json.Number(value, "price"), 0.30m);
        Same(Json.Write(Json.Read(Json.Write(value))), Json.Write(value));
        Same(Json.Items(value, "a")[5], "\u0001ü🚀\\\"\n");
        Same(Json.Write(new Dictionary<string, object> { ["f"] = 0.1f, ["d"] = 0.1, ["e"] = DayOfWeek.Friday }), "{\"f\":0.1,\"d\":0.1,\"e\":\"Friday\"}");
    }

    private static void JsonRefuses()
    {
        foreach (var text in new[] { "", "{", "[1,]", "{\"a\" 1}", "nul", "\"\\x\"", "1 2", "\"a\nb\"", "--1", new string('[', 5000) })
            Same(Json.TryRead(text), null);
    }

    private static void TrackNeverThrows()
    {
        var rejected = new List<string>();
        var client = Offline(options => options.OnRejected = it => rejected.Add(it.EventType + " " + it.Code));
        var cycle = new Dictionary<string, object>();
        cycle["self"] = cycle;
        client.Track("Cycle", cycle);
        client.Track("NaN", new Dictionary<string, object> { ["n"] = double.NaN });
        client.Track("Type", new Dictionary<string, object> { ["n"] = new object() });
        client.Track("Huge", new Dictionary<string, object> { ["text"] = new string('x', 40000) });
        client.Track(null);
        Same(string.Join(", ", rejected),
            "Cycle event_unserializable, NaN event_unserializable, Type event_unserializable, Huge event_too_large");
        client.CloseAsync().Wait();
        client.Track("Late");
        Same(rejected.Last(), "Late closed");
    }

    private static void CallbackThrows()
    {
        var client = Offline(options => options.OnRejected = it => { throw new InvalidOperationException("mine"); });
        Same(client.Track("NaN", new Dictionary<string, object> { ["n"] = double.NaN }).Length, 26);
    }

    private static void StoreFails()
    {
        var store = new FailingStore();
        var errors = new List<string>();
        var keeper = new Keeper(store, "owner", error => errors.Add(error.Code));
        store.IsFailing = true;
        keeper.Apply(new Dictionary<string, string> { ["a"] = "1" });
        Same(keeper.Read("a"), "1");
        Same(string.Join(" ", errors), "storage_failed");
        store.IsFailing = false;
        keeper.Apply(new Dictionary<string, string> { ["b"] = "2" });
        Same(string.Join(" ", store.Written), "1 2");
    }

    private static void JournalIsApplied()
    {
        var path = Path.Combine(folder, "journal");
        new FileStore(path).Apply(new Dictionary<string, string> { ["a"] = "old", ["b"] = "old" });
        File.WriteAllText(Path.Combine(path, "journal.json"), Records.Write("{\"a\":\"new\",\"b\":null}"));
        var store = new FileStore(path);
        Same(store.Read("a"), "new");
        Same(store.Read("b"), null);
        Same(File.Exists(Path.Combine(path, "journal.json")), false);
    }

    private static void DamagedFiles()
    {
        var path = Path.Combine(folder, "damaged");
        var first = QueueAt(path, null);
        first.Add(new[] { "{\"eventType\":\"A\"}" });
        foreach (var file in Directory.GetFiles(path)) File.WriteAllText(file, "{\"broken");
        var second = QueueAt(path, null);
        Same(second.IsEmpty(), true);
        second.Add(new[] { "{\"eventType\":\"B\"}" });
        Same(second.Take().Body(), "[{\"eventType\":\"B\",\"seq\":1}]");
    }

    private static void AnotherDevice()
    {
        var path = Path.Combine(folder, "identity");
        var first = QueueAt(path, "phone-1");
        first.Add(new[] { "{\"eventType\":\"A\"}" });
        var copied = QueueAt(path, "phone-2");
        copied.Add(new[] { "{\"eventType\":\"B\"}" });
        var a = copied.Take();
        copied.Settle(a, new Settlement { Accepted = 1, Duplicates = 0 });
        var b = copied.Take();
        Same(a.Install != b.Install, true);
        Same(b.Body(), "[{\"eventType\":\"B\",\"seq\":1}]");
    }

    private static void ExperimentsStay()
    {
        var store = new FileStore(Path.Combine(folder, "experiments"));
        const string arms = "[{\"experimentId\":\"first_offer\",\"variantId\":\"half\"}]";
        new Keeper(store, "owner", error => { }).WriteValue("player-values", "{\"value\":{\"playerId\":\"p\",\"values\":{},\"experiments\":" + arms + "}}");
        Same(ExperimentsAfterLogin(store, "p"), arms);
        Same(ExperimentsAfterLogin(store, "another"), "[]");
    }

    /// <summary>What is kept when a new process has logged a player in.</summary>
    private static string ExperimentsAfterLogin(IStore store, string playerId)
    {
        var keeper = new Keeper(store, "owner", error => { });
        var responses = new Responses(keeper, new ServiceClock(() => DateTime.UtcNow), null, null, told => { }, error => { });
        responses.KeepGrant(Json.Read("{\"userId\":\"" + playerId + "\",\"playerConfig\":{\"values\":{}}}"));
        return Json.Write(Json.Items(Json.Member(keeper.ReadValue("player-values"), "value"), "experiments"));
    }

    private static void CallbacksOnContext()
    {
        var context = new CountingContext();
        SynchronizationContext.SetSynchronizationContext(context);
        var client = Offline(options => options.OnRejected = it => { });
        SynchronizationContext.SetSynchronizationContext(null);
        client.Track("NaN", new Dictionary<string, object> { ["n"] = double.NaN });
        Same(context.Posted, 1);
    }

    private static void DocumentedWithExample(string path)
    {
        var comments = File.ReadAllText(path);
        var names = new List<string>();
        foreach (var type in typeof(SavepointClient).Assembly.GetExportedTypes())
        {
            names.Add("T:" + type.FullName);
            const BindingFlags own = BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;
            foreach (var member in type.GetMembers(own))
            {
                var method = member as MethodBase;
                // Accessors, and constructors that the compiler has made.
                if (method != null && (method.IsSpecialName && !method.IsConstructor || method.IsConstructor && method.GetParameters().Length == 0))
                    continue;
                var kind = method != null ? "M:" : member is EventInfo ? "E:" : "P:";
                names.Add(kind + type.FullName + "." + member.Name.Replace(".ctor", "#ctor"));
            }
        }
        Same(names.Count > 80, true);
        Same(string.Join(", ", names.Where(name => !HasExample(comments, name))), "");
    }

    private static bool HasExample(string comments, string name)
    {
        var start = comments.IndexOf("<member name=\"" + name + "(", StringComparison.Ordinal);
        if (start < 0) start = comments.IndexOf("<member name=\"" + name + "\"", StringComparison.Ordinal);
        if (start < 0) return false;
        var end = comments.IndexOf("</member>", start, StringComparison.Ordinal);
        return comments.IndexOf("<example>", start, end - start, StringComparison.Ordinal) >= 0;
    }

    private static SavepointClient Offline(Action<SavepointOptions> change)
    {
        var options = new SavepointOptions
        {
            BaseUrl = "http://service.test",
            Sign = (deviceId, timestamp) => { throw new InvalidOperationException("offline"); },
        };
        change(options);
        return new SavepointClient(options);
    }

    private static EventQueue QueueAt(string path, string identity)
    {
        var options = new SavepointOptions { StorageIdentity = identity };
        return new EventQueue(new Keeper(new FileStore(path), "owner", error => { }), options, dropped => { });
    }

    private static void Check(string name, Action check)
    {
        try
        {
            check();
            Console.WriteLine("ok " + name);
        }
        catch (Exception error)
        {
            Console.WriteLine("FAILED " + name + ": " + error.Message.Replace('\n', ' '));
        }
    }

    internal static void Same(object actual, object expected)
    {
        if (!Equals(actual, expected)) throw new InvalidOperationException("expected " + expected + ", got " + actual);
    }

    private sealed class FailingStore : IStore
    {
        public bool IsFailing;
        public List<string> Written = new List<string>();

        public string Read(string name)
        {
            return null;
        }

        public void Apply(IReadOnlyDictionary<string, string> changes)
        {
            if (IsFailing) throw new IOException("The disk is full.");
            Written.AddRange(changes.OrderBy(change => change.Key).Select(change => change.Value));
        }
    }

    private sealed class CountingContext : SynchronizationContext
    {
        public int Posted;

        public override void Post(SendOrPostCallback callback, object state)
        {
            Posted++;
        }
    }
}
