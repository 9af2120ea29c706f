using System.Collections.Generic;

namespace Savepoint
{
    /// <summary>The game's typed values for the player. <see cref="Player.Value(string, int)"/> gives one of them.</summary>
    /// <example><code>PlayerValues values = await savepoint.Player.ValuesAsync();</code></example>
    public sealed class PlayerValues
    {
        internal PlayerValues(object json)
        {
            JsonText = Json.Write(json);
            var arms = new Dictionary<string, string>();
            foreach (var arm in Json.Items(json, "experiments")) arms[Json.Text(arm, "experimentId")] = Json.Text(arm, "variantId");
            Experiments = arms;
        }

        /// <summary>The running experiments that the responses to the player depend on: experiment → the player's variant.</summary>
        /// <example><code>foreach (var arm in values.Experiments) Debug.Log(arm.Key + " " + arm.Value);</code></example>
        public IReadOnlyDictionary<string, string> Experiments { get; private set; }

        /// <summary>The response as JSON, with the experiments that the player is in.</summary>
        /// <example><code>Debug.Log(values.JsonText);</code></example>
        public string JsonText { get; private set; }
    }
}
