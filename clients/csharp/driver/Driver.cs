using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Savepoint;

/// <summary>The C# client under test: does what the runner of the conformance suite says, one JSON object a line.</summary>
internal static class Driver
{
    private static readonly object Output = new object();
    private static SavepointClient client;
    /// <summary>Counts the clients that were forgotten. What is left of them sends nothing and says nothing.</summary>
    private static volatile int life;
    private static double aheadSeconds;

    private static void Main()
    {
        for (var line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            var command = Json.Read(line);
            if (Json.Text(command, "do") == "reset")
            {
                life++;
                client = null;
                Send(new Dictionary<string, object> { ["id"] = Json.Integer(command, "id") }, life);
                continue;
            }
            // Not awaited: the next command may come before this one is done. Commands start in the order in which they came.
            var running = PerformAsync(command);
            ReplyAsync(Json.Integer(command, "id"), running, life);
        }
    }

    private static async void ReplyAsync(long id, Task<object> running, int mine)
    {
        var reply = new Dictionary<string, object> { ["id"] = id };
        try
        {
            var value = await running.ConfigureAwait(false);
            if (value != null) reply["value"] = value;
        }
        catch (Exception error)
        {
            var known = error as SavepointException;
            reply["error"] = new Dictionary<string, object>
            {
                ["code"] = known == null ? "unknown" : known.Code,
                ["message"] = known == null ? error.ToString() : error.Message,
            };
        }
        Send(reply, mine);
    }

    private static async Task<object> PerformAsync(object command)
    {
        switch (Json.Text(command, "do"))
        {
            case "hello":
                return new Dictionary<string, object> { ["client"] = "Savepoint.Client for C#", ["can"] = new[] { "clock", "account", "reset" } };
            case "create":
                Create(command);
                return null;
            case "clock":
                aheadSeconds = (double)Json.Number(command, "aheadSeconds");
                return null;
            case "track":
                return client.Track(
                    Json.Text(command, "eventType"),
                    Json.AsObject(Json.Member(command, "payload")),
                    Json.AsObject(Json.Member(command, "metadata")));
            case "login":
                return new Dictionary<string, object> { ["userId"] = (await client.LoginAsync()).UserId };
            case "saved":
                await client.SavedAsync();
                return null;
            case "flush":
                await client.FlushAsync();
                return null;
            case "logout":
                await client.LogoutAsync();
                return null;
            case "purchase":
                return client.Purchase(
                    Json.Text(command, "sku"), ReceiptOf(Json.Member(command, "receipt")), Json.Text(command, "promoId"));
            case "deleteAccount":
                await client.DeleteAccountAsync();
                return null;
            case "export":
                return Json.Read(await client.Player.ExportAsync());
            case "erasureCode":
                var shown = await client.Player.ErasureCodeAsync();
                return new Dictionary<string, object> { ["code"] = shown.Code, ["expiresAt"] = shown.ExpiresAt, ["url"] = shown.Url };
            case "close":
                await client.CloseAsync();
                return null;
            case "status":
                return Json.Read((await client.Player.StatusAsync()).JsonText);
            case "store":
                return Json.Read((await client.Player.StoreAsync()).JsonText);
            case "segments":
                return Json.Read((await client.Player.SegmentsAsync()).JsonText);
            case "predictions":
                return Json.Read((await client.Player.PredictionsAsync()).JsonText);
            case "values":
                return Json.Read((await client.Player.ValuesAsync()).JsonText);
            case "value":
                return ValueOf(Json.Text(command, "key"), Json.Member(command, "defaultValue"));
            default:
                throw new InvalidOperationException("Unknown command: " + Json.Text(command, "do"));
        }
    }

    private static object ValueOf(string key, object defaultValue)
    {
        if (defaultValue is bool) return client.Player.Value(key, (bool)defaultValue);
        if (defaultValue is string) return client.Player.Value(key, (string)defaultValue);
        if (defaultValue is long) return client.Player.Value(key, (int)(long)defaultValue);
        return client.Player.Value(key, Convert.ToDouble(defaultValue));
    }

    private static Receipt ReceiptOf(object json)
    {
        return Json.Text(json, "store") == "apple"
            ? Receipt.Apple(Json.Text(json, "signedTransaction"))
            : Receipt.Google(Json.Text(json, "purchaseData"), Json.Text(json, "signature"));
    }

    private static void Create(object command)
    {
        aheadSeconds = (double)Json.Number(command, "clockAheadSeconds");
        var mine = life;
        var batch = Json.Member(command, "batch");
        var fallback = Json.AsObject(Json.Member(command, "fallback")) ?? new Dictionary<string, object>();
        var options = new SavepointOptions
        {
            BaseUrl = Json.Text(command, "baseUrl"),
            SignUrl = Json.Text(command, "signUrl"),
            Store = new FileStore(Json.Text(command, "storage")),
            DeviceId = Json.Text(command, "deviceId"),
            Build = Json.Text(command, "build"),
            Metadata = Json.AsObject(Json.Member(command, "metadata")),
            BatchEvents = (int)Json.Integer(batch, "events"),
            BatchBytes = Json.Integer(batch, "bytes"),
            BatchSeconds = (double)Json.Number(batch, "seconds"),
            Fallback = fallback.ToDictionary(member => member.Key, member => Json.Write(member.Value)),
            Transport = new LivingTransport(mine),
            Clock = () => DateTime.UtcNow.AddSeconds(aheadSeconds),
            OnRejected = rejected => Send(new Dictionary<string, object>
            {
                ["told"] = "rejected",
                ["eventType"] = rejected.EventType,
                ["code"] = rejected.Code,
            }, mine),
            OnError = error => Send(new Dictionary<string, object>
            {
                ["told"] = "error",
                ["code"] = error.Code,
                ["message"] = error.Message + (error.InnerException == null ? "" : " " + error.InnerException.Message),
            }, mine),
        };
        var maxStoredBytes = Json.Integer(command, "maxStoredBytes");
        if (maxStoredBytes > 0) options.MaxStoredBytes = maxStoredBytes;
        client = new SavepointClient(options);
    }

    private static void Send(object message, int mine)
    {
        lock (Output)
        {
            if (mine != life) return;
            Console.WriteLine(Json.Write(message));
            Console.Out.Flush();
        }
    }

    /// <summary>Sends what the client of this life sends. A request of one that was forgotten never ends.</summary>
    private sealed class LivingTransport : ITransport
    {
        private static readonly ITransport Http = new HttpClientTransport();
        private readonly int mine;

        public LivingTransport(int mine)
        {
            this.mine = mine;
        }

        public Task<TransportResponse> SendAsync(TransportRequest request, CancellationToken cancel)
        {
            return mine == life ? Http.SendAsync(request, cancel) : new TaskCompletionSource<TransportResponse>().Task;
        }
    }
}
