using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

namespace Savepoint
{
    /// <summary>Requests the player's data, keeps the last good responses, and returns those while there are no newer ones.</summary>
    internal sealed class Responses
    {
        /// <summary>How long a response may be shown offline, unless the response says it.</summary>
        private const long StaleMs = 86400000;

        private static readonly Dictionary<string, string> Paths = new Dictionary<string, string>
        {
            ["status"] = "/v1/player/status",
            ["store"] = "/v1/player/store_configs",
            ["segments"] = "/v1/player/segments",
            ["predictions"] = "/v1/player/predictions",
            ["values"] = "/v1/player/values",
        };

        /// <summary>What the service says beside an average that it gives in place of a model's value.</summary>
        private static readonly Dictionary<string, object> Average = new Dictionary<string, object>
        {
            ["percentile"] = null,
            ["band"] = null,
            ["state"] = "degraded",
        };

        private readonly object turn = new object();
        private readonly Keeper keeper;
        private readonly ServiceClock clock;
        private readonly IDictionary<string, string> fallback;
        private readonly Func<string, string, IDictionary<string, string>, Task<Reply>> send;
        private readonly Action<Action> tell;
        private readonly Action<SavepointException> onError;
        private readonly Dictionary<string, Task<object>> asking = new Dictionary<string, Task<object>>();
        private readonly Dictionary<string, string> told = new Dictionary<string, string>();
        private object values;
        private List<object> experiments = new List<object>();
        private bool isAskedForValues;

        /// <summary>Is called with the name and the response when the response differs from the one before.</summary>
        public Action<string, object> OnChanged = (name, json) => { };

        public Responses(
            Keeper keeper,
            ServiceClock clock,
            IDictionary<string, string> fallback,
            Func<string, string, IDictionary<string, string>, Task<Reply>> send,
            Action<Action> tell,
            Action<SavepointException> onError)
        {
            this.keeper = keeper;
            this.clock = clock;
            this.fallback = fallback ?? new Dictionary<string, string>();
            this.send = send;
            this.tell = tell;
            this.onError = onError;
        }

        /// <summary>One request at a time for each name, however many callers wait for it.</summary>
        public Task<object> AskOnceAsync(string name)
        {
            lock (turn)
            {
                Task<object> running;
                if (asking.TryGetValue(name, out running)) return running;
                running = Task.Run(async () =>
                {
                    try
                    {
                        return await AskAsync(name).ConfigureAwait(false);
                    }
                    finally
                    {
                        lock (turn) asking.Remove(name);
                    }
                });
                asking[name] = running;
                return running;
            }
        }

        /// <summary>Keeps what a login or refresh has brought.</summary>
        public void KeepGrant(object grant)
        {
            var config = Json.Member(grant, "playerConfig");
            foreach (var pair in new[] { new[] { "status", "playerStatus" }, new[] { "store", "storeConfig" } })
            {
                var value = Json.AsObject(Json.Member(config, pair[1]));
                if (value == null) continue;
                Keep(pair[0], value, null, StaleMs);
                Tell(pair[0], value);
            }
            var granted = Json.AsObject(Json.Member(config, "values"));
            if (granted == null) return;
            var values = new Dictionary<string, object>
            {
                ["playerId"] = Json.Text(grant, "userId"),
                ["asOf"] = Times.Format(clock.Service()),
                ["values"] = granted,
                // A grant has none: those that were last told stay.
                ["experiments"] = KnownExperiments(Json.Text(grant, "userId")),
            };
            Keep("values", values, null, StaleMs);
            Tell("values", values);
        }

        /// <summary>The typed value of a key as the service last said; null where there is none. The first call asks for values if nobody has.</summary>
        public object Value(string key)
        {
            lock (turn)
            {
                if (told.ContainsKey("values")) return Json.Member(values, key);
                if (isAskedForValues) return null;
                // Once: a game may ask for values in each frame.
                isAskedForValues = true;
            }
            // What goes wrong is reported as an error of the client.
            AskOnceAsync("values").ContinueWith(asked => asked.Exception, TaskContinuationOptions.OnlyOnFaulted);
            return null;
        }

        /// <summary>Sends a request whose response is never kept.</summary>
        public async Task<Reply> SendAsync(string method, string path)
        {
            var reply = await send(method, path, new Dictionary<string, string>()).ConfigureAwait(false);
            if (reply.Status != 200 || Json.AsObject(reply.Body) == null) throw reply.ToError();
            return reply;
        }

        /// <summary>Forgets all responses: they were about a player who is gone.</summary>
        public void Forget()
        {
            foreach (var name in Paths.Keys) keeper.WriteValue("player-" + name, null);
            lock (turn)
            {
                told.Clear();
                experiments = new List<object>();
            }
        }

