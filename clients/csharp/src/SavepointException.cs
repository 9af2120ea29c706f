using System;

namespace Savepoint
{
    /// <summary>
    /// Every failure is one of these. Switch on <see cref="Code"/>: it is permanent, the message is not. Codes of the client
    /// itself: <c>network_failed</c>, <c>response_invalid</c>, <c>sign_failed</c>, <c>logged_out</c>, <c>closed</c>,
    /// <c>event_unserializable</c>, <c>event_too_large</c>, <c>storage_full</c>, <c>storage_failed</c>. All others are those of the
    /// service.
    /// </summary>
    /// <example><code>
    /// try { await savepoint.LoginAsync(); }
    /// catch (SavepointException error) when (error.Code == "network_failed") { ShowOffline(); }
    /// </code></example>
    public sealed class SavepointException : Exception
    {
        /// <summary>Makes one; a transport of your own throws them with <c>network_failed</c>.</summary>
        /// <example><code>throw new SavepointException("network_failed", request.error);</code></example>
        public SavepointException(string code, string message, Exception cause = null) : base(message, cause)
        {
            Code = code;
        }

        /// <summary>What went wrong.</summary>
        /// <example><code>if (error.Code == "logged_out") await savepoint.LoginAsync();</code></example>
        public string Code { get; private set; }

        /// <summary>HTTP status, where there was a response, else 0.</summary>
        /// <example><code>var isOutage = error.Status == 0 || error.Status >= 500;</code></example>
        public int Status { get; internal set; }

        /// <summary>How long the service asked to wait, else null.</summary>
        /// <example><code>var seconds = error.RetryAfterSeconds ?? 1;</code></example>
        public double? RetryAfterSeconds { get; internal set; }

        /// <summary>Quote it when you ask for help; null where the service did not respond.</summary>
        /// <example><code>Debug.LogWarning(error.Message + " " + error.RequestId);</code></example>
        public string RequestId { get; internal set; }
    }
}
