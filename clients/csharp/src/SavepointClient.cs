using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Savepoint
{
    /// <summary>
    /// A player's connection to the service. Make one for the whole game.
    ///
    /// It logs in when it first needs to, refreshes the session before it ends, and logs in again when it was ended.
    /// <see cref="Track"/> stores events on the device and sends them in batches, each exactly once, however often the network fails.
    /// Callbacks come on the thread on which the client was made, where that has a <c>SynchronizationContext</c>, as in Unity.
    /// </summary>
    /// <example><code>
    /// var savepoint = new SavepointClient(new SavepointOptions
    /// {
    ///     BaseUrl = "https://players.example.com",
    ///     SignUrl = "https://studio.example.com/sign",
    ///     Store = new FileStore(Path.Combine(Application.persistentDataPath, "savepoint")),
    /// });
    /// savepoint.Track("Level_Complete", new Dictionary&lt;string, object&gt; { ["level"] = 12, ["stars"] = 3 });
    /// var store = await savepoint.Player.StoreAsync();
    /// </code></example>
    public sealed class SavepointClient
    {
        private const int MaxEventBytes = 32768;

        private readonly object turn = new object();
        private readonly SavepointOptions options;
        private readonly SynchronizationContext context = SynchronizationContext.Current;
        private readonly ServiceClock clock;
        private readonly EventQueue queue;
        private readonly EventSender sender;
        private readonly Sessions sessions;
        private readonly Exchange exchange;
        private readonly Responses responses;
        private List<string> unsaved = new List<string>();
        private Task saving;
        private bool isClosed;

        /// <summary>Makes a client. What the last run left behind is sent at once.</summary>
        /// <exception cref="ArgumentException"><c>BaseUrl</c> is missing, or both <c>SignUrl</c> and <c>Sign</c>.</exception>
        /// <example><code>var savepoint = new SavepointClient(options);</code></example>
        public SavepointClient(SavepointOptions options)
        {
            if (string.IsNullOrEmpty(options.BaseUrl)) throw new ArgumentException("Give the address of the service as BaseUrl.");
            if (options.SignUrl == null && options.Sign == null)
                throw new ArgumentException("Give the address of your signing endpoint as SignUrl, or a function as Sign.");
            this.options = options;
            var baseUrl = options.BaseUrl.TrimEnd('/');
            clock = new ServiceClock(options.Clock);
            var keeper = new Keeper(options.Store ?? new MemoryStore(), baseUrl + "|" + options.DeviceId, OnError);
            exchange = new Exchange(baseUrl, options.Transport ?? new HttpClientTransport(), clock.Learn);
            queue = new EventQueue(keeper, options, dropped =>
            {
                foreach (var text in dropped) OnRejected(text, "storage_full", "Dropped: the storage was full.");
            });
            responses = new Responses(keeper, clock, options.Fallback, SendAsync, Tell, OnError);
            Player = new Player(responses, baseUrl);
            sessions = new Sessions(exchange, keeper, queue, clock, options, responses.KeepGrant);
            sender = new EventSender(
                queue, options.BatchSeconds * 1000, sessions.GetAsync, sessions.RenewAsync, PostAsync, OnRejected, OnError);
            Task.Run(() =>
            {
                if (!queue.IsEmpty()) sender.FlushAsync();
            });
        }

        /// <summary>What the service returns about the player.</summary>
        /// <example><code>var status = await savepoint.Player.StatusAsync();</code></example>
        public Player Player { get; private set; }

        /// <summary>
        /// Logs in, unless a session is there already. A game need not call it: every call that needs a session logs in. It brings a player back who
        /// was logged out, and returns who the player is.
        /// </summary>
        /// <example><code>var userId = (await savepoint.LoginAsync()).UserId;</code></example>
        public async Task<Identity> LoginAsync()
        {
            CheckOpen();
            var session = await sessions.LoginAsync().ConfigureAwait(false);
            sender.RetryNow();
            return new Identity
            {
                UserId = session.UserId,
                DeviceId = session.DeviceId,
                GameId = session.GameId,
                TenantId = session.TenantId,
            };
        }

        /// <summary>
        /// Ends the session on the service; with <paramref name="allDevices"/> every session of the player. Events that wait stay, and are
        /// sent after the next <see cref="LoginAsync"/>. Throws <c>network_failed</c> offline, and nothing has changed then.
        /// </summary>
        /// <example><code>await savepoint.LogoutAsync(allDevices: true);</code></example>
        public Task LogoutAsync(bool allDevices = false)
        {
            CheckOpen();
            return sessions.LogoutAsync(allDevices);
        }

        /// <summary>
        /// Erases the player: everything that the service stores about the player goes, on all devices, and nothing brings it back. Events that
        /// wait are dropped. The client is logged out then, and the next <see cref="LoginAsync"/> is a new player. Throws <c>network_failed</c>
        /// offline, and nothing has changed then. Ask the player twice before you call it.
        /// </summary>
        /// <example><code>await savepoint.DeleteAccountAsync();</code></example>
        public async Task DeleteAccountAsync()
        {
            CheckOpen();
            await sessions.DeleteAccountAsync().ConfigureAwait(false);
            await SavedAsync().ConfigureAwait(false);
            queue.Clear();
            responses.Forget();
        }

        /// <summary>
        /// Records an event. Never throws and never waits: the event is stored in the background and sent with the next batch, also after a
        /// restart. If the event is rejected, <c>OnRejected</c> is called. Payloads may have texts, numbers, booleans, times, lists and
        /// dictionaries with texts as keys. Returns the event's id.
        /// </summary>
        /// <example><code>
        /// savepoint.Track("Purchase", new Dictionary&lt;string, object&gt;
        /// {
        ///     ["transactionId"] = "GPA.3372", ["skuId"] = "gems_80", ["price"] = 0.99m, ["currency"] = "USD",
        /// });
        /// </code></example>
        public string Track(string eventType, IDictionary<string, object> payload = null, IDictionary<string, object> metadata = null)
        {
            var eventId = "";
            try
            {
                eventId = RandomId.New();
                var text = EventJson(eventId, eventType, payload, metadata);
                if (isClosed) Reject(eventType, text, "closed", "The client was closed.");
                else if (Batch.BytesOf(text) > MaxEventBytes) Reject(eventType, text, "event_too_large", "The event takes over 32 KiB.");
                else
                {
                    lock (turn) unsaved.Add(text);
                    SavedAsync();
                }
            }
            catch (Exception cause)
            {
                Reject(eventType, null, "event_unserializable", cause.Message);
            }
            return eventId;
        }

        /// <summary>
        /// Records a purchase with the receipt of the store, which the service checks: product, price and currency are those of the receipt. Call it
        /// again with the same receipt when a player restores purchases. Returns the event's id, as <see cref="Track"/> does.
        /// </summary>
        /// <example><code>savepoint.Purchase("gems_80", Receipt.Google(purchase.OriginalJson, purchase.Signature));</code></example>
        public string Purchase(string sku, Receipt receipt, string promoId = null)
        {
            var payload = new Dictionary<string, object> { ["skuId"] = sku, ["receipt"] = receipt.Members };
            if (promoId != null) payload["promoId"] = promoId;
            return Track("Purchase", payload);
        }

        /// <summary>Ends when every event tracked so far is in the storage, and so survives the end of the process.</summary>
        /// <example><code>await savepoint.SavedAsync();</code></example>
        public Task SavedAsync()
        {
            lock (turn)
            {
                if (unsaved.Count > 0 && saving == null) saving = Task.Run((Action)Save);
                return saving ?? Task.FromResult(true);
            }
        }

        /// <summary>
        /// Sends what waits now, rather than with the next batch. Ends when all is sent, or when it cannot be: then it is tried again later.
        /// Call it when the app goes to the background.
        /// </summary>
        /// <example><code>void OnApplicationPause(bool isPaused) { if (isPaused) savepoint.FlushAsync(); }</code></example>
        public async Task FlushAsync()
        {
            await SavedAsync().ConfigureAwait(false);
            await sender.FlushAsync().ConfigureAwait(false);
        }

        /// <summary>Sends what it can and stops. What could not be sent stays in the storage for the next start.</summary>
        /// <example><code>await savepoint.CloseAsync();</code></example>
        public async Task CloseAsync()
        {
            if (isClosed) return;
            await FlushAsync().ConfigureAwait(false);
            isClosed = true;
            sender.Stop();
            sessions.Stop();
        }

        private string EventJson(
            string eventId, string eventType, IDictionary<string, object> payload, IDictionary<string, object> metadata)
        {
            var merged = new Dictionary<string, object>();
            // Also here: after an update, the build that sends an event is not the one in which it happened.
            if (options.Build != null) merged["clientBuild"] = options.Build;
            foreach (var part in new[] { options.Metadata, metadata })
            {
                if (part == null) continue;
                foreach (var member in part) merged[member.Key] = member.Value;
            }
            // The type comes first: the beginning of the text decides whether the event may be dropped.
            var text = new StringBuilder("{\"eventType\":").Append(Json.Write(eventType ?? ""));
            text.Append(",\"timestamp\":").Append(Json.Write(Times.Format(clock.Device())));
            text.Append(",\"payload\":").Append(payload == null ? "{}" : Json.Write(payload));
            text.Append(",\"metadata\":").Append(Json.Write(merged));
            return text.Append(",\"eventId\":").Append(Json.Write(eventId)).Append('}').ToString();
        }

        private void Save()
        {
            for (; ; )
            {
                List<string> events;
                lock (turn)
                {
                    events = unsaved;
                    unsaved = new List<string>();
                    if (events.Count == 0)
                    {
                        saving = null;
                        return;
                    }
                }
                sender.Wake(queue.Add(events));
            }
        }

        private async Task<Reply> SendAsync(string method, string path, IDictionary<string, string> headers)
        {
            CheckOpen();
            var session = await sessions.GetAsync().ConfigureAwait(false);
            var reply = await exchange.SendAsync(method, path, With(session.Headers(), headers)).ConfigureAwait(false);
            if (reply.Status != 401) return reply;
            session = await sessions.RenewAsync(session).ConfigureAwait(false);
            return await exchange.SendAsync(method, path, With(session.Headers(), headers)).ConfigureAwait(false);
        }

        private Task<Reply> PostAsync(Session session, Batch batch)
        {
            var headers = session.Headers();
            headers["X-Install-Id"] = batch.Install;
            if (options.Build != null) headers["X-Client-Build"] = options.Build;
            return exchange.PostAsync("/v1/events", batch.Body(), headers);
        }

        private static IDictionary<string, string> With(Dictionary<string, string> headers, IDictionary<string, string> more)
        {
            foreach (var header in more) headers[header.Key] = header.Value;
            return headers;
        }

        private void OnRejected(string text, string code, string message)
        {
            Reject(Json.Text(Json.TryRead(text), "eventType"), text, code, message);
        }

        private void Reject(string eventType, string text, string code, string message)
        {
            if (options.OnRejected == null) return;
            var rejected = new RejectedEvent { EventType = eventType, EventJson = text, Code = code, Message = message };
            Tell(() => options.OnRejected(rejected));
        }

        private void OnError(SavepointException error)
        {
            if (options.OnError != null) Tell(() => options.OnError(error));
        }

        /// <summary>What a callback throws is an error of the game: Unity logs it. Without a context it would end the process.</summary>
        private void Tell(Action callback)
        {
            if (context != null)
            {
                context.Post(_ => callback(), null);
                return;
            }
            try
            {
                callback();
            }
            catch (Exception)
            {
                // See above.
            }
        }

        private void CheckOpen()
        {
            if (isClosed) throw new SavepointException("closed", "The client was closed. Make a new one.");
        }
    }
}
