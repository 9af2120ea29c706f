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

        internal Player(Responses responses)
        {
            this.responses = responses;
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
    }
}
