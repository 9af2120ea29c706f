using System;
using System.Collections.Generic;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;

namespace Savepoint
{
    /// <summary>
    /// One session, and one login or refresh at a time however many wait for it.
    ///
    ///     none ──login──► live ──refresh before its end, or after a 401──► live
    ///                      │ └──refresh refused: ended, or copied──► login ──► live
    ///                      └──logout──► logged out ──LoginAsync()──► live
    /// </summary>
    internal sealed class Sessions
    {
        /// <summary>A session older than this is refreshed at the start: a copy of the storage on another device is noticed by it.</summary>
        private const long TrustedMs = 300000;
        /// <summary>Refresh this long before the end, or after four fifths of a short life.</summary>
        private const long MarginMs = 60000;
        /// <summary>A refresh that failed is retried this many times, every few seconds: over the 30 s in which the service takes its token again.</summary>
        private const int MaxRetries = 10;
        private const int GraceMs = 30000;

        private readonly object turn = new object();
        private readonly Exchange exchange;
        private readonly RefreshTries tries;
        private readonly Keeper keeper;
        private readonly EventQueue queue;
        private readonly ServiceClock clock;
        private readonly SavepointOptions options;
        private readonly Action<object> onGrant;
        private Session current;
        private Task<Session> renewal;
        private Timer retryTimer;
        private bool isStarting = true;
        private volatile bool isStopped;

        public Sessions(
            Exchange exchange, Keeper keeper, EventQueue queue, ServiceClock clock, SavepointOptions options, Action<object> onGrant)
        {
            this.exchange = exchange;
            tries = new RefreshTries(exchange, () => isStopped);
            this.keeper = keeper;
            this.queue = queue;
            this.clock = clock;
            this.options = options;
            this.onGrant = onGrant;
        }

        /// <summary>A session whose token should be valid; logs in or refreshes if needed.</summary>
        public async Task<Session> GetAsync()
        {
            Session session;
            lock (turn) session = current;
            if (session != null && !IsDue(session)) return session;
            var renewing = RenewOnceAsync(null);
            // Well ahead of the end no call waits, as the token still works. A refresh that fails is tried again with the next request.
            if (session != null && !IsDue(session, 0.5))
            {
                RefreshTries.Ignore(renewing);
                return session;
            }
            try
            {
                return await renewing.ConfigureAwait(false);
            }
            catch (SavepointException)
            {
                lock (turn) session = current;
                if (session == null || clock.Device() - session.ObtainedAt > session.LifetimeMs) throw;
                return session;
            }
        }

        /// <summary>Another session than the one that was refused with a 401.</summary>
        public Task<Session> RenewAsync(Session refused)
        {
            lock (turn)
            {
                if (current != null && current.AccessToken != refused.AccessToken) return Task.FromResult(current);
            }
            return RenewOnceAsync(refused);
        }

        /// <summary>Logs in where the player was logged out.</summary>
        public async Task<Session> LoginAsync()
        {
            lock (turn)
            {
                if (current != null && !IsDue(current)) return current;
            }
            // The running attempt may be one that must not log in.
            await RunningRenewalAsync().ConfigureAwait(false);
            return await RenewOnceAsync(null, true).ConfigureAwait(false);
        }

        public async Task LogoutAsync(bool allDevices)
        {
            var kept = Kept();
            if (kept != null && !kept.IsLoggedOut)
            {
                var session = await RenewOnceAsync(null).ConfigureAwait(false);
                lock (turn) StopRetry();
                var body = new Dictionary<string, object> { ["refreshToken"] = session.RefreshToken, ["allDevices"] = allDevices };
                var headers = new Dictionary<string, string> { ["Authorization"] = "Bearer " + session.AccessToken };
                var reply = await exchange.PostAsync("/auth/logout", Json.Write(body), headers).ConfigureAwait(false);
                // A 401: the session had ended anyway.
                if (reply.Status != 200 && reply.Status != 401) throw reply.ToError();
            }
            await ForgetAsync().ConfigureAwait(false);
        }