        /// <summary>Those that were last told, or after a restart those that an earlier run has kept of the same player.</summary>
        private List<object> KnownExperiments(string playerId)
        {
            lock (turn)
            {
                if (told.ContainsKey("values")) return experiments;
            }
            var kept = Json.Member(keeper.ReadValue("player-values"), "value");
            return Json.Text(kept, "playerId") == playerId ? Json.Items(kept, "experiments") : new List<object>();
        }

        private async Task<object> AskAsync(string name)
        {
            var kept = keeper.ReadValue("player-" + name);
            var headers = new Dictionary<string, string>();
            if (Json.Text(kept, "etag") != null) headers["If-None-Match"] = Json.Text(kept, "etag");
            SavepointException error;
            try
            {
                var reply = await send("GET", Paths[name], headers).ConfigureAwait(false);
                var value = reply.Status == 304 ? Json.Member(kept, "value") : reply.Status == 200 ? reply.Body : null;
                if (Json.AsObject(value) != null)
                {
                    Keep(name, value, reply.Response.Header("etag"), StaleIfErrorMs(reply));
                    return Tell(name, value);
                }
                error = reply.ToError();
            }
            catch (SavepointException failure)
            {
                error = failure;
            }
            var isTemporary = new[] { 0, 200, 401, 408, 429 }.Contains(error.Status) || error.Status >= 500;
            // A refusal is not an outage.
            if (!isTemporary || error.Code == "logged_out" || error.Code == "closed") throw error;
            onError(error);
            return Offline(name, kept, error);
        }

        private object Offline(string name, object kept, SavepointException error)
        {
            var value = Json.Member(kept, "value");
            if (value != null && (name != "store" || clock.Device() < Json.Integer(kept, "staleAt"))) return Tell(name, value);
            string shipped;
            var other = (name == "store" ? Untargeted(value) : null)
                ?? (fallback.TryGetValue(name, out shipped) ? Json.TryRead(shipped) : null)
                ?? value;
            if (Json.AsObject(other) == null) throw error;
            return Tell(name, other);
        }

        private void Keep(string name, object value, string etag, long staleMs)
        {
            keeper.WriteValue("player-" + name, Json.Write(new Dictionary<string, object>
            {
                ["value"] = value,
                ["etag"] = etag,
                ["staleAt"] = clock.Device() + staleMs,
            }));
        }

        private object Tell(string name, object value)
        {
            var response = Current(value);
            // Without the instant (`asOf`), which differs in every response.
            var text = Json.Write(new Dictionary<string, object>(Json.AsObject(response)) { ["asOf"] = 0 });
            lock (turn)
            {
                if (name == "values")
                {
                    values = Json.Member(response, "values");
                    experiments = Json.Items(response, "experiments");
                }
                string before;
                if (told.TryGetValue(name, out before) && before == text) return response;
                told[name] = text;
            }
            tell(() => OnChanged(name, response));
            return response;
        }

        private static long StaleIfErrorMs(Reply reply)
        {
            var match = Regex.Match(reply.Response.Header("cache-control") ?? "", "stale-if-error=(\\d{1,9})");
            return match.Success ? long.Parse(match.Groups[1].Value) * 1000 : StaleMs;
        }

        /// <summary>The studio's store without targeting, for offline play.</summary>
        private static object Untargeted(object store)
        {
            var config = Json.AsObject(Json.Member(store, "fallbackConfig"));
            if (config == null) return null;
            return new Dictionary<string, object>
            {
                ["activeSkus"] = Json.Member(config, "activeSkus"),
                ["lastUpdatedTimestamp"] = Json.Member(config, "lastUpdatedTimestamp"),
                ["userSpecificPromoId"] = null,
                ["fallbackConfig"] = config,
            };
        }

        /// <summary>Flags and predictions that have expired have their default value.</summary>
        private object Current(object value)
        {
            var members = Json.AsObject(value);
            if (members.ContainsKey("isPayer")) return Expire(members, new Dictionary<string, object>());
            var predictions = Json.AsObject(Json.Member(value, "predictions"));
            if (predictions == null) return value;
            return new Dictionary<string, object>(members) { ["predictions"] = Expire(predictions, Average) };
        }

        private Dictionary<string, object> Expire(Dictionary<string, object> members, Dictionary<string, object> rest)
        {
            var now = clock.Service();
            return members.ToDictionary(member => member.Key, member =>
            {
                var end = Times.Parse(Json.Text(member.Value, "expiredAt"));
                if (end == null || end > now) return member.Value;
                var expired = new Dictionary<string, object>(Json.AsObject(member.Value));
                expired["value"] = Json.Member(member.Value, "defaultValue");
                foreach (var pair in rest) expired[pair.Key] = pair.Value;
                return expired;
            });
        }
    }
}
