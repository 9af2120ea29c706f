using System.Collections.Generic;

namespace Savepoint
{
    /// <summary>A session as it is kept.</summary>
    internal sealed class Session
    {
        public string UserId;
        public string DeviceId;
        public string GameId;
        public string TenantId;
        public string AccessToken;
        public string RefreshToken;
        /// <summary>By the clock of the device.</summary>
        public long ObtainedAt;
        public long LifetimeMs;
        /// <summary>The player was logged out, and nothing else is known.</summary>
        public bool IsLoggedOut;

        /// <summary>The headers that say who asks.</summary>
        public Dictionary<string, string> Headers()
        {
            return new Dictionary<string, string>
            {
                ["Authorization"] = "Bearer " + AccessToken,
                ["X-Tenant-ID"] = TenantId,
                ["X-Game-Id"] = GameId,
                ["X-Player-Id"] = UserId,
            };
        }

        public string ToJson()
        {
            return Json.Write(new Dictionary<string, object>
            {
                ["userId"] = UserId,
                ["deviceId"] = DeviceId,
                ["gameId"] = GameId,
                ["tenantId"] = TenantId,
                ["accessToken"] = AccessToken,
                ["refreshToken"] = RefreshToken,
                ["obtainedAt"] = ObtainedAt,
                ["lifetimeMs"] = LifetimeMs,
                ["isLoggedOut"] = IsLoggedOut,
            });
        }

        /// <summary>From what was kept, or from the response of login and refresh. Null where it is neither.</summary>
        public static Session From(object kept)
        {
            var isLoggedOut = Json.Flag(kept, "isLoggedOut");
            if (Json.Text(kept, "accessToken") == null && !isLoggedOut) return null;
            return new Session
            {
                UserId = Json.Text(kept, "userId"),
                DeviceId = Json.Text(kept, "deviceId"),
                GameId = Json.Text(kept, "gameId"),
                TenantId = Json.Text(kept, "tenantId"),
                AccessToken = Json.Text(kept, "accessToken"),
                RefreshToken = Json.Text(kept, "refreshToken"),
                ObtainedAt = Json.Integer(kept, "obtainedAt"),
                LifetimeMs = Json.Integer(kept, "lifetimeMs"),
                IsLoggedOut = isLoggedOut,
            };
        }
    }
}
