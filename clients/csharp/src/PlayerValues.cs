namespace Savepoint
{
    /// <summary>The game's typed values for the player. <see cref="Player.Value(string, int)"/> gives one of them.</summary>
    /// <example><code>PlayerValues values = await savepoint.Player.ValuesAsync();</code></example>
    public sealed class PlayerValues
    {
        internal PlayerValues(object json)
        {
            JsonText = Json.Write(json);
        }

        /// <summary>The response as JSON, with the experiments that the player is in.</summary>
        /// <example><code>Debug.Log(values.JsonText);</code></example>
        public string JsonText { get; private set; }
    }
}
