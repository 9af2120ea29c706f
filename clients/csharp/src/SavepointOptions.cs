using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Savepoint
{
    /// <summary>
    /// What a <see cref="SavepointClient"/> is made with. Needed are <see cref="BaseUrl"/>, <see cref="SignUrl"/> or <see cref="Sign"/>,
    /// and <see cref="Store"/>.
    /// </summary>
    /// <example><code>
    /// var options = new SavepointOptions
    /// {
    ///     BaseUrl = "https://players.example.com",
    ///     SignUrl = "https://studio.example.com/sign",
    ///     Store = new FileStore(Path.Combine(Application.persistentDataPath, "savepoint")),
    ///     StorageIdentity = SystemInfo.deviceUniqueIdentifier,
    ///     Build = Application.version,
    ///     OnRejected = rejected => Debug.LogWarning(rejected.EventType + " " + rejected.Code + " " + rejected.Message),
    /// };
    /// </code></example>
    public sealed class SavepointOptions
    {
        /// <summary>Address of the service, without a path of an endpoint.</summary>
        /// <example><code>options.BaseUrl = "https://players.example.com";</code></example>
        public string BaseUrl { get; set; }

        /// <summary>Address of the studio's signing endpoint, as <c>@savepoint/client/server</c> makes it.</summary>
        /// <example><code>options.SignUrl = "https://studio.example.com/sign";</code></example>
        public string SignUrl { get; set; }

        /// <summary>
        /// Gets a login signed, instead of <see cref="SignUrl"/>. The secret must not ship in a game. The second argument is the time of
        /// the service, as far as it is known, else null.
        /// </summary>
        /// <example><code>options.Sign = (deviceId, timestamp) => MyBackend.SignAsync(deviceId, timestamp);</code></example>
        public Func<string, string, Task<SignedLogin>> Sign { get; set; }

        /// <summary>Names the device; the same device is always the same player. Made and kept by the client if left out.</summary>
        /// <example><code>options.DeviceId = account.Id;</code></example>
        public string DeviceId { get; set; }

        /// <summary>Where everything is kept. Without one it is gone with the process.</summary>
        /// <example><code>options.Store = new FileStore(Path.Combine(Application.persistentDataPath, "savepoint"));</code></example>
        public IStore Store { get; set; } = new MemoryStore();

        /// <summary>
        /// Names the device on which the storage is. If a backup is restored on another device, it is noticed at once, before any event is
        /// numbered. Leave it out where the platform has no such name.
        /// </summary>
        /// <example><code>options.StorageIdentity = SystemInfo.deviceUniqueIdentifier;</code></example>
        public string StorageIdentity { get; set; }

        /// <summary>How requests are sent. Default: <c>HttpClient</c>.</summary>
        /// <example><code>options.Transport = new UnityTransport();</code></example>
        public ITransport Transport { get; set; }

        /// <summary>
        /// Version of the game. The studio sees which builds lose events or send bad ones, and its players and revenue by build: it goes
        /// into the metadata of every event as <c>clientBuild</c>. At most 64 characters.
        /// </summary>
        /// <example><code>options.Build = Application.version;</code></example>
        public string Build { get; set; }

        /// <summary>
        /// Device data that goes into the metadata of every event. <c>osName</c> is the platform in the studio's numbers, those of lost
        /// events too.
        /// </summary>
        /// <example><code>options.Metadata = new Dictionary&lt;string, object&gt; { ["osName"] = "Android" };</code></example>
        public IDictionary<string, object> Metadata { get; set; } = new Dictionary<string, object>();

        /// <summary>A batch is sent when it has this many events.</summary>
        /// <example><code>options.BatchEvents = 100;</code></example>
        public int BatchEvents { get; set; } = 50;

        /// <summary>A batch is sent when it has this many bytes.</summary>
        /// <example><code>options.BatchBytes = 30000;</code></example>
        public long BatchBytes { get; set; } = 60000;

        /// <summary>A batch is sent after this many seconds.</summary>
        /// <example><code>options.BatchSeconds = 10;</code></example>
        public double BatchSeconds { get; set; } = 5;

        /// <summary>
        /// How much may wait to be sent. When it is full, the oldest <c>Ad_Impression</c> events are dropped first, then the oldest others.
        /// <c>Purchase</c> and <c>Refund</c> are never dropped.
        /// </summary>
        /// <example><code>options.MaxStoredBytes = 8 * 1024 * 1024;</code></example>
        public long MaxStoredBytes { get; set; } = 2097152;

        /// <summary>
        /// What reads return without a network before the first response, as JSON, by name: <c>status</c>, <c>store</c>,
        /// <c>segments</c>, <c>predictions</c>. Ship it with the game.
        /// </summary>
        /// <example><code>options.Fallback["store"] = Resources.Load&lt;TextAsset&gt;("store").text;</code></example>
        public IDictionary<string, string> Fallback { get; set; } = new Dictionary<string, string>();

        /// <summary>Is called with each event that was not taken.</summary>
        /// <example><code>options.OnRejected = rejected => Debug.LogWarning(rejected.Code);</code></example>
        public Action<RejectedEvent> OnRejected { get; set; }

        /// <summary>Is called with failures that the client handles itself, for a log.</summary>
        /// <example><code>options.OnError = error => Debug.Log(error.Code);</code></example>
        public Action<SavepointException> OnError { get; set; }

        /// <summary>The clock of the device, for tests. Default: <c>DateTime.UtcNow</c>.</summary>
        /// <example><code>options.Clock = () => DateTime.UtcNow.AddDays(400);</code></example>
        public Func<DateTime> Clock { get; set; }
    }

    /// <summary>A signed login, as the studio's server makes it.</summary>
    /// <example><code>return new SignedLogin { ApiKey = key, DeviceId = deviceId, Timestamp = timestamp, Signature = signature };</code></example>
    public sealed class SignedLogin
    {
        /// <summary>API key of the studio.</summary>
        /// <example><code>login.ApiKey = "dev-key";</code></example>
        public string ApiKey { get; set; }

        /// <summary>The device that logs in.</summary>
        /// <example><code>login.DeviceId = deviceId;</code></example>
        public string DeviceId { get; set; }

        /// <summary>UTC, as <c>YYYY-MM-DDThh:mm:ssZ</c>.</summary>
        /// <example><code>login.Timestamp = "2026-11-16T12:00:00Z";</code></example>
        public string Timestamp { get; set; }

        /// <summary>Base64 of HMAC-SHA256 over <c>apiKey|deviceId|timestamp</c>.</summary>
        /// <example><code>login.Signature = Convert.ToBase64String(hmac.ComputeHash(bytes));</code></example>
        public string Signature { get; set; }
    }

    /// <summary>An event that the service, or the client, did not take. It will not be sent again.</summary>
    /// <example><code>options.OnRejected = rejected => Debug.LogWarning(rejected.Code + " " + rejected.EventJson);</code></example>
    public sealed class RejectedEvent
    {
        /// <summary>Its type.</summary>
        /// <example><code>if (rejected.EventType == "Purchase") Alarm(rejected);</code></example>
        public string EventType { get; internal set; }

        /// <summary>As it would have been sent; null where it cannot be written as JSON.</summary>
        /// <example><code>Debug.Log(rejected.EventJson);</code></example>
        public string EventJson { get; internal set; }

        /// <summary>A code of the service, or <c>event_unserializable</c>, <c>event_too_large</c>, <c>storage_full</c>, <c>closed</c>.</summary>
        /// <example><code>if (rejected.Code == "storage_full") return;</code></example>
        public string Code { get; internal set; }

        /// <summary>A sentence for people.</summary>
        /// <example><code>Debug.LogWarning(rejected.Message);</code></example>
        public string Message { get; internal set; }
    }

    /// <summary>Who is logged in.</summary>
    /// <example><code>var who = await savepoint.LoginAsync();</code></example>
    public sealed class Identity
    {
        /// <summary>The player.</summary>
        /// <example><code>leaderboard.Add(who.UserId);</code></example>
        public string UserId { get; internal set; }

        /// <summary>The device.</summary>
        /// <example><code>Debug.Log(who.DeviceId);</code></example>
        public string DeviceId { get; internal set; }

        /// <summary>The game.</summary>
        /// <example><code>Debug.Log(who.GameId);</code></example>
        public string GameId { get; internal set; }

        /// <summary>The studio.</summary>
        /// <example><code>Debug.Log(who.TenantId);</code></example>
        public string TenantId { get; internal set; }
    }
}