        /// <summary>Has the player erased, also one who was logged out.</summary>
        public async Task DeleteAccountAsync()
        {
            var session = await LoginAsync().ConfigureAwait(false);
            lock (turn) StopRetry();
            var reply = await exchange.SendAsync("DELETE", "/v1/player", session.Headers()).ConfigureAwait(false);
            // The session has ended, maybe by a deletion whose response was lost. Then the new player of the device is deleted, who has done nothing.
            if (reply.Status == 401)
            {
                session = await RenewAsync(session).ConfigureAwait(false);
                reply = await exchange.SendAsync("DELETE", "/v1/player", session.Headers()).ConfigureAwait(false);
            }
            if (reply.Status != 202) throw reply.ToError();
            await ForgetAsync().ConfigureAwait(false);
        }

        private async Task ForgetAsync()
        {
            // Or it would bring the session back.
            await RunningRenewalAsync().ConfigureAwait(false);
            lock (turn) current = null;
            keeper.WriteValue("session", new Session { IsLoggedOut = true }.ToJson());
        }

        /// <summary>Ends retries that no call waits for.</summary>
        public void Stop()
        {
            lock (turn)
            {
                isStopped = true;
                StopRetry();
            }
        }

        private Task<Session> RenewOnceAsync(Session refused, bool isLogin = false, int retries = MaxRetries)
        {
            lock (turn)
            {
                if (renewal == null)
                {
                    // Not on the caller's thread: it may be the one that draws the game.
                    renewal = Task.Run(() => RenewAsync(refused, isLogin, retries));
                }
                return renewal;
            }
        }

        private async Task<Session> RenewAsync(Session refused, bool isLogin, int retries)
        {
            try
            {
                var session = await RefreshOrLogInAsync(refused, isLogin, retries).ConfigureAwait(false);
                lock (turn) current = session;
                isStarting = false;
                return session;
            }
            finally
            {
                lock (turn) renewal = null;
            }
        }

        /// <summary>Ends when no login or refresh runs, however it ended.</summary>
        private Task RunningRenewalAsync()
        {
            lock (turn) return renewal == null ? Task.CompletedTask : Task.WhenAny(renewal);
        }

        private async Task<Session> RefreshOrLogInAsync(Session refused, bool isLogin, int retries)
        {
            var session = Kept();
            if (session == null || (session.IsLoggedOut && isLogin)) return await SignInAsync().ConfigureAwait(false);
            if (session.IsLoggedOut)
                throw new SavepointException("logged_out", "The player was logged out. Call LoginAsync() to log in again.");
            var isRefused = refused != null && session.AccessToken == refused.AccessToken;
            if (!isRefused && !IsDue(session)) return session;
            lock (turn) StopRetry();
            try
            {
                var reply = await tries.SendAsync(session.RefreshToken).ConfigureAwait(false);
                if (!reply.IsRefusal()) return Accept(reply);
            }
            catch (SavepointException error)
            {
                if (retries > 0) RetryLater(refused, retries - 1, tries.RetryMs(error));
                throw;
            }
            // The last characters are enough to tell sessions apart.
            queue.StartInstall(session.RefreshToken.Substring(Math.Max(0, session.RefreshToken.Length - 8)));
            return await SignInAsync().ConfigureAwait(false);
        }

        /// <summary>A refresh that failed is tried again whether or not a call waits for it.</summary>
        private void RetryLater(Session refused, int retries, int ms)
        {
            lock (turn)
            {
                StopRetry();
                if (isStopped || ms >= GraceMs) return;
                retryTimer = new Timer(_ => RetryAsync(refused, retries), null, ms, Timeout.Infinite);
            }
        }

        private async void RetryAsync(Session refused, int retries)
        {
            // A timer may fire while it is being stopped.
            lock (turn)
            {
                if (isStopped) return;
            }
            try
            {
                await RenewOnceAsync(refused, false, retries).ConfigureAwait(false);
            }
            catch (Exception)
            {
                // No call waits for it. The next call that needs a session tries again and reports what it fails with.
            }
        }

        private void StopRetry()
        {
            if (retryTimer != null) retryTimer.Dispose();
            retryTimer = null;
        }

