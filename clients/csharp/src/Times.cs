using System;
using System.Globalization;

namespace Savepoint
{
    /// <summary>Instants as texts of the API, and as milliseconds since 1970.</summary>
    internal static class Times
    {
        private static readonly DateTime Epoch = new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc);

        public static long Now()
        {
            return ToMs(DateTime.UtcNow);
        }

        /// <summary>As events have it: with milliseconds.</summary>
        public static string Format(DateTime utc)
        {
            return utc.ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture);
        }

        public static string Format(long ms)
        {
            return Format(Epoch.AddMilliseconds(ms));
        }

        /// <summary>As logins have it: in whole seconds.</summary>
        public static string FormatSeconds(long ms)
        {
            return Epoch.AddMilliseconds(ms).ToString("yyyy-MM-dd'T'HH:mm:ss'Z'", CultureInfo.InvariantCulture);
        }

        /// <summary>Null where the text is no instant. Takes RFC 3339 and the form of HTTP headers.</summary>
        public static long? Parse(string text)
        {
            DateTimeOffset instant;
            var isInstant = DateTimeOffset.TryParse(
                text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal, out instant);
            return isInstant ? ToMs(instant.UtcDateTime) : (long?)null;
        }

        public static long ToMs(DateTime utc)
        {
            return (utc.Ticks - Epoch.Ticks) / TimeSpan.TicksPerMillisecond;
        }
    }
}
