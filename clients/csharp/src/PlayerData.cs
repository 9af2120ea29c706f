using System.Collections.Generic;
using System.Linq;

namespace Savepoint
{
    /// <summary>A flag of the player. Once it has expired, the client gives the default value, also offline.</summary>
    /// <example><code>if (!status.IsPayer.Value) ShowBanner();</code></example>
    public sealed class Flag
    {
        internal Flag(object json)
        {
            Value = Json.Flag(json, "value");
            DefaultValue = Json.Flag(json, "defaultValue");
            ExpiredAt = Json.Text(json, "expiredAt");
        }

        /// <summary>Whether it holds.</summary>
        /// <example><code>if (flag.Value) Unlock();</code></example>
        public bool Value { get; private set; }

        /// <summary>What holds when it has expired.</summary>
        /// <example><code>var usual = flag.DefaultValue;</code></example>
        public bool DefaultValue { get; private set; }

        /// <summary>When it ends, as ISO 8601 in UTC; null where it does not.</summary>
        /// <example><code>if (flag.ExpiredAt != null) ShowUntil(flag.ExpiredAt);</code></example>
        public string ExpiredAt { get; private set; }
    }

    /// <summary>Who the player is to the studio.</summary>
    /// <example><code>PlayerStatus status = await savepoint.Player.StatusAsync();</code></example>
    public sealed class PlayerStatus
    {
        internal PlayerStatus(object json)
        {
            JsonText = Json.Write(json);
            Flags = Json.AsObject(json).ToDictionary(member => member.Key, member => new Flag(member.Value));
        }

        /// <summary>Whether the player has paid.</summary>
        /// <example><code>var isPayer = status.IsPayer.Value;</code></example>
        public Flag IsPayer
        {
            get { return Flags.ContainsKey("isPayer") ? Flags["isPayer"] : new Flag(null); }
        }

        /// <summary>All flags by name, also those that the studio has defined.</summary>
        /// <example><code>var isBeta = status.Flags.ContainsKey("isBeta") &amp;&amp; status.Flags["isBeta"].Value;</code></example>
        public IReadOnlyDictionary<string, Flag> Flags { get; private set; }

        /// <summary>The response as JSON.</summary>
        /// <example><code>Debug.Log(status.JsonText);</code></example>
        public string JsonText { get; private set; }
    }

    /// <summary>Something to buy.</summary>
    /// <example><code>foreach (var sku in store.ActiveSkus) AddRow(sku.Name, sku.OfferPrice, sku.Currency);</code></example>
    public sealed class Sku
    {
        internal Sku(object json)
        {
            SkuId = Json.Text(json, "skuId");
            Name = Json.Text(json, "name");
            Description = Json.Text(json, "description");
            ActualPrice = Json.Number(json, "actualPrice");
            OfferPrice = Json.Number(json, "offerPrice");
            Currency = Json.Text(json, "currency");
            PromoId = Json.Text(json, "promoId");
            JsonText = Json.Write(json);
        }

        /// <summary>Its id, which a <c>Purchase</c> names.</summary>
        /// <example><code>payload["skuId"] = sku.SkuId;</code></example>
        public string SkuId { get; private set; }

        /// <summary>Name to show.</summary>
        /// <example><code>label.text = sku.Name;</code></example>
        public string Name { get; private set; }

        /// <summary>Description to show.</summary>
        /// <example><code>tooltip.text = sku.Description;</code></example>
        public string Description { get; private set; }

        /// <summary>List price.</summary>
        /// <example><code>var isReduced = sku.OfferPrice &lt; sku.ActualPrice;</code></example>
        public decimal ActualPrice { get; private set; }

        /// <summary>Price on offer to this player.</summary>
        /// <example><code>label.text = sku.OfferPrice + " " + sku.Currency;</code></example>
        public decimal OfferPrice { get; private set; }

        /// <summary>Currency code.</summary>
        /// <example><code>payload["currency"] = sku.Currency;</code></example>
        public string Currency { get; private set; }

        /// <summary>The promotion that made the price, which goes into the <c>Purchase</c>; null where there is none.</summary>
        /// <example><code>if (sku.PromoId != null) payload["promoId"] = sku.PromoId;</code></example>
        public string PromoId { get; private set; }