        private Session Kept()
        {
            lock (turn) return current ?? Session.From(keeper.ReadValue("session"));
        }

        private bool IsDue(Session session, double margins = 1)
        {
            var age = clock.Device() - session.ObtainedAt;
            var margin = Math.Min(MarginMs, session.LifetimeMs / 5) * margins;
            // A negative age: the clock was put back, so the age is unknown.
            return age < 0 || age > session.LifetimeMs - margin || (isStarting && age > TrustedMs);
        }

        private async Task<Session> SignInAsync()
        {
            for (var isFirst = true; ; isFirst = false)
            {
                var signed = await SignAsync().ConfigureAwait(false);
                var body = Json.Write(new Dictionary<string, object>
                {
                    ["apiKey"] = signed.ApiKey,
                    ["deviceId"] = signed.DeviceId,
                    ["timestamp"] = signed.Timestamp,
                    ["signature"] = signed.Signature,
                });
                var reply = await exchange.PostAsync("/auth/login", body).ConfigureAwait(false);
                var serverMs = isFirst ? TimeOfRefusal(reply) : null;
                if (serverMs == null) return Accept(reply);
                clock.Learn(serverMs.Value);
            }
        }

        private async Task<SignedLogin> SignAsync()
        {
            SignedLogin signed;
            try
            {
                var deviceId = DeviceId();
                var timestamp = clock.IsKnown ? Times.FormatSeconds(clock.Service()) : null;
                signed = options.Sign == null
                    ? await SignAtAsync(deviceId, timestamp).ConfigureAwait(false)
                    : await options.Sign(deviceId, timestamp).ConfigureAwait(false);
            }
            catch (Exception cause)
            {
                throw new SavepointException("sign_failed", "The login could not be signed.", cause);
            }
            if (signed == null || signed.Signature == null)
                throw new SavepointException("sign_failed", "The signing endpoint returned no signed login.");
            return signed;
        }

        private async Task<SignedLogin> SignAtAsync(string deviceId, string timestamp)
        {
            var asked = new Dictionary<string, object> { ["deviceId"] = deviceId };
            if (timestamp != null) asked["timestamp"] = timestamp;
            var response = await exchange.PostToAsync(options.SignUrl, Json.Write(asked)).ConfigureAwait(false);
            if (response.Status < 200 || response.Status > 299)
                throw new InvalidOperationException("The signing endpoint responded with " + response.Status + ".");
            var login = Json.Read(response.Body);
            return new SignedLogin
            {
                ApiKey = Json.Text(login, "apiKey"),
                DeviceId = Json.Text(login, "deviceId"),
                Timestamp = Json.Text(login, "timestamp"),
                Signature = Json.Text(login, "signature"),
            };
        }

        private string DeviceId()
        {
            if (options.DeviceId != null) return options.DeviceId;
            var kept = keeper.ReadValue("device") as string;
            if (kept != null) return kept;
            var made = RandomId.New();
            keeper.WriteValue("device", Json.Write(made));
            return made;
        }

        private Session Accept(Reply reply)
        {
            if (!reply.IsGrant()) throw reply.ToError();
            var session = Session.From(reply.Body);
            session.ObtainedAt = clock.Device();
            session.LifetimeMs = Json.Integer(reply.Body, "expiresIn") * 1000;
            keeper.WriteValue("session", session.ToJson());
            // Of two copies only one gets this far with the session they share.
            queue.Trust();
            onGrant(reply.Body);
            return session;
        }

        /// <summary>Time of the service, where it refused a login because of its timestamp. Without serverTime the Date header is used.</summary>
        private static long? TimeOfRefusal(Reply reply)
        {
            if (reply.Status != 400) return null;
            var details = reply.ErrorDetails();
            var said = Json.Text(details, "code") + " " + Json.Text(details, "message");
            if (!Regex.IsMatch(said, "timestamp_out_of_window|time window")) return null;
            return Times.Parse(Json.Text(details, "serverTime") ?? reply.Response.Header("date"));
        }
    }
}
