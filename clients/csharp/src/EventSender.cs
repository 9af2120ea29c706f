using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Savepoint
{
    /// <summary>
    /// Sends batches one at a time, oldest first.
    ///
    ///     idle ──wake──► waiting for more ──full, or the interval──► sending ──nothing left──► idle
    ///                                                                   │ ▲
    ///                              429, 503, 5xx, 408, 401, no reply ───┘ └── back-off, Retry-After
    /// </summary>
    internal sealed class EventSender
    {
        private const double FirstRetryMs = 1000;
        private const double MaxRetryMs = 300000;

        private readonly object turn = new object();
        private readonly Random random = new Random();
        private readonly EventQueue queue;
        private readonly Func<Task<Session>> getSession;
        private readonly Func<Session, Task<Session>> renew;
        private readonly Func<Session, Batch, Task<Reply>> post;
        private readonly Action<string, string, string> onRejected;
        private readonly Action<SavepointException> onError;
        private readonly double intervalMs;
        private Timer timer;
        private Task sending;
        private bool isAskedAgain;
        private bool isStopped;
        private int failures;
        /// <summary>By a clock that is never set.</summary>
        private long notBefore;

        public EventSender(
            EventQueue queue,
            double intervalMs,
            Func<Task<Session>> getSession,
            Func<Session, Task<Session>> renew,
            Func<Session, Batch, Task<Reply>> post,
            Action<string, string, string> onRejected,
            Action<SavepointException> onError)
        {
            this.queue = queue;
            this.intervalMs = intervalMs;
            this.getSession = getSession;
            this.renew = renew;
            this.post = post;
            this.onRejected = onRejected;
            this.onError = onError;
        }

        /// <summary>Something waits: sends it soon, or at once where a batch is full.</summary>
        public void Wake(bool isFull)
        {
            lock (turn)
            {
                if (isFull && failures == 0) FlushAsync();
                else if (timer == null) Schedule(intervalMs);
            }
        }

        /// <summary>Sends all that waits, unless the service asked to wait. Ends when it is sent or has failed.</summary>
        public Task FlushAsync()
        {
            lock (turn)
            {
                if (sending != null) isAskedAgain = true;
                else sending = Task.Run(SendAsync);
                return sending;
            }
        }

        /// <summary>The player has logged in.</summary>
        public void RetryNow()
        {
            lock (turn)
            {
                if (failures > 0) Schedule(0);
                failures = 0;
            }
        }

        public void Stop()
        {
            lock (turn)
            {
                isStopped = true;
                StopTimer();
            }
        }

        private void Schedule(double ms)
        {
            StopTimer();
            if (isStopped) return;
            timer = new Timer(
                _ =>
                {
                    lock (turn) StopTimer();
                    FlushAsync();
                },
                null,
                (long)Math.Ceiling(ms),
                Timeout.Infinite);
        }

        private void StopTimer()
        {
            if (timer != null) timer.Dispose();
            timer = null;
        }

        private async Task SendAsync()
        {
            for (; ; )
            {
                lock (turn) isAskedAgain = false;
                try
                {
                    await DrainAsync().ConfigureAwait(false);
                }
                catch (Exception error)
                {
                    Fail(error as SavepointException ?? new SavepointException("storage_failed", "The queue failed.", error));
                }
                lock (turn)
                {
                    if (isAskedAgain && failures == 0 && !isStopped) continue;
                    sending = null;
                    return;
                }
            }
        }

        private async Task DrainAsync()
        {
            var isRefused = false;
            while (!isStopped)
            {
                if (queue.IsEmpty())
                {
                    lock (turn) failures = 0;
                    return;
                }
                if (MustWait()) return;
                // First: without a session the storage may turn out to be a copy, and only batches that were never sent can move to a new installation.
                var session = await getSession().ConfigureAwait(false);
                var batch = queue.Take();
                if (batch == null) return;
                var reply = await post(session, batch).ConfigureAwait(false);
                if (reply.Status == 401 && !isRefused)
                {
                    isRefused = true;
                    queue.Release(batch);
                    await renew(session).ConfigureAwait(false);
                }
                else if (Settle(batch, reply)) isRefused = false;
                else return;
            }
        }

        private bool MustWait()
        {
            lock (turn)
            {
                var waitMs = notBefore - Monotonic.Ms();
                if (waitMs <= 0) return false;
                Schedule(waitMs);
                return true;
            }
        }

        /// <summary>Says whether the batch is finished.</summary>
        private bool Settle(Batch batch, Reply reply)
        {
            List<Rejection> rejected;
            var events = batch.Sound();
            var settlement = Outcome(reply, events, out rejected);
            if (settlement == null)
            {
                Fail(reply.ToError());
                return false;
            }
            lock (turn) failures = 0;
            queue.Settle(batch, settlement);
            foreach (var rejection in rejected)
            {
                if (rejection.Index >= 0 && rejection.Index < events.Count)
                    onRejected(events[(int)rejection.Index], rejection.Code, rejection.Message);
            }
            return true;
        }

        private void Fail(SavepointException error)
        {
            onError(error);
            lock (turn)
            {
                // Nothing more can be sent until the player logs in, which wakes the sender.
                if (error.Code == "logged_out")
                {
                    failures++;
                    return;
                }
                var ceiling = Math.Min(MaxRetryMs, FirstRetryMs * Math.Pow(2, Math.Min(failures++, 20)));
                var askedMs = (error.RetryAfterSeconds ?? 0) * 1000;
                notBefore = askedMs > 0 ? Monotonic.Ms() + (long)Math.Ceiling(askedMs) : 0;
                // Half of the wait is random, so that clients do not all come back at once after an outage.
                Schedule(Math.Max(askedMs, ceiling / 2) + random.NextDouble() * ceiling / 2);
            }
        }

        private sealed class Rejection
        {
            public long Index;
            public string Code;
            public string Message;
        }

        /// <summary>What the response means for the batch; null where the batch has to be sent again.</summary>
        private static Settlement Outcome(Reply reply, List<string> events, out List<Rejection> rejected)
        {
            rejected = null;
            if (reply.Status >= 200 && reply.Status < 300)
            {
                // A page of a captive portal is no acknowledgement.
                if (!reply.IsEmpty && Json.AsObject(reply.Body) == null) return null;
                rejected = Rejections(reply.Body);
                var bad = new HashSet<long>(rejected.Select(rejection => rejection.Index));
                return new Settlement
                {
                    Accepted = Json.Member(reply.Body, "accepted") as long?,
                    Duplicates = Json.Member(reply.Body, "duplicates") as long?,
                    Good = events.Where((_, index) => !bad.Contains(index)).ToList(),
                };
            }
            var isTemporary = reply.Status == 401 || reply.Status == 408 || reply.Status == 429;
            if (reply.Status < 400 || reply.Status >= 500 || isTemporary) return null;
            var details = reply.ErrorDetails();
            // Not an error of the service but of a proxy in between.
            if (Json.Text(details, "code") == null) return null;
            var error = reply.ToError();
            rejected = Json.Member(details, "rejected") is List<object>
                ? Rejections(details)
                : events.Select((_, index) => new Rejection { Index = index, Code = error.Code, Message = error.Message }).ToList();
            return new Settlement();
        }

        private static List<Rejection> Rejections(object body)
        {
            return Json.Items(body, "rejected")
                .Select(item => new Rejection
                {
                    Index = Json.Integer(item, "index", -1),
                    Code = Json.Text(item, "code"),
                    Message = Json.Text(item, "message"),
                })
                .ToList();
        }
    }

    /// <summary>A clock that only goes forward.</summary>
    internal static class Monotonic
    {
        private static readonly System.Diagnostics.Stopwatch Watch = System.Diagnostics.Stopwatch.StartNew();

        public static long Ms()
        {
            return Watch.ElapsedMilliseconds;
        }
    }
}
