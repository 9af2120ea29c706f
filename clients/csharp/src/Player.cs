using System;
using System.Threading.Tasks;

namespace Savepoint
{
    /// <summary>
    /// What the service returns about the player. Online each method asks the service, which responds with 304 where nothing has changed. Offline
    /// it returns the last good response, or a fallback. It throws only if there is neither, or if the service refuses.
    /// </summary>
    /// <example><code>
    /// savepoint.Player.StoreChanged += store => Render(store.ActiveSkus);
    /// await savepoint.Player.StoreAsync();
    /// </code></example>
    public sealed class Player
    {
        private readonly Responses responses;
        private readonly string baseUrl;

        internal Player(Responses responses, string baseUrl)
        {
            this.responses = responses;
            this.baseUrl = baseUrl;
            responses.OnChanged = (name, json) =>
            {
                if (name == "status" && StatusChanged != null) StatusChanged(new PlayerStatus(json));
                if (name == "store" && StoreChanged != null) StoreChanged(new StoreConfig(json));
            };
        }

        /// <summary>A response differs from the one before.</summary>
        /// <example><code>savepoint.Player.StatusChanged += status => banner.SetActive(!status.IsPayer.Value);</code></example>
        public event Action<PlayerStatus> StatusChanged;

        /// <summary>A response differs from the one before.</summary>
        /// <example><code>savepoint.Player.StoreChanged += store => Render(store.ActiveSkus);</code></example>
        public event Action<StoreConfig> StoreChanged;

        /// <summary>Who the player is to the studio.</summary>
        /// <example><code>var isPayer = (await savepoint.Player.StatusAsync()).IsPayer.Value;</code></example>
        public async Task<PlayerStatus> StatusAsync()
        {
            return new PlayerStatus(await responses.AskOnceAsync("status").ConfigureAwait(false));
        }

        /// <summary>What is on offer to the player.</summary>
        /// <example><code>foreach (var sku in (await savepoint.Player.StoreAsync()).ActiveSkus) AddRow(sku);</code></example>
        public async Task<StoreConfig> StoreAsync()
        {
            return new StoreConfig(await responses.AskOnceAsync("store").ConfigureAwait(false));
        }

        /// <summary>The segments that the player is in.</summary>
        /// <example><code>var ids = (await savepoint.Player.SegmentsAsync()).SegmentIds;</code></example>
        public async Task<PlayerSegments> SegmentsAsync()
        {
            return new PlayerSegments(await responses.AskOnceAsync("segments").ConfigureAwait(false));
        }

        /// <summary>What the service expects of the player.</summary>
        /// <example><code>var churn = (await savepoint.Player.PredictionsAsync()).Predictions["churn"];</code></example>
        public async Task<PlayerPredictions> PredictionsAsync()
        {
            return new PlayerPredictions(await responses.AskOnceAsync("predictions").ConfigureAwait(false));
        }

        /// <summary>The game's typed values. Wait for it once, while the game loads: from then on <c>Value</c> has them.</summary>
        /// <example><code>await savepoint.Player.ValuesAsync();</code></example>
        public async Task<PlayerValues> ValuesAsync()
        {
            return new PlayerValues(await responses.AskOnceAsync("values").ConfigureAwait(false));
        }

        /// <summary>
        /// A typed value of the game, at once: as the service last said, also offline and after a restart. <c>defaultValue</c> until then, and where
        /// the game has no value of this key and type.
        /// </summary>
        /// <example><code>var jumpHeight = savepoint.Player.Value("jump_height", 3);</code></example>
        public int Value(string key, int defaultValue)
        {
            var value = responses.Value(key);
            return value is long && (long)value >= int.MinValue && (long)value <= int.MaxValue ? (int)(long)value : defaultValue;
        }

        /// <summary>A whole number that may be larger than an <c>int</c>.</summary>
        /// <example><code>var seed = savepoint.Player.Value("seed", 0L);</code></example>
        public long Value(string key, long defaultValue)
        {
            var value = responses.Value(key);
            return value is long ? (long)value : defaultValue;
        }

        /// <summary>A number.</summary>
        /// <example><code>var speed = savepoint.Player.Value("speed", 1.5);</code></example>
        public double Value(string key, double defaultValue)
        {
            var value = responses.Value(key);
            return value is long || value is decimal || value is double ? Convert.ToDouble(value) : defaultValue;
        }

        /// <summary>A text.</summary>
        /// <example><code>var mode = savepoint.Player.Value("mode", "easy");</code></example>
        public string Value(string key, string defaultValue)
        {
            return responses.Value(key) as string ?? defaultValue;
        }

        /// <summary>A switch.</summary>
        /// <example><code>if (savepoint.Player.Value("intro", true)) ShowIntro();</code></example>
        public bool Value(string key, bool defaultValue)
        {
            var value = responses.Value(key);
            return value is bool ? (bool)value : defaultValue;
        }

        /// <summary>Any value as JSON, such as one of type json.</summary>
        /// <example><code>var start = JsonUtility.FromJson&lt;Position&gt;(savepoint.Player.ValueJson("start", "{}"));</code></example>
        public string ValueJson(string key, string defaultJson)
        {
            var value = responses.Value(key);
            return value == null ? defaultJson : Json.Write(value);
        }

        /// <summary>
        /// Everything that is stored about the player, as one JSON document, for a player who asks for it. The service gives it once an hour
        /// (<c>rate_limited</c> otherwise), and it is never kept.
        /// </summary>
        /// <example><code>File.WriteAllText(path, await savepoint.Player.ExportAsync());</code></example>
        public async Task<string> ExportAsync()
        {
            return (await responses.SendAsync("GET", "/v1/player/export").ConfigureAwait(false)).Response.Body;
        }

        /// <summary>
        /// A code with which the player can ask for erasure without the game. Show it where the player finds it before the game is removed. It
        /// stays the same, and holds for 90 days after it was last shown. Throws <c>erasure_page_off</c> if the studio has no page for it.
        /// </summary>
        /// <example><code>var shown = await savepoint.Player.ErasureCodeAsync(); label.text = shown.Code + " at " + shown.Url;</code></example>
        public async Task<ErasureCode> ErasureCodeAsync()
        {
            var reply = await responses.SendAsync("POST", "/v1/player/erasure_code").ConfigureAwait(false);
            return new ErasureCode(reply.Body, baseUrl);
        }
    }
}
