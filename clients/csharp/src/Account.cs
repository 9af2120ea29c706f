using System.Collections.Generic;

namespace Savepoint
{
    /// <summary>The proof of a purchase, as the store gives it to the game.</summary>
    /// <example><code>savepoint.Purchase("gems_80", Receipt.Apple(jwsRepresentation));</code></example>
    public sealed class Receipt
    {
        private Receipt(IDictionary<string, object> members)
        {
            Members = members;
        }

        internal IDictionary<string, object> Members { get; private set; }

        /// <summary>Of the App Store: <c>jwsRepresentation</c> of StoreKit 2.</summary>
        /// <example><code>var receipt = Receipt.Apple(transaction.jwsRepresentation);</code></example>
        public static Receipt Apple(string signedTransaction)
        {
            return new Receipt(new Dictionary<string, object> { ["store"] = "apple", ["signedTransaction"] = signedTransaction });
        }

        /// <summary>Of Google Play: <c>originalJson</c> and <c>signature</c> of Play Billing.</summary>
        /// <example><code>var receipt = Receipt.Google(purchase.OriginalJson, purchase.Signature);</code></example>
        public static Receipt Google(string purchaseData, string signature)
        {
            return new Receipt(new Dictionary<string, object>
            {
                ["store"] = "google",
                ["purchaseData"] = purchaseData,
                ["signature"] = signature,
            });
        }
    }

    /// <summary>With this code a player who has removed the game can ask for erasure, on the page at <see cref="Url"/>.</summary>
    /// <example><code>ErasureCode shown = await savepoint.Player.ErasureCodeAsync();</code></example>
    public sealed class ErasureCode
    {
        internal ErasureCode(object json, string baseUrl)
        {
            Code = Json.Text(json, "code");
            ExpiresAt = Json.Text(json, "expiresAt");
            Url = baseUrl + Json.Text(json, "page");
        }

        /// <summary>Twelve letters: <c>BCDF-GHJK-LMNP</c>.</summary>
        /// <example><code>label.text = shown.Code;</code></example>
        public string Code { get; private set; }

        /// <summary>As ISO 8601 in UTC.</summary>
        /// <example><code>label.text = "until " + shown.ExpiresAt;</code></example>
        public string ExpiresAt { get; private set; }

        /// <summary>The page of the game on which the code is entered.</summary>
        /// <example><code>Application.OpenURL(shown.Url);</code></example>
        public string Url { get; private set; }
    }
}