        /// <summary>All of it as JSON, with its assets.</summary>
        /// <example><code>var assets = JsonUtility.FromJson&lt;SkuAssets&gt;(sku.JsonText);</code></example>
        public string JsonText { get; private set; }
    }

    /// <summary>What is on offer to the player.</summary>
    /// <example><code>StoreConfig store = await savepoint.Player.StoreAsync();</code></example>
    public sealed class StoreConfig
    {
        internal StoreConfig(object json)
        {
            JsonText = Json.Write(json);
            ActiveSkus = Json.Items(json, "activeSkus").Select(sku => new Sku(sku)).ToList();
            UserSpecificPromoId = Json.Text(json, "userSpecificPromoId");
            LastUpdatedTimestamp = Json.Integer(json, "lastUpdatedTimestamp");
        }

        /// <summary>What can be bought, in the studio's order.</summary>
        /// <example><code>var first = store.ActiveSkus[0];</code></example>
        public IReadOnlyList<Sku> ActiveSkus { get; private set; }

        /// <summary>A promotion of this player; null where there is none.</summary>
        /// <example><code>if (store.UserSpecificPromoId != null) ShowBadge();</code></example>
        public string UserSpecificPromoId { get; private set; }

        /// <summary>The last change that this player can see, in milliseconds since 1970.</summary>
        /// <example><code>var isNew = store.LastUpdatedTimestamp > lastSeen;</code></example>
        public long LastUpdatedTimestamp { get; private set; }

        /// <summary>The response as JSON.</summary>
        /// <example><code>Debug.Log(store.JsonText);</code></example>
        public string JsonText { get; private set; }
    }

    /// <summary>The segments that the player is in.</summary>
    /// <example><code>var isNew = (await savepoint.Player.SegmentsAsync()).SegmentIds.Contains("new_player");</code></example>
    public sealed class PlayerSegments
    {
        internal PlayerSegments(object json)
        {
            JsonText = Json.Write(json);
            SegmentIds = Json.Items(json, "segments").Select(segment => Json.Text(segment, "segmentId")).ToList();
        }

        /// <summary>Ids of the segments.</summary>
        /// <example><code>foreach (var id in segments.SegmentIds) Debug.Log(id);</code></example>
        public IReadOnlyList<string> SegmentIds { get; private set; }

        /// <summary>The response as JSON, with names and versions.</summary>
        /// <example><code>Debug.Log(segments.JsonText);</code></example>
        public string JsonText { get; private set; }
    }

    /// <summary>One prediction. Once it has expired, the client gives the default value without a band, as <c>degraded</c>, also offline.</summary>
    /// <example><code>if (churn.State == "ready" &amp;&amp; churn.Value > 0.7m) OfferHelp();</code></example>
    public sealed class Prediction
    {
        internal Prediction(object json)
        {
            Value = Json.Number(json, "value");
            State = Json.Text(json, "state");
            Band = Json.Text(json, "band");
        }

        /// <summary>What is expected.</summary>
        /// <example><code>var share = churn.Value;</code></example>
        public decimal Value { get; private set; }

        /// <summary><c>ready</c>, <c>cold_start</c>, <c>degraded</c> or <c>off</c>.</summary>
        /// <example><code>if (churn.State != "ready") return;</code></example>
        public string State { get; private set; }

        /// <summary>The player's position among the others: low, medium or high; null where it is not known.</summary>
        /// <example><code>if (spend.Band == "high") ShowBundle();</code></example>
        public string Band { get; private set; }
    }

    /// <summary>What the service expects of the player.</summary>
    /// <example><code>PlayerPredictions predictions = await savepoint.Player.PredictionsAsync();</code></example>
    public sealed class PlayerPredictions
    {
        internal PlayerPredictions(object json)
        {
            JsonText = Json.Write(json);
            var members = Json.AsObject(Json.Member(json, "predictions")) ?? new Dictionary<string, object>();
            Predictions = members.ToDictionary(member => member.Key, member => new Prediction(member.Value));
        }

        /// <summary>Predictions by name, such as <c>churn</c>.</summary>
        /// <example><code>var churn = predictions.Predictions["churn"];</code></example>
        public IReadOnlyDictionary<string, Prediction> Predictions { get; private set; }

        /// <summary>The response as JSON, with the models.</summary>
        /// <example><code>Debug.Log(predictions.JsonText);</code></example>
        public string JsonText { get; private set; }
    }
}
